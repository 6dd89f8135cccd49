// SPDX-License-Identifier: GPL-3.0-or-later
// Snapshots that no stepper may take over: the same for every back end.
#pragma once
#include "engine/core/error.hpp"
#include "engine/device/stepper.hpp"

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tawara::test {

using Spoil = std::function<void(device::Snapshot&)>;

/// What may be wrong with lengths and counters. @param rests  the tissue has long steps
inline std::vector<std::pair<std::string, Spoil>> bad_snapshots(bool rests)
{
    using device::Snapshot;
    std::vector<std::pair<std::string, Spoil>> bad{
        {"negative step", [](Snapshot& s) { s.step = -1000; }},
        {"endless step", [](Snapshot& s) { s.step = std::numeric_limits<std::int64_t>::max(); }},
        {"v too long", [](Snapshot& s) { s.v.push_back(0); }},
        {"a state too long", [](Snapshot& s) { s.states[0].assign(2'000'000, 42); }},
        {"a state too short", [](Snapshot& s) { s.states.back().pop_back(); }},
        {"a state too many", [](Snapshot& s) { s.states.push_back(s.v); }},
        {"activation too long", [](Snapshot& s) { s.activation_ms.assign(1'000'000, 1); }},
        {"no repolarisation", [](Snapshot& s) { s.repolarisation_ms.clear(); }},
        {"peak too short", [](Snapshot& s) { s.peak_mV.pop_back(); }},
        {"rest too long", [](Snapshot& s) { s.rest_mV.push_back(0); }},
    };
    const auto resting = [&](const char* name, double done, double length) {
        bad.emplace_back(name, [=](Snapshot& s) {
            s.quiescent.assign(s.v.size() + 2, 1);
            s.quiescent[0] = done;
            s.quiescent[1] = length;
        });
    };
    resting("no length", 1, 0); // a division by it
    resting("done more than its length", 5, 4);
    resting("half a step", 0.5, 4);
    resting("longer than any", 1, 1e9);
    resting("no number", 1, std::numeric_limits<double>::quiet_NaN());
    bad.emplace_back("resting too short", [](Snapshot& s) { s.quiescent = {1, 4}; });
    for (const double end :
         {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 1e5})
        bad.emplace_back("an end of " + std::to_string(end), [=](Snapshot& s) {
            s.quiescent.assign(2 * s.v.size() + 2, 1);
            s.quiescent[1] = 4;
            s.quiescent.back() = end;
        });
    bad.emplace_back("an end too few", [](Snapshot& s) {
        s.quiescent.assign(2 * s.v.size() + 1, 1);
        s.quiescent[1] = 4;
    });
    if (!rests)
        resting("rests where nothing does", 1, 4);
    return bad;
}

/// The first that a stepper takes over or changes it by; empty: none.
inline std::string takes_a_bad_snapshot(device::Stepper& stepper, bool rests)
{
    const auto good = stepper.snapshot();
    for (const auto& [name, spoil] : bad_snapshots(rests)) {
        auto s = good;
        spoil(s);
        try {
            stepper.restore(s);
            return name + " was taken";
        } catch (const InputError&) { // as it should be
        }
        if (const auto now = stepper.snapshot(); now.step != good.step || now.v != good.v)
            return name + " changed the state";
    }
    return {};
}

} // namespace tawara::test
