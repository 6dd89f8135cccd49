// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-bench-accuracy [MODEL[:VARIANT]...] : error of each scheme and step for the models that
// ship with the program, as one JSON record on standard output.
// tawara-bench-accuracy --pulses [MODEL[:VARIANT]...] : how many of 85 strong and weak pulses and
// trains each scheme steps to their end, and how many iterations backward Euler's steps take.
// tawara-bench-accuracy --rounding [MODEL[:VARIANT]...] : where the error of single precision comes
// from: states of a double precision run rounded one by one.
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/schemes/schemes.hpp"
#include "engine/core/error.hpp"
#include "tests/bench/built_from.hpp"
#include "tests/bench/compact_json.hpp"
#include "tests/cell_compiler/paced_beat.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

using namespace tawara;
using namespace tawara::cell;
using namespace tawara::cell::compiler;
using nlohmann::ordered_json;

namespace {

constexpr double steps_ms[] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1};
constexpr std::pair<double, const char*> single_steps_ms[] = {
    {0.002, "0.002"}, {0.005, "0.005"}, {0.02, "0.02"}};
constexpr double until_ms = 600, every_ms = 0.1, limit_percent = 1.5;

/// Three digits; null for what is not finite.
ordered_json number(double x)
{
    if (!std::isfinite(x))
        return nullptr;
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", x);
    return std::stod(text);
}

/// Does V stay finite under pulses of other strengths and lengths? Whether Newton's method finds
/// the upstroke depends on where in it a step begins.
bool takes_other_pulses(const PacedBeat<double>& beat, const CellType& type, double dt)
{
    constexpr double long_enough_ms = 12;
    const auto samples = static_cast<std::size_t>(std::llround(long_enough_ms / every_ms)) + 1;
    for (const auto& [amplitude, duration] : {std::pair{10., 5.}, {20., 2.}, {50., 2.}, {80., 0.5}})
        for (const double share : {0.94, 0.97, 1.0, 1.03}) {
            const Pulse pulse{share * amplitude, duration};
            if (beat.run(type.parameters, type.initial, pulse, dt, long_enough_ms, every_ms)
                    .size() < samples)
                return false;
        }
    return true;
}

/// A pulse, or a train of them, and the time until which it is followed [ms].
using Case = std::pair<Pulse, double>;

/// Of all steps of backward Euler in these cases, how many percent took so many iterations.
ordered_json newton_rounds(CellSystem s, const std::string& variant, const std::vector<Case>& cases,
                           double dt)
{
    constexpr std::pair<int, const char*> bins[] = {
        {1, "1"}, {2, "2"}, {3, "3"}, {8, "4 to 8"}, {23, "9 to 23"}, {40, "24 to 40"}};
    // a state more, whose rate is 0, tells their number
    s.states.push_back({"rounds", "bench.rounds", "1", "", 0, s.graph.constant(0), {}});
    const CellType type = cell_type(s, variant, {}, {});
    const auto options = PacedBeat<double>::options(s, 0);
    Program p = compile(CellSystem(s), Scheme::backward_euler, options);
    const auto counter = static_cast<std::uint32_t>(rounds_of_newton(p));
    p.next.back() = p.graph.symbol(symbol_id(Symbol::state, counter));
    std::array<double, std::size(bins)> counts{};
    double steps = 0, most = 0;
    const PacedBeat<double> beat(std::move(p));
    for (const auto& [pulse, until] : cases)
        beat.run(type.parameters, type.initial, pulse, dt, until, every_ms, {},
                 [&](std::span<const double> x) {
                     const auto* bin = std::find_if(std::begin(bins), std::end(bins) - 1,
                                                    [&](auto& b) { return x.back() <= b.first; });
                     counts[static_cast<std::size_t>(bin - bins)] += 1;
                     steps += 1;
                     most = std::max(most, x.back());
                 });
    ordered_json j{{"step_ms", dt}, {"most", most}};
    for (std::size_t k = 0; k < counts.size(); ++k)
        j["percent"][bins[k].second] = number(100 * counts[k] / steps);
    return j;
}

