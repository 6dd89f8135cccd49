// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/steadiness.hpp"

#include "engine/cell/compiler/library.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tawara::cell {
namespace {

constexpr long longest_span = 200, least_beats = 8;
constexpr long first_look = 50, look_every = 10; // of settled()
constexpr std::size_t kept = 2 * longest_span + 1;
/// Movements below this of a state are rounding, and none.
constexpr double none_percent = 1e-6;
/// Movements a beat below this do not count where a state does not slow down.
constexpr double slow_percent = 1e-3;

} // namespace

std::string Drift::words() const
{
    char text[160];
    if (steady()) {
        std::snprintf(text, sizeof text, "at most %.2g %% are left to the steady state (",
                      left_percent);
        return text + state + ")";
    }
    if (!std::isfinite(left_percent)) {
        std::snprintf(text, sizeof text,
                      " changes by %.2g %% a beat and does not slow down: how much is left to its "
                      "steady state is not known",
                      std::abs(per_beat_percent));
        return state + text;
    }
    std::snprintf(text, sizeof text,
                  " changes by %.2g %% a beat, and about %.2g %% are left to its steady state",
                  std::abs(per_beat_percent), left_percent);
    return state + text;
}

SteadinessMeter::SteadinessMeter(const CellType& type)
{
    const auto system = compiler::system_of(type);
    for (std::size_t s = 1; s < system->states.size(); ++s) {
        watched_.push_back(s);
        relative_.push_back(system->states[s].range.has_value());
        names_.push_back(system->states[s].full_name);
    }
}

void SteadinessMeter::add(std::vector<double> x)
{
    if (last_.size() < kept)
        last_.push_back(std::move(x));
    else
        last_[static_cast<std::size_t>(beats_) % kept] = std::move(x);
    ++beats_;
    if (beats_ >= first_look && beats_ % look_every == 0)
        steady_looks_ = drift().steady() ? steady_looks_ + 1 : 0;
}

double SteadinessMeter::left_percent(std::size_t k, std::size_t span) const
{
    const auto ago = [&](std::size_t n) {
        return last_[(static_cast<std::size_t>(beats_) - 1 - n) % kept][k];
    };
    const double now = ago(0);
    const double scale = 100 / (relative_[k] ? std::abs(now) : std::max(1.0, std::abs(now)));
    const double d2 = (now - ago(span)) * scale, d1 = (ago(span) - ago(2 * span)) * scale;
    if (!(std::abs(d2) > none_percent))
        return std::abs(d2);
    const double q = d2 / d1;
    if (!(q > 0)) // it has turned round, or only begun to move: by as much again
        return std::abs(d2);
    if (q < 1)
        return std::abs(d2) * q / (1 - q);
    if (std::abs(d2) < slow_percent * static_cast<double>(span)) // 1 % in 1000 beats
        return std::abs(d2);
    return std::numeric_limits<double>::infinity();
}

Drift SteadinessMeter::drift() const
{
    Drift d;
    if (beats_ < least_beats)
        return d;
    const auto span = static_cast<std::size_t>(std::min(longest_span, beats_ / 4 / 2 * 2));
    double most = -1;
    for (std::size_t k = 0; k < watched_.size(); ++k) {
        const double left = left_percent(k, span);
        if (!(left > most))
            continue;
        most = left;
        d.state = names_[k];
        d.left_percent = left;
        const double now = last_[(static_cast<std::size_t>(beats_) - 1) % kept][k],
                     then = last_[(static_cast<std::size_t>(beats_) - 1 - span) % kept][k];
        d.per_beat_percent = 100 * (now - then) /
                             (relative_[k] ? std::abs(now) : std::max(1.0, std::abs(now))) /
                             static_cast<double>(span);
    }
    return d;
}

} // namespace tawara::cell
