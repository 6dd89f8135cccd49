// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/vec3.hpp"

#include <cstdint>
#include <limits>
#include <string>

/// A pulse that is asked for at once, and what became of a pulse.
namespace tawara::simulation {

/// Depolarises a ball of tissue now.
struct Stimulate
{
    Vec3 position_mm{};
    double radius_mm = 2.5;
    double duration_ms = 2;
    double amplitude_pA_per_pF = 50;
    /// Name of the session's stimulus that gives it: its pulse is counted and told as that one's.
    /// Empty, or of none that is listed: it is nobody's.
    std::string site = {};
};

/// Whether a pulse captured, by the rule of CaptureWatch. Pushed when that is known.
struct CaptureEvent
{
    /// Index in the session's list, also of a Stimulate that names one of them; -1: another
    /// Stimulate.
    int stimulus = -1;
    std::uint64_t command = 0; ///< id of that Stimulate
    int pulse = 0;             ///< counted from 0 since the stimulus was set; 0 of a Stimulate
    double time_ms = 0;        ///< when the pulse began
    bool captured = false;
    /// Mean V around the site when it began [mV]: of tissue at rest, or not back there yet. NaN:
    /// not known.
    double around_mV = std::numeric_limits<double>::quiet_NaN();
    bool overtaken = false; ///< it did not capture, and a wave from elsewhere came to the site
};

} // namespace tawara::simulation
