// SPDX-License-Identifier: GPL-3.0-or-later
// What a study's runs are called, for people.
#pragma once
#include "engine/study/watch.hpp"

#include <QColor>
#include <QString>

#include <array>
#include <optional>
#include <vector>

namespace tawara {

/// A text of the study's words in the user's language.
QString studyWords(const char* text);
/// The segment that a run's site is named by, from 0; nothing: none.
std::optional<std::size_t> namedSegment(const study::RunView& r);

/// Whether any of a study's sites is known to lie in an AHA segment.
bool sitesInSegments(const study::StudyView& v);

/// "planned", "running", "interrupted", "done", "failed", and what that means for a run.
QString runStateName(const study::RunView& r);
QString runStateMeaning(const study::RunView& r);
QColor runStateColor(const study::RunView& r);

/// "sustained", "non-sustained", "no re-entry": an outcome for people; its colour.
QString outcomeName(study::Outcome o);
QColor outcomeColor(study::Outcome o);

/// "45 s", "12 min", "3 h 20 min": how long something takes.
QString durationText(double seconds);
/// "34 MB": how large something is.
QString bytesText(double bytes);

/// What the AHA segments of a study came to, of one combination of what runs differ by.
struct SegmentOutcomes
{
    QString combination; ///< "0.2, epi"; empty: the study has but one
    std::array<std::optional<study::Outcome>, 17> before, after; ///< worst of a segment's sites
    std::array<bool, 17> searched{};                             ///< a site there is being searched
    bool ablated = false;                                        ///< some sites were searched again
};
std::vector<SegmentOutcomes> segmentOutcomes(const study::StudyView& v);

} // namespace tawara
