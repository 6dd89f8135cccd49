// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/panels/beats_panel.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tawara {

/// What waves turn around now.
struct Centres
{
    std::size_t filaments = 0, obstacles = 0;
    std::size_t turned = 0; ///< of them, around which a wave has turned once and more
};

/// What goes on when pacing is over: "Re-entry, without pacing since 1 830 ms: cycle length
/// 214 ms at P1, 221 ms at P2 (last 3 activations); 2 filaments now." Empty as long as no
/// probe was activated three times by more than the last pulse, or no probe was after it. It is
/// called re-entry when a wave has turned once around one of the centres and still does.
///
/// A cycle length is the mean interval of a probe's last three activations. The first one after the
/// last pulse is taken for that pulse's own. Of more than four probes their range and median are
/// said. A wave that has not come back within one and a half cycles at any probe has ended, which
/// is said.
/// @param lastPulseMs  when the newest pulse of any site began; nothing: none was given
/// @param centres  nothing: they are not looked for
QString unpacedText(const std::vector<BeatsPanel::Entry>& entries,
                    std::optional<double> lastPulseMs, double nowMs,
                    const std::optional<Centres>& centres);

} // namespace tawara
