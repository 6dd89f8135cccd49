// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/pacing/refractory.hpp"
#include "engine/simulation/session/session.hpp"

#include <QString>

#include <optional>
#include <vector>

namespace tawara {

struct CaptureState;

/// The protocol in the terms of the panel: older sessions say it by period and count.
simulation::Protocol protocolOf(const simulation::Stimulus& s);
/// Makes a protocol of another kind. S1-S2 searches: S2 comes earlier by 10 ms in each of ten
/// repeats, unless it searched before: then it is as it was. Bursts and searches repeat, each in
/// its own way: neither takes the repeats of the other.
void turnInto(simulation::Protocol& p, simulation::Protocol::Kind kind);
/// "8 × 600 ms": what a list says of it.
QString protocolText(const simulation::Stimulus& s);

/// Positive intervals, parted by commas, semicolons or blanks; nothing where any part is not one,
/// or there is none.
/// @param notTaken  the first part that is no interval; may be null
std::optional<std::vector<double>> intervalsOf(const QString& text, QString* notTaken = nullptr);

/// "320, 280"
QString intervalsText(const std::vector<double>& ms);

/// "S2 at 1 320 ms comes after the end of the run (1 000 ms)."; empty where none does.
QString lateText(const simulation::Stimulus& s, double endMs);

/// "S2 at 640 ms: whether it captures shows by 700 ms."; empty where what has begun is decided.
QString pendingText(const simulation::Stimulus& s, const CaptureState& known, double nowMs,
                    double endMs);
/// What its extra pulses have told: "S2 at 310 ms captured, at 300 ms not: effective refractory
/// period at this site 300 ms (between 300 and 310 ms, S1 every 600 ms)."; empty where nothing.
QString refractoryText(const simulation::Stimulus& s, const simulation::Refractory& known);
/// Whether the refractory period is found in this run, as near as the protocol comes to it.
bool searchEnded(const simulation::Stimulus& s, const CaptureState& known, double nowMs);
/// What came of the site's pulses, what is known by that, and what comes next; a line each.
QString siteStateText(const simulation::Stimulus& s, const CaptureState& known, double nowMs,
                      double endMs);
/// Why a site has no radius and takes no pulse at once, and what to do; empty where it is a ball.
QString extentText(const simulation::Stimulus& s);
/// What the button for a pulse at once does, and the radius is, or why there is none.
QString paceNowTip(const simulation::Stimulus& s);
QString radiusTip(const simulation::Stimulus& s, const QString& range);
/// "640 ms": when the next pulse before the end of the run begins; "–" where none does.
QString nextTime(const simulation::Stimulus& s, double nowMs, double endMs);
/// "Next: S2 at 640 ms."; that none comes, where the site is on.
QString nextText(const simulation::Stimulus& s, double nowMs, double endMs);
/// "Site 2 paces every 600 ms, as Site 1 does: its next pulse comes at 1 200 ms."
/// @param as  the site whose protocol it took; may be empty
QString scheduleText(const simulation::Stimulus& s, const QString& as, double nowMs, double endMs);

} // namespace tawara
