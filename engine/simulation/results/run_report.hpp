// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/error.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/units.hpp"
#include "engine/device/stepper.hpp"

#include <array>
#include <filesystem>
#include <functional>
#include <string>

/// What a run is asked for, and what it was.
namespace tawara::simulation {

struct RunOptions
{
    std::filesystem::path out; ///< output folder
    std::string session_file;  ///< named in errors and in the report
    device::StepperOptions device;
    double until_ms = -1;         ///< end in place of the session's; < 0: the session's
    std::filesystem::path html;   ///< report of one page for people (.html); empty: none
    std::filesystem::path resume; ///< checkpoint; empty: from the start
    /// The run branches off from it: parameters, drugs, conductivities, schemes may be others than
    /// its, and maps begin there.
    bool branch = false;
    /// Also the bytes that the device's hardware counters count, or in the report why they do not.
    bool counters = false;
    /// Why the device's ceilings are not to be measured at the end; empty: they are, in a
    /// run that comes to its end.
    std::string no_ceilings;
    /// A small picture of the end, picture.png.
    enum class Picture {
        none,
        activation, ///< V where nothing was activated
        potential
    } picture = Picture::none;
    /// The command that makes the run with options as they are now go on from a checkpoint; it
    /// gives an empty text where none does. May be empty: the caller has no commands.
    std::function<std::string(const RunOptions& now, const std::filesystem::path& checkpoint)>
        go_on_by;
    /// Is told, where the run does not come to its end, of its last checkpoint; may be empty.
    std::function<void(const std::filesystem::path& checkpoint)> left;
    std::function<void(const Notice&)> notice; ///< remarks as they come up; may be empty
    /// Asked before results and checkpoints are written: whether the folder is still this run's.
    /// Where it is not, the run ends by TakenOver. May be empty: it is.
    std::function<bool()> is_ours;
};

/// Another program has taken the run: no more was written into its folder.
struct TakenOver : Error
{
    TakenOver() : Error("another program has taken the run") {}
};

/// @throws TakenOver
inline void need_ours(const RunOptions& o)
{
    if (o.is_ours && !o.is_ours())
        throw TakenOver();
}

/// What a run was and took: the content of report.json.
struct RunReport
{
    std::string json; ///< the report as JSON text
    std::int64_t unknowns = 0, steps = 0;
    double seconds = 0; ///< of stepping
    double cell_steps_per_s = 0;
    /// Of `steps`, those that Newton's method solved: fewer where some were long ones together; -1:
    /// none was solved so.
    std::int64_t solved_steps = -1;
    double cell_steps_solved_per_s = 0;
    double last_activation_ms = 0;
    bool maps_known = true; ///< else nobody knows what was activated
    std::int64_t activated = 0;
    /// Of conduction [m/s]: 5th, 50th and 95th percentile by volume (conduction_velocity()); NaN
    /// where there is none.
    std::array<double, 3> velocity_m_per_s{};
    Notices notices; ///< what the pulses of a run to its end did; in `json` too
};

} // namespace tawara::simulation
