// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"

#include "engine/core/numerics_advice.hpp"

#include <cstdio>

namespace tawara {
namespace {

/// One line that can be read whole, whatever a foreign file's names are.
std::string one_line(std::string s)
{
    constexpr std::size_t longest = 2000, kept = 1000;
    if (s.size() > longest)
        s = s.substr(0, kept) + " ... " + s.substr(s.size() - kept);
    for (auto& c : s)
        if (static_cast<unsigned char>(c) < 32 || c == 127)
            c = ' ';
    return s;
}

std::string located(const std::string& file, const std::string& where, const std::string& reason)
{
    if (file.empty())
        return one_line(where.empty() ? reason : where + ": " + reason);
    return one_line(where.empty() ? file + ": " + reason : file + ":" + where + ": " + reason);
}

std::string numerics(double t, std::int64_t step, std::int64_t unknown,
                     const std::array<double, 3>& p, double value, const std::string& model)
{
    char at[96], place[160];
    std::snprintf(at, sizeof at, "the solution stopped being finite at %.6g ms (step %lld): ", t,
                  static_cast<long long>(step));
    std::snprintf(place, sizeof place, " at unknown %lld, (%.4g, %.4g, %.4g) mm, model ",
                  static_cast<long long>(unknown), p[0], p[1], p[2]);
    return at + failed_value(value) + place + model + "; " +
           numerics_advice(value, step,
                           "try a smaller step (time.dt_ms, --dt) or another scheme of the cells "
                           "(reaction.scheme)");
}

} // namespace

InputError::InputError(std::string file_, std::string where_, std::string reason_)
    : Error(located(file_, where_, reason_)), file(std::move(file_)), where(std::move(where_)),
      reason(std::move(reason_))
{
}

InputError::InputError(std::string file_, long line, std::string reason_)
    : InputError(std::move(file_), std::to_string(line), std::move(reason_))
{
}

InputError::InputError(std::string file_, std::string reason_)
    : InputError(std::move(file_), std::string(), std::move(reason_))
{
}

NumericsError::NumericsError(double time_ms_, std::int64_t step_, std::int64_t unknown_,
                             std::array<double, 3> position_mm_, double value_,
                             const std::string& model_)
    : Error(numerics(time_ms_, step_, unknown_, position_mm_, value_, model_)), time_ms(time_ms_),
      step(step_), unknown(unknown_), position_mm(position_mm_), value(value_), model(model_)
{
}

DeviceError::DeviceError(std::string device_, std::string call_, int status_,
                         const std::string& text)
    : Error(device_ + ": " + call_ + " failed (" + std::to_string(status_) + "): " + text),
      device(std::move(device_)), call(std::move(call_)), status(status_)
{
}

} // namespace tawara
