// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/pacing/refractory.hpp"
#include "engine/simulation/session/session.hpp"

#include <QColor>

namespace tawara {

/// What is known of a site's pulses.
struct CaptureState
{
    enum class Last { unknown, captured, failed, given };
    Last last = Last::unknown;
    int pulses = 0, captured = 0;
    double lowestCaptured = 0, highestFailed = 0; ///< amplitudes [pA/pF]; 0: none
    double sinceMs = 0;    ///< the site is as it is since then: earlier pulses were not its own
    double decidedMs = -1; ///< when the newest pulse began that is decided; below 0: none is
    int formerPulses = 0, formerCaptured = 0; ///< of the site as it was before it was changed
    bool surrounded = true; ///< else no tissue lies around it: no pulse is judged, only given
    bool overtaken = false; ///< the last one failed, and a wave from elsewhere came to the site
    /// Coupling intervals of its extra pulses: the shortest that captured, the longest that failed.
    simulation::Refractory refractory = {};
    bool told = false;             ///< the last pulse is among those
    bool refractoryBefore = false; ///< none of those is of this run: the run before told them

    /// The last pulse failed as the end of a search for the refractory period is to fail.
    bool answers() const
    {
        return last == Last::failed && told && refractory.effective_ms().has_value();
    }
};
/// Green captured, or the refractory period was found; red failed, amber not known yet, blue given
/// and not to be judged, grey off.
QColor captureColor(const simulation::Stimulus& s, const CaptureState& state);

} // namespace tawara
