// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/restitution.hpp"

#include "engine/core/error.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/purkinje_keys.hpp"
#include "engine/study/study_keys.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::study {
namespace {

constexpr double shortest_ms = 20, longest_ms = 10000;
constexpr std::size_t most_intervals = 10000;

/// {"from_ms": 600, "to_ms": 250, "step_ms": 10}: both ends are among them, as far as steps meet.
std::vector<double> range_of(const std::filesystem::path& file, const std::string& at,
                             const nlohmann::ordered_json& v)
{
    const StudyKeys o(file, at, v, {"from_ms", "to_ms", "step_ms"});
    double from = 0, to = 0, step = 10;
    for (const char* key : {"from_ms", "to_ms"})
        if (!o.has(key))
            o.fail(std::string("/") + key, "is missing");
    o.number("from_ms", shortest_ms, longest_ms, "ms", from);
    o.number("to_ms", shortest_ms, longest_ms, "ms", to);
    o.number("step_ms", 1, longest_ms, "ms", step);
    constexpr double hair = 1e-9;
    const auto parts = std::floor(std::abs(from - to) / step + hair);
    std::vector<double> out;
    for (int k = 0; k <= static_cast<int>(parts); ++k)
        out.push_back(from + (to < from ? -step : step) * k);
    return out;
}

std::vector<double> intervals_of(const std::filesystem::path& file, const std::string& at,
                                 const StudyKeys& keys, const char* key)
{
    const auto where = std::string("/") + key;
    if (!keys.has(key))
        keys.fail(where, "is missing: a list of intervals in ms, or {\"from_ms\": 500, \"to_ms\": "
                         "250, \"step_ms\": 10}");
    const auto& v = keys[key];
    if (v.is_object())
        return range_of(file, at + where, v);
    if (!v.is_array() || v.empty() || v.size() > most_intervals)
        keys.fail(where, "must be a list of intervals in ms, or {\"from_ms\": 500, \"to_ms\": 250, "
                         "\"step_ms\": 10}");
    std::vector<double> out;
    for (const auto& x : v) {
        const auto place = where + "/" + std::to_string(out.size());
        if (!x.is_number() || !(x.get<double>() >= shortest_ms) || !(x.get<double>() <= longest_ms))
            keys.fail(place, x.dump() + " must be a number from 20 to 10000 ms");
        for (const double other : out)
            if (std::abs(other - x.get<double>()) < 1)
                keys.fail(place, x.dump() + " is less than 1 ms from another one; give each "
                                            "interval once");
        out.push_back(x.get<double>());
    }
    return out;
}

S1S2 read_s1s2(const std::filesystem::path& file, const nlohmann::ordered_json& v)
{
    const std::string at = "/restitution/s1s2";
    const StudyKeys keys(file, at, v, {"cycle_ms", "count", "couplings_ms"});
    S1S2 out;
    keys.number("cycle_ms", shortest_ms, longest_ms, "ms", out.cycle_ms);
    keys.count("count", 2, 10000, out.count);
    out.couplings_ms = intervals_of(file, at, keys, "couplings_ms");
    std::sort(out.couplings_ms.begin(), out.couplings_ms.end());
    return out;
}

DynamicPacing read_dynamic(const std::filesystem::path& file, const nlohmann::ordered_json& v)
{
    const std::string at = "/restitution/dynamic";
    const StudyKeys keys(file, at, v, {"cycles_ms", "count", "measured", "stop_at_alternans_ms"});
    DynamicPacing out;
    out.cycles_ms = intervals_of(file, at, keys, "cycles_ms");
    if (!std::is_sorted(out.cycles_ms.rbegin(), out.cycles_ms.rend()))
        keys.fail("/cycles_ms", "must become shorter from one to the next");
    keys.count("measured", 1, 100, out.measured);
    const int least = out.measured + 3; // one of another cycle, one that the next is seen after
    out.count = std::max(out.count, least);
    keys.count("count", least, 10000, out.count);
    if (keys.has("stop_at_alternans_ms")) {
        double limit = 0;
        keys.number("stop_at_alternans_ms", 0.1, longest_ms, "ms", limit);
        out.alternans = limit;
    }
    return out;
}

} // namespace

const char* name(PacingProtocol p)
{
    return p == PacingProtocol::dynamic ? "dynamic" : "s1s2";
}

Restitution read_restitution(const std::filesystem::path& file, const nlohmann::ordered_json& o)
{
    const StudyKeys keys(file, "/restitution", o, {"stimulus", "s1s2", "dynamic"});
    Restitution out;
    if (keys.has("stimulus") && keys["stimulus"].is_string()) {
        out.stimulus_name = keys["stimulus"].get<std::string>();
    } else {
        int number = 0;
        keys.count("stimulus", 0, 100000, number);
        out.stimulus = static_cast<std::size_t>(number);
    }
    if (!keys.has("s1s2") && !keys.has("dynamic"))
        keys.fail("", "wants s1s2 or dynamic, or both");
    if (keys.has("s1s2"))
        out.s1s2 = read_s1s2(file, keys["s1s2"]);
    if (keys.has("dynamic"))
        out.dynamic = read_dynamic(file, keys["dynamic"]);
    return out;
}

std::vector<PacingProtocol> protocols_of(const Restitution& r)
{
    std::vector<PacingProtocol> out;
    if (r.s1s2)
        out.push_back(PacingProtocol::s1s2);
    if (r.dynamic)
        out.push_back(PacingProtocol::dynamic);
    return out;
}

simulation::Stimulus pulse_of(const simulation::Session& s, const Restitution& r,
                              const std::filesystem::path& file)
{
    const auto fail = [&](const char* where, const std::string& why) {
        throw InputError(file.string(), where, why);
    };
    auto number = r.stimulus;
    if (!r.stimulus_name.empty())
        number = static_cast<std::size_t>(
            std::find_if(s.stimuli.begin(), s.stimuli.end(),
                         [&](const auto& x) { return x.name == r.stimulus_name; }) -
            s.stimuli.begin());
    if (number >= s.stimuli.size())
        fail("/restitution/stimulus",
             (r.stimulus_name.empty() ? std::to_string(number) : "'" + r.stimulus_name + "'") +
                 " is none of the session's " + std::to_string(s.stimuli.size()) +
                 " stimuli; give a name, or a number from 0 on");
    if (s.probes.empty())
        fail("/restitution", "the session needs a probe, where APD90 is measured; velocities need "
                             "a second one");
    if (s.purkinje->wanted)
        fail("/restitution", "the session has a Purkinje network, which beats by itself; leave it "
                             "out");
    auto pulse = s.stimuli[number];
    pulse.start_ms = 0;
    pulse.period_ms = 0;
    pulse.count = 1;
    pulse.on = true;
    pulse.protocol.reset();
    double least = longest_ms;
    if (r.s1s2)
        least = std::min({least, r.s1s2->couplings_ms.front(), r.s1s2->cycle_ms});
    if (r.dynamic)
        least = std::min(least, r.dynamic->cycles_ms.back());
    if (pulse.duration_ms + 2 > least)
        fail("/restitution", "a pulse takes " + simulation::number_text(pulse.duration_ms, 5) +
                                 " ms, too long for an interval of " +
                                 simulation::number_text(least, 5) +
                                 " ms, which has to be 2 ms longer");
    return pulse;
}

} // namespace tawara::study
