// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/run/run_on.hpp"

#include "engine/core/error.hpp"
#include "engine/device/memory_plan.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tawara::simulation {
namespace {

void say(const RunOptions& o, const std::string& text)
{
    if (o.notice)
        o.notice({Notice::Level::warning, text});
}

/// @param last  nothing changes where it is empty
void go_on_from(RunOptions& o, const std::filesystem::path& last)
{
    if (last.empty())
        return;
    o.resume = last;
    o.branch = false;
}

std::string from_where(const RunOptions& o)
{
    return o.resume.empty() ? "from its start: there is no checkpoint"
                            : "from " + o.resume.string();
}

/// A run that has begun goes on from its newest checkpoint, in the precision of that.
/// @param tried  plans that had no room after all, since what a plan takes is an estimate
/// @param last   the newest checkpoint of the run that failed; empty: there is none
bool fit(RunOptions& o, const device::NoMemory& e, std::vector<device::MemoryPlan>& tried,
         const std::filesystem::path& last)
{
    const bool begun = !o.resume.empty() || !last.empty();
    const auto was_tried = [&](const device::MemoryPlan& plan) {
        return std::any_of(tried.begin(), tried.end(), [&](const device::MemoryPlan& t) {
            return t.devices == plan.devices && t.precision == plan.precision &&
                   t.maps == plan.maps;
        });
    };
    for (const auto& plan : e.plans)
        if ((!begun || plan.precision == o.device.precision) && !was_tried(plan)) {
            go_on_from(o, last);
            say(o, std::string(e.what()) + "; computed in " + plan.words +
                       (e.begun ? ", " + from_where(o) : ""));
            o.device.devices = plan.devices;
            o.device.precision = plan.precision;
            o.device.maps = plan.maps;
            o.device.tuning.shares.clear();
            tried.push_back(plan);
            return true;
        }
    return false;
}

/// @param last  the newest checkpoint of the run that failed; empty: there is none
bool outlive(RunOptions& o, const DeviceError& e, const std::filesystem::path& last)
{
    const auto plan =
        device::plan_without(e.device, o.device.devices, o.device.precision, device::usable_gpus());
    if (!plan) {
        say(o, "nothing can take over: the CPU has no mixed precision; give double or single");
        return false;
    }
    go_on_from(o, last);
    say(o, std::string(e.what()) + "; the run goes on with " + plan->words + ", " + from_where(o));
    o.device.devices = plan->devices;
    o.device.maps = true;
    o.device.tuning.shares.clear();
    return true;
}

} // namespace

RunReport run_on(const Session& session, RunOptions options, const RunOn& how,
                 const Progress& progress)
{
    std::filesystem::path last;
    std::vector<device::MemoryPlan> tried;
    options.left = [&last](const std::filesystem::path& checkpoint) { last = checkpoint; };
    for (;;)
        try {
            return run_session(session, options, progress);
        } catch (const DeviceError& e) {
            const auto* no_memory = dynamic_cast<const device::NoMemory*>(&e);
            if (no_memory != nullptr && how.fit && fit(options, *no_memory, tried, last))
                continue;
            // the CPU is the last one: its failures are the program's
            if (!how.outlive || options.device.devices.kind == device::Devices::Kind::cpu ||
                (no_memory != nullptr && !no_memory->begun) || !outlive(options, e, last))
                throw;
        }
}

} // namespace tawara::simulation
