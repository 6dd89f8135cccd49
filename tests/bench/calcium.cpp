// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-bench-calcium: cells with stochastic dyads, a JSON line a case.
//     tawara-bench-calcium speed [CELLS] [THREADS]   time of a dyad's step by processor time
//     tawara-bench-calcium CASE [SEEDS]              figures that calcium's validation lists; cases
//                                                    are in `cases` and `early_cases` below, "all"
//                                                    takes each, "early" the latter
#include "engine/calcium/paced_cell.hpp"
#include "tests/bench/built_from.hpp"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

using namespace tawara;
using namespace tawara::calcium;
using nlohmann::ordered_json;

namespace {

double processor_seconds()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

ordered_json line(const std::string& bench)
{
    return {{"bench", "calcium " + bench},
            {"commit", bench::built_from},
            {"compiler", TAWARA_COMPILER},
            {"instruction_set", instruction_set()}};
}

/// One beat of `count` cells: processor time of a dyad's step, in all and by parts of the beat.
template <class Real>
void speed(std::size_t count, unsigned threads)
{
    constexpr double dt = 0.05;
    const Grid grid;
    Parameters p;
    Cells<Real> cells(CellModel<Real>(p, grid, dt), count, 1);
    cells.begin(start_named("paced"));
    ThreadPool pool(threads);
    std::vector<double> pulse(count, 80.0);
    const std::map<double, const char*> parts{
        {50, "rest"}, {100, "release"}, {300, "plateau"}, {500, "recovery"}, {550, "next_release"}};
    auto j = line("speed");
    j["precision"] = sizeof(Real) == 8 ? "double" : "mixed";
    j["cells"] = count;
    j["threads"] = threads;
    j["bytes"] = bytes_of_cell<Real>(grid) * count;
    std::int64_t step = 0;
    double all = 0, wall = 0, steps = 0;
    for (const auto& [until_ms, name] : parts) {
        const double before = processor_seconds();
        const auto began = std::chrono::steady_clock::now();
        const auto first = step;
        for (; static_cast<double>(step) * dt < until_ms; ++step) {
            const double t = std::fmod(static_cast<double>(step) * dt, 500);
            cells.advance(pool, step,
                          t >= 50 && t < 50.5 ? std::span<const double>(pulse)
                                              : std::span<const double>());
        }
        const double spent = processor_seconds() - before;
        const double dyad_steps =
            static_cast<double>(step - first) * 1e4 * static_cast<double>(count);
        j["ns_a_dyad_and_step"][name] = 1e9 * spent / dyad_steps;
        if (until_ms <= 500) { // a whole cycle
            all += spent;
            steps += dyad_steps;
            wall += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        }
    }
    j["ns_a_dyad_and_step"]["beat"] = 1e9 * all / steps;
    j["cell_computations_per_s"] = steps / 1e4 / wall;
    std::cout << j.dump() << std::endl;
}

struct Case
{
    PacedCellOptions options;
    std::size_t beat = 0;         ///< row of PacedCellResult::calcium that is looked at
    std::vector<double> times_ms; ///< samples that are told
};

PacedCellOptions usual(const Grid& grid, double end_ms)
{
    PacedCellOptions o;
    o.grid = grid;
    o.start = &start_named("paced");
    o.end_ms = end_ms;
    o.protocol.duration_ms = 0.55; // what the figures to compare with show that they were made with
    return o;
}

PacedCellOptions forced(const Grid& grid, const char* variant)
{
    auto o = usual(grid, 600);
    o.parameters = parameters_of(variant_named(variant));
    o.start = &start_named(variant_named(variant).start);
    o.protocol.amplitude_pA_per_pF = 0;
    o.protocol.forced_from_ms = 50;
    o.protocol.forced_until_ms = 150;
    return o;
}

PacedCellOptions paced(double bcl_ms, double beats)
{
    auto o = usual({100, 1, 1}, 50 + beats * bcl_ms);
    o.parameters.sums_over_all = 0;
    o.parameters.refractory = 0.95 * bcl_ms;
    o.protocol.period_ms = bcl_ms;
    return o;
}

PacedCellOptions finer(double dt_ms)
{
    auto o = usual({100, 1, 1}, 2050);
    o.parameters.sums_over_all = 0;
    o.dt_ms = dt_ms;
    return o;
}

/// Where the figures of other cycles, steps and of low I_K1 begin: O'Hara-Rudy's own initial
/// values, then 76 beats at 500 ms, as 100 dyads; means over these for all dyads.
const Start& early(const char* variant)
{
    static std::map<std::string, Start> known;
    if (const auto at = known.find(variant); at != known.end())
        return at->second;
    Start s{"early",
            "76 beats at 500 ms from initial values",
            {.v = -87,
             .Na_i = 7,
             .K_i = 145,
             .m = 0,
             .hf = 1,
             .hs = 1,
             .j = 1,
             .hsp = 1,
             .jp = 1,
             .mL = 0,
             .hL = 1,
             .hLp = 1,
             .a = 0,
             .iF = 1,
             .iS = 1,
             .ap = 0,
             .iFp = 1,
             .iSp = 1,
             .d = 0,
             .ff = 1,
             .fs = 1,
             .fcaf = 1,
             .fcas = 1,
             .jca = 1,
             .ffp = 1,
             .fcafp = 1,
             .xrf = 0,
             .xrs = 0,
             .xs1 = 0,
             .xs2 = 0,
             .xk1 = 1,
             .camk = 0},
            1e-4,
            1e-4,
            1.2,
            1.2,
            0,
            0.1};
    auto o = usual({100, 1, 1}, 76 * 500);
    o.parameters = parameters_of(variant_named(variant));
    o.parameters.sums_over_all = 0;
    o.start = &s;
    const auto r = run_paced_cell(o, {}, [](const Sample&) {});
    s.cell = r.final_cell;
    s.c_myo = r.final_dyads.c_myo;
    s.c_ss = r.final_dyads.c_ss;
    s.c_nsr = r.final_dyads.c_nsr;
    s.c_jsr = r.final_dyads.c_jsr;
    s.n_ca = r.final_dyads.n_ca;
    s.camk_t = r.final_dyads.camk_t;
    return known.emplace(variant, s).first->second;
}

/// The cases that begin there. A pulse lasts a step more than 0.5 ms.
std::map<std::string, Case> early_cases()
{
    std::map<std::string, Case> out;
    for (const double bcl : {2000., 1000., 700., 500., 400., 350., 300., 260., 240.}) {
        auto o = paced(bcl, 40);
        o.start = &early("healthy");
        out["early_bcl_" + std::to_string(static_cast<int>(bcl))] = {o, 40, {}};
    }
    for (const auto& [dt, name] :
         std::map<double, const char*>{{0.05, "50"}, {0.025, "25"}, {0.01, "10"}}) {
        auto o = finer(dt);
        o.end_ms = 5050;
        o.protocol.duration_ms = 0.5 + dt;
        o.start = &early("healthy");
        out[std::string("early_dt_us_") + name] = {o, 10, {}};
    }
    for (const Grid& grid : {Grid{100, 10, 5}, Grid{100, 15, 5}, Grid{100, 10, 10}}) {
        auto o = forced(grid, "low_IK1");
        o.start = &early("low_IK1");
        out["early_forced_low_IK1_" + std::to_string(grid.count())] = {o, 0, {}};
    }
    return out;
}

std::map<std::string, Case> cases()
{
    const Grid hundred{100, 1, 1}, thousand{100, 10, 1}, half{100, 10, 5}, whole{100, 10, 10};
    const Grid most{100, 10, 8};
    std::map<std::string, Case> out;
    const auto alone = [](PacedCellOptions o) {
        o.parameters.sums_over_all = 0;
        return o;
    };
    out["dyads_100"] = {alone(usual(hundred, 1550)), 3, {}};
    out["dyads_1000"] = {alone(usual(thousand, 1550)), 3, {}};
    out["whole"] = {usual(whole, 1050), 2, {560, 600, 650, 700, 750, 800, 900, 990}};
    out["of_whole_1000"] = {usual(thousand, 1050), 2, {}};
    out["of_whole_5000"] = {usual(half, 1050), 2, {}};
    const std::vector<double> times{60, 90, 110, 140, 160};
    out["forced_1000"] = {forced(thousand, "healthy"), 0, times};
    out["forced_5000"] = {forced(half, "healthy"), 0, times};
    out["forced_10000"] = {forced(whole, "healthy"), 0, times};
    out["forced_low_IK1_5000"] = {forced(half, "low_IK1"), 0, times};
    out["forced_low_IK1_8000"] = {forced(most, "low_IK1"), 0, times};
    out["forced_low_IK1_10000"] = {forced(whole, "low_IK1"), 0, times};
    auto iso = alone(usual(thousand, 2550));
    iso.parameters = parameters_of(variant_named("isoproterenol"));
    iso.parameters.g_K1 *= 0.4;
    iso.parameters.sums_over_all = 0;
    iso.start = &start_named("code");
    out["isoproterenol"] = {iso, 5, {}};
    auto iso_forced = forced(whole, "isoproterenol");
    iso_forced.parameters.g_K1 *= 0.4;
    out["forced_isoproterenol"] = {iso_forced, 0, {75}};
    auto mixed = usual(whole, 1050);
    mixed.mixed = true;
    out["whole_mixed"] = {mixed, 2, {560, 600, 650, 700, 750, 800, 900, 990}};
    auto mixed_1000 = alone(usual(thousand, 1550));
    mixed_1000.mixed = true;
    out["dyads_1000_mixed"] = {mixed_1000, 3, {}};
    auto apart = alone(usual(thousand, 1550));
    apart.parameters.D_myo = apart.parameters.D_ss = apart.parameters.D_nsr = 0;
    out["no_diffusion"] = {apart, 3, {}};
    auto isolated = alone(usual(thousand, 1550));
    isolated.parameters.closed = 1;
    out["closed_faces"] = {isolated, 3, {}};
    auto free = alone(usual(hundred, 1550));
    free.parameters.refractory = 0;
    out["no_gate"] = {free, 3, {}};
    for (const double bcl : {2000., 1000., 700., 500., 400., 350., 300., 260., 240.})
        out["bcl_" + std::to_string(static_cast<int>(bcl))] = {paced(bcl, 40), 40, {}};
    for (const auto& [dt, name] :
         std::map<double, const char*>{{0.05, "50"}, {0.025, "25"}, {0.01, "10"}})
        out[std::string("dt_us_") + name] = {finer(dt), 4, {}};
    return out;
}

void validate(const std::string& name, Case c, int seeds)
{
    for (int seed = 1; seed <= seeds; ++seed) {
        c.options.seed = static_cast<std::uint64_t>(seed);
        auto j = line(name);
        j["seed"] = seed;
        Progress progress;
        progress.context.threads = c.options.grid.count() < 1000 ? 1 : 2;
        ordered_json samples = ordered_json::array();
        const auto r = run_paced_cell(c.options, progress, [&](const Sample& s) {
            for (const double t : c.times_ms)
                if (std::abs(s.t_ms - t) < 0.01)
                    samples.push_back({{"t_ms", t},
                                       {"v_mV", s.cell.v},
                                       {"c_myo_uM", 1e3 * s.dyads.c_myo},
                                       {"c_jsr_mM", s.dyads.c_jsr}});
        });
        const auto& b = r.calcium.at(c.beat);
        std::optional<cell::ActionPotential> ap;
        for (const auto& x : r.beats)
            if (x.activation_ms >= b.start_ms)
                ap = ap ? ap : x;
        j["beat"] = {{"apd90_ms", ap ? ordered_json(ap->apd90_ms) : ordered_json(nullptr)},
                     {"v_most_mV", b.v_most_mV},
                     {"v_least_mV", b.v_least_mV},
                     {"upstroke_mV_per_ms", b.upstroke_mV_per_ms},
                     {"c_myo_rest_uM", b.c_myo_rest_uM},
                     {"c_myo_peak_uM", b.c_myo_peak_uM},
                     {"peak_after_ms", b.peak_after_ms},
                     {"c_jsr_most_mM", b.c_jsr_most_mM},
                     {"c_jsr_least_mM", b.c_jsr_least_mM},
                     {"i_CaL_peak", b.i_CaL_peak},
                     {"release_uM", b.release_uM},
                     {"influx_uM", b.influx_uM},
                     {"active_percent", b.active_percent},
                     {"largest_c_d_uM", b.largest_c_d_uM}};
        j["beats_begun"] = r.beats.size();
        j["end"] = {{"Na_i_mM", r.final_cell.Na_i},
                    {"K_i_mM", r.final_cell.K_i},
                    {"c_nsr_mM", r.final_dyads.c_nsr}};
        if (!samples.empty())
            j["samples"] = samples;
        std::cout << j.dump() << std::endl;
    }
}

/// One dyad at rest whose RyR are opened for one step.
void release_event(int seeds)
{
    for (int seed = 1; seed <= seeds; ++seed) {
        auto o = usual({1, 1, 1}, 60);
        o.seed = static_cast<std::uint64_t>(seed);
        o.protocol.amplitude_pA_per_pF = 0;
        o.protocol.forced_from_ms = 30;
        o.protocol.forced_until_ms = 30.05;
        o.sample_every_ms = 0.05;
        auto j = line("release_event");
        j["seed"] = seed;
        double before = 0, peak = 0, ss = 0, ss_at = 0, least = 10, least_at = 0, at_100 = 0,
               at_10 = 0;
        run_paced_cell(o, {}, [&](const Sample& s) {
            const double t = s.t_ms - 30;
            if (t < 0.01) {
                before = s.dyads.c_jsr;
                return;
            }
            peak = std::max(peak, s.dyads.c_d);
            if (s.dyads.c_ss > ss) {
                ss = s.dyads.c_ss;
                ss_at = t;
            }
            if (s.dyads.c_jsr < least) {
                least = s.dyads.c_jsr;
                least_at = t;
            }
            at_100 = s.dyads.c_d > 100 ? t : at_100;
            at_10 = s.dyads.c_d > 10 ? t : at_10;
        });
        j["c_jsr_before_mM"] = before;
        j["c_d_peak_uM"] = peak;
        j["c_d_above_100_until_ms"] = at_100;
        j["c_d_above_10_until_ms"] = at_10;
        j["c_ss_peak_uM"] = 1e3 * ss;
        j["c_ss_peak_at_ms"] = ss_at;
        j["c_jsr_least_mM"] = least;
        j["c_jsr_least_at_ms"] = least_at;
        std::cout << j.dump() << std::endl;
    }
}

/// How often a dyad has 5 open RyR or more in the second beat, coming from fewer.
void openings()
{
    const Grid grid;
    Cells<double> cells(CellModel<double>({}, grid, 0.05), 1, 1);
    cells.begin(start_named("paced"));
    ThreadPool pool(2);
    std::vector<bool> open(static_cast<std::size_t>(grid.count()));
    double count = 0;
    for (std::int64_t step = 0; step < 21'000; ++step) {
        const double t = std::fmod(0.05 * static_cast<double>(step) + 0.025, 500);
        const double stimulus = t >= 50 && t < 50.55 ? 80 : 0;
        cells.advance(pool, step, std::span(&stimulus, 1));
        const auto a = cells.dyads(0);
        for (std::size_t i = 0; i < open.size(); ++i) {
            count += step >= 11'000 && a.O1[i] >= 5 && !open[i] ? 1 : 0;
            open[i] = a.O1[i] >= 5;
        }
    }
    auto j = line("openings");
    j["a_dyad_and_beat"] = count / static_cast<double>(open.size());
    std::cout << j.dump() << std::endl;
}

} // namespace

int main(int argc, char** argv)
{
    const std::string what = argc > 1 ? argv[1] : "all";
    const auto number = [&](int k, int usual) { return argc > k ? std::atoi(argv[k]) : usual; };
    try {
        if (what == "speed") {
            const auto count = static_cast<std::size_t>(number(2, 1));
            const auto threads = static_cast<unsigned>(number(3, 1));
            speed<double>(count, threads);
            speed<float>(count, threads);
            return 0;
        }
        auto all = cases();
        if (what == "all" || what.starts_with("early"))
            all.merge(early_cases());
        for (const auto& [name, c] : all)
            if (what == "all" || what == name || (what == "early" && name.starts_with("early_")))
                validate(name, c, number(2, 1));
        if (what == "all" || what == "release_event")
            release_event(number(2, 1));
        if (what == "all" || what == "openings")
            openings();
    } catch (const std::exception& e) {
        std::cerr << e.what() << "\n";
        return 1;
    }
    return 0;
}
