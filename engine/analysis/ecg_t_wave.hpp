// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/analysis/ecg_intervals.hpp"
#include "engine/analysis/ecg_record.hpp"

namespace tawara::analysis {

constexpr double t_after_ms = 40; ///< of QRS: a T wave peaks later

/// First and last sample of a QRS.
struct QrsSamples
{
    std::size_t first = 0, last = 0;
};

/// The end of the T wave after a QRS, by the tangent (ecg_intervals.hpp), up to the next QRS or the
/// record's end: sets t_end_ms of the beat, or no_qt, which says why it is not known.
/// @param to       samples up to there are this beat's
/// @param another  whether a beat follows
/// @pre  onset_ms and end_ms of the beat are known
void find_t_end(const EcgRecord& r, const QrsSamples& qrs, std::size_t to, bool another,
                EcgBeat& b);

} // namespace tawara::analysis
