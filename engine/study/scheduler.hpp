// SPDX-License-Identifier: GPL-3.0-or-later
// Who takes the runs of a study, and when.
#pragma once
#include "engine/device/stepper.hpp"
#include "engine/study/ledger.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tawara::study {

struct StudyOptions
{
    std::filesystem::path out; ///< folder of the study
    /// devices: "cpu", "auto", or a list as "cuda:0,1", of which each takes runs of its own.
    /// threads: of a run on the CPU; 0: one.
    device::StepperOptions device;
    bool precision_given = false; ///< else a session's own precision comes first
    unsigned at_once = 0;         ///< runs at once on a device; 0: as many as fit
    Share share;                  ///< of the runs, for job arrays and ranks
    bool failed_again = false;
    /// For each run that ends, a warning for one that fails or cannot go on from its checkpoint;
    /// one call at a time. May be empty.
    std::function<void(const Notice&)> notice;
    /// Where a run of this program stands: its number, a fraction of its stage [0, 1] and the
    /// stage's name. Called by several threads, several times a second. May be empty.
    std::function<void(std::int64_t run, double fraction, std::string_view stage)> run_progress;
};

struct StudyOutcome
{
    std::int64_t runs = 0, done = 0, planned = 0, running = 0; ///< in the ledger, at the end
    std::vector<LedgerRow> failed;
    double seconds = 0;
};

/// One of the places at which runs are computed.
struct Slot
{
    device::Devices devices;
    unsigned threads = 1;
};

/// The slots of this program: of a CPU as many as its threads make, of each GPU `at_once` (two: one
/// computes while the other is set up or written).
/// @param rank, ranks  of programs that share this machine (`mpirun`, `srun`): each has a share of
///                     threads, and GPUs in turn
std::vector<Slot> slots_of(const StudyOptions& o, unsigned threads, unsigned rank, unsigned ranks);

/// This program's place among those that mpirun or srun started on this machine, as they tell by
/// the environment; 0 of 1 otherwise.
struct LocalRank
{
    unsigned rank = 0, ranks = 1;
};
LocalRank local_rank();

/// Plans the study's runs in `out`/study.sqlite unless that was done, takes runs that are free
/// until there is none, and writes results.csv and report.html. Each run has a folder. A run that
/// another program has begun and not ended goes on from its newest checkpoint that is whole; where
/// it has some and none is, it begins anew, which `notice` is told.
///
/// What fails is kept in the ledger with its reason, and the others go on: a run fails, too, whose
/// folder is a link or no folder. When it is cancelled the
/// runs under way are free again.
/// Nothing outside of `out` is written or removed: a link under the name of a file is replaced.
/// In a run's folder what the run has written is removed where the study does not keep it, and
/// nothing else.
/// @throws InputError, before the first run, for a session of a run that is no good, a folder that
///         cannot be written, and a link in the place of the ledger; Cancelled
StudyOutcome run_study(const Study& s, const StudyOptions& o, const Progress& progress);

} // namespace tawara::study
