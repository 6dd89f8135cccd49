// SPDX-License-Identifier: GPL-3.0-or-later
// What a study will take: simulated time, wall time, disk.
#pragma once
#include "engine/study/new_study.hpp"
#include "engine/study/watch.hpp"

#include <cstdint>
#include <optional>

namespace tawara::study {

/// What is known of a study before its first run.
struct Forecast
{
    std::int64_t runs = 0;
    /// Of all runs together [ms]. Of sites it is the train S1 alone: how long a search is shows
    /// when one is done.
    double simulated_ms = 0;
    bool at_least = false; ///< simulated_ms is of a part
    /// What stays on disk [bytes]; nothing: known when one run is done, as of sites.
    std::optional<double> bytes;
};

/// How large the session's mesh is; 0: not known.
struct MeshCount
{
    double vertices = 0, tetrahedra = 0;
};

/// How many runs it makes.
std::int64_t runs_of(const NewStudy& s);
/// Of a study that is to be made of a session.
Forecast forecast(const NewStudy& s, const simulation::Session& session, const MeshCount& mesh);

/// @cost  reads the session of each run, of 1000 at most; the others are as these in the mean
/// @throws InputError as session_of()
Forecast forecast(const Study& s, const MeshCount& mesh);

/// How long what is left of a study takes [s]: the mean of the runs that are done, shared by those
/// that run at once; nothing where none is done, 0 where none is left.
/// @param at_once  runs; 0: as many as run now
std::optional<double> seconds_left(const StudyView& v, unsigned at_once);

} // namespace tawara::study
