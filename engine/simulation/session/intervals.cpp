// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/session/intervals.hpp"

#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/session.hpp"
#include "engine/simulation/session/session_keys.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tawara::simulation {
namespace {

/// 0: there is no use for it. [ms]
double in_use_ms(const Session& s, const Key& key)
{
    return key.also.used == nullptr || key.also.used(s) ? key.member.get(&s) : 0;
}

/// "output.frames_every_ms"
std::string with_dots(std::string_view at)
{
    std::string out(at.substr(1));
    std::replace(out.begin(), out.end(), '/', '.');
    return out;
}

} // namespace

std::int64_t steps_of(double every_ms, double dt_ms)
{
    return std::max<std::int64_t>(1, std::llround(every_ms / dt_ms));
}

std::int64_t interval_steps(const Session& s, std::string_view at)
{
    const Key& key = session_key(at);
    if (!key.also.interval)
        throw std::logic_error("no interval in the table of session keys: " + std::string(at));
    const double every_ms = in_use_ms(s, key);
    return every_ms > 0 ? steps_of(every_ms, s.dt_ms) : 0;
}

Notices rounded_intervals(const Session& s)
{
    Notices out;
    for (const Key& key : session_keys()) {
        const double every_ms = key.also.interval ? in_use_ms(s, key) : 0;
        const auto steps = static_cast<double>(steps_of(every_ms, s.dt_ms));
        if (every_ms > 0 && std::abs(every_ms / s.dt_ms - steps) > 1e-6 * every_ms / s.dt_ms)
            out.push_back(
                {Notice::Level::warning, with_dots(key.at) + ": " + number_text(every_ms, 6) +
                                             " ms is no whole number of steps; every " +
                                             number_text(steps * s.dt_ms, 7) + " ms in its place"});
    }
    return out;
}

} // namespace tawara::simulation