/// How many of many pulses end with V not finite, of each scheme at each step: 10 to 200 pA/pF
/// alone, and 50 pA/pF again and again, which meets each phase of a beat.
ordered_json pulses(const std::string& name, const std::string& variant)
{
    constexpr std::pair<double, double> alone[] = {{10, 5},    {20, 2}, {30, 1},   {50, 1},
                                                   {50, 2},    {52, 1}, {80, 0.5}, {120, 1},
                                                   {200, 0.5}, {9.5, 5}};
    constexpr double shares[] = {0.94, 0.955, 0.97, 0.985, 1, 1.015, 1.03, 1.045};
    constexpr double periods_ms[] = {20, 30, 50, 80, 110};
    std::vector<Case> all;
    for (const auto& [amplitude, duration] : alone)
        for (const double share : shares)
            all.push_back({{share * amplitude, duration}, 12});
    for (const double period : periods_ms)
        all.push_back({{50, 2, period}, 330});
    const CellSystem s = load_model(name);
    const CellType type = cell_type(s, variant, {}, {});
    ordered_json j{{"pulses", all.size()}};
    for (const Scheme scheme : {Scheme::rush_larsen_light, Scheme::grl1, Scheme::backward_euler}) {
        const PacedBeat<double> beat(s, scheme);
        auto& row = j["not_finite"][std::string(cell::name(scheme))];
        for (const double dt : steps_ms)
            if (dt >= 0.005)
                row.push_back(std::count_if(all.begin(), all.end(), [&](const auto& one) {
                    const auto& [pulse, until] = one;
                    const auto samples = static_cast<std::size_t>(std::llround(until / every_ms));
                    return beat.run(type.parameters, type.initial, pulse, dt, until, every_ms)
                               .size() <= samples;
                }));
    }
    for (const double dt : {0.02, 0.1})
        j["newton_iterations"].push_back(newton_rounds(s, variant, all, dt));
    return j;
}

/// One row of a scheme: RRMS at each step, over the whole beat and over its first 10 ms.
ordered_json scheme_row(const PacedBeat<double>& beat, const CellType& type, const Pulse& pulse,
                        const std::vector<double>& reference)
{
    ordered_json row;
    double largest = 0;
    bool within = true;
    for (const double dt : steps_ms) {
        const auto v = beat.run(type.parameters, type.initial, pulse, dt, until_ms, every_ms);
        const double rrms = rrms_percent(v, reference, reference.size());
        row["beat_percent"].push_back(number(rrms));
        row["first_10ms_percent"].push_back(number(rrms_percent(v, reference, 101)));
        within = within && rrms <= limit_percent && takes_other_pulses(beat, type, dt);
        if (within)
            largest = dt;
    }
    row["largest_step_ms"] = largest > 0 ? ordered_json(largest) : ordered_json(nullptr);
    return row;
}

ordered_json model(const std::string& name, const std::string& variant)
{
    const CellSystem s = load_model(name);
    const CellType type = cell_type(s, variant, {}, {});
    const Pulse pulse; // 52 pA/pF for 1 ms
    const Reference reference(s);
    const auto r =
        reference_beat(reference, type.parameters, type.initial, pulse, until_ms, every_ms, 1e-8);
    ordered_json j;
    j["states"] = s.states.size();
    for (const Scheme scheme : compiled_schemes()) {
        const PacedBeat<double> beat(s, scheme);
        j["schemes"][std::string(cell::name(scheme))] = scheme_row(beat, type, pulse, r);
    }
    // single against double precision, the same scheme and step
    for (const Scheme scheme : {Scheme::rush_larsen_light, Scheme::grl1, Scheme::grl2,
                                Scheme::backward_euler_single, Scheme::backward_euler}) {
        const PacedBeat<double> twice(s, scheme);
        const PacedBeat<float> once(s, scheme);
        for (const auto& [dt, text] : single_steps_ms) {
            const auto d = twice.run(type.parameters, type.initial, pulse, dt, until_ms, every_ms);
            const auto f = once.run(type.parameters, type.initial, pulse, dt, until_ms, every_ms);
            j["single_against_double_percent"][std::string(cell::name(scheme))][text] =
                number(rrms_percent(f, d, r.size()));
        }
    }
    return j;
}

