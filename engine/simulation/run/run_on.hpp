// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/run/run.hpp"

namespace tawara::simulation {

/// What a run does where a device cannot do it, in place of its end. All of it is said.
struct RunOn
{
    /// Where a device has no memory, be it in the middle of the run, the first way that has room
    /// (device::plans_that_fit()): from the last checkpoint on, in its precision, or anew where
    /// there is none.
    bool fit = false;
    /// Where a device fails, from the last checkpoint on, or anew where there is none: on the other
    /// devices that were asked for, else on the CPU. So where its memory ends once its stepper was
    /// made; where there is no room for that, `fit` alone helps.
    bool outlive = false;
};

/// run_session(), and where that ends because of a device, again.
/// @throws as run_session(): where nothing is left that could take over, the device's error
RunReport run_on(const Session& session, RunOptions options, const RunOn& how,
                 const Progress& progress = {});

} // namespace tawara::simulation
