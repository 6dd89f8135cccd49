// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"

#include "engine/core/utf8.hpp"

#include <utility>

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

/// A place that can be told from others: keys of foreign files may be as long as these.
std::string short_place(const std::string& where)
{
    constexpr std::size_t longest = 200, kept = 90;
    if (where.size() <= longest)
        return where;
    return shortened(where, kept) + std::string(ending(where, kept));
}

std::string located(const std::string& file, const std::string& where, const std::string& reason)
{
    if (where.empty())
        return one_line(file.empty() ? reason : file + ": " + reason);
    return one_line((file.empty() ? "" : file + ":") + short_place(where) + ": " + reason);
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

DeviceError::DeviceError(std::string device_, std::string call_, int status_,
                         const std::string& text)
    : Error(device_ + ": " + call_ + " failed (" + std::to_string(status_) + "): " + text),
      device(std::move(device_)), call(std::move(call_)), status(status_)
{
}

} // namespace tawara