/// Double precision with states rounded to single precision after each step, all and one by one.
ordered_json rounding(const std::string& name, const std::string& variant)
{
    const CellSystem s = load_model(name);
    const CellType type = cell_type(s, variant, {}, {});
    const Pulse pulse;
    constexpr std::size_t most = 5; // states listed
    constexpr double dt = 0.005;
    const auto samples = static_cast<std::size_t>(std::llround(until_ms / every_ms)) + 1;
    const auto run = [&](const auto& beat, std::span<const std::size_t> rounded = {}) {
        return beat.run(type.parameters, type.initial, pulse, dt, until_ms, every_ms, rounded);
    };
    Scheme scheme = Scheme::rush_larsen_light; // or what can step the model
    if (run(PacedBeat<double>(s, scheme)).size() < samples)
        scheme = Scheme::grl1;
    const PacedBeat<double> twice(s, scheme);
    const auto exact = run(twice);
    const auto error = [&](const std::vector<double>& v) {
        return rrms_percent(v, exact, samples);
    };
    std::vector<std::size_t> all;
    std::vector<std::pair<double, std::string>> one;
    for (std::size_t k = 0; k < s.states.size(); ++k) {
        all.push_back(k);
        one.emplace_back(error(run(twice, std::span(&all.back(), 1))), s.states[k].name);
    }
    std::sort(one.rbegin(), one.rend());
    ordered_json j{{"scheme", std::string(cell::name(scheme))}, {"dt_ms", dt}};
    j["single_percent"] = number(error(run(PacedBeat<float>(s, scheme))));
    j["all_states_rounded_percent"] = number(error(run(twice, all)));
    for (std::size_t k = 0; k < std::min(most, one.size()); ++k)
        j["one_state_rounded_percent"][one[k].second] = number(one[k].first);
    return j;
}

} // namespace

int main(int argc, char** argv)
{
    try {
        std::vector<std::string> names(argv + 1, argv + argc);
        const bool only_rounding = !names.empty() && names[0] == "--rounding";
        const bool only_pulses = !names.empty() && names[0] == "--pulses";
        if (only_rounding || only_pulses)
            names.erase(names.begin());
        if (names.empty())
            for (const auto& name : library_names()) {
                const CellSystem s = load_model(name);
                names.push_back(name);
                for (const auto& v : s.variants)
                    if (!v.parameters.empty() || !v.initial.empty()) // else the default
                        names.push_back(name + ":" + v.name);
            }
        ordered_json j;
        j["schema"] = 1;
        j["what"] =
            only_pulses
                ? "pulses that end with V not finite or beyond 1 V, of 85: 10 and 9.5 pA/pF for 5 "
                  "ms, 20 and 50 for 2, 30, 50, 52 and 120 for 1, 80 and 200 for 0.5, each in "
                  "eight "
                  "strengths from 0.94 to 1.045 times, followed for 12 ms; and 50 for 2 ms every "
                  "20, 30, 50, 80 and 110 ms for 330; steps of 0.005, 0.01, 0.02, 0.05, 0.1 ms. "
                  "newton_iterations: of backward Euler's steps in all of these cases"
            : only_rounding
                ? "RRMS of V, double precision with states rounded to single precision after each "
                  "step against double precision: all of them, and those with the largest effects "
                  "one by one; single: all in single precision. A beat of 600 ms "
                  "from the initial state, 52 pA/pF for the first ms"
                : "RRMS of V against CVODE (relative and absolute tolerance 1e-8), sampled every "
                  "0.1 ms over one beat of 600 ms from the initial state, 52 pA/pF for the first "
                  "ms; null: not finite or beyond 1 V; largest_step_ms keeps the beat within "
                  "1.5 %, V stays finite with other pulses (10 pA/pF for 5 ms, 20 and 50 for 2, 80 "
                  "for 0.5, and these less 6 and 3 and more 3 %), and so do all listed steps below "
                  "it. Single against double precision: "
                  "rounding grows with the number of steps, so 0.005 ms is worse than 0.02";
        j["commit"] = bench::built_from;
        if (!only_rounding && !only_pulses)
            j["steps_ms"] = steps_ms;
        for (const auto& n : names) {
            std::cerr << n << std::endl;
            const auto colon = n.find(':');
            const auto variant = colon == std::string::npos ? "" : n.substr(colon + 1);
            const auto what = only_pulses ? pulses : only_rounding ? rounding : model;
            j["models"][n] = what(n.substr(0, colon), variant);
        }
        tawara::bench::write_compact(std::cout, j);
        std::cout << std::endl;
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << '\n';
        return 2;
    }
}
