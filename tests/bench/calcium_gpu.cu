// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-bench-calcium-gpu CELLS double|mixed [END_MS [SHARES [GPUS]]]: cell computations (a cell,
// a step of 0.05 ms) per second of cells of 10 000 dyads, over a beat of 500 ms or its beginning,
// in SHARES that go round the first GPUS devices (1 and 1); a JSON line. In every 10 ms the first
// steps are timed kernel by kernel, the others as graphs.
#include "engine/calcium/cuda/cells.cuh"
#include "engine/device/cuda/backend.hpp"
#include "tests/bench/built_from.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace tawara;
using namespace tawara::calcium;
using device::cuda::Event;
using nlohmann::ordered_json;

namespace {

constexpr double dt = 0.05;
constexpr std::int64_t per_ms = 20, chunk = 10 * per_ms, apart = 10;

struct Part
{
    double until_ms;
    const char* name;
    double graph_ms = 0, dyads_ms = 0, cells_ms = 0; ///< of graphs; of kernels timed alone
    std::int64_t steps = 0, steps_apart = 0;

    /// A line's figures.
    /// @param bytes  to and from memory that a step takes at least
    ordered_json figures(std::size_t cells, double bytes, double triad_GB_per_s) const
    {
        const double seconds = 1e-3 * graph_ms / static_cast<double>(steps);
        const double dyads_s = 1e-3 * dyads_ms / static_cast<double>(steps_apart);
        const double cells_s = 1e-3 * cells_ms / static_cast<double>(steps_apart);
        return {{"cell_computations_per_s", static_cast<double>(cells) / seconds},
                {"step_us", 1e6 * seconds},
                {"dyads_us", 1e6 * dyads_s},
                {"cells_us", 1e6 * cells_s},
                {"fraction_dyads", dyads_s / (dyads_s + cells_s)},
                {"of_triad", bytes / seconds / 1e9 / triad_GB_per_s}};
    }
};

/// Enqueues `apart` steps kernel by kernel and adds what these took.
template <class Real>
void time_kernels(cuda::DeviceCells<Real>& cells, Part& part)
{
    const auto s = cells.stream();
    std::vector<Event> events;
    events.reserve(2 * apart + 1);
    cells.enqueue_begin(s);
    events.emplace_back(s.device, true).record(s);
    for (std::int64_t k = 0; k < apart; ++k) {
        cells.enqueue_dyads(s);
        events.emplace_back(s.device, true).record(s);
        if (k + 1 < apart)
            cells.enqueue_between(s);
        else
            cells.enqueue_end(s);
        events.emplace_back(s.device, true).record(s);
    }
    s.synchronize();
    for (std::size_t k = 0; k + 2 < events.size(); k += 2) {
        part.dyads_ms += static_cast<double>(events[k + 1].since(events[k]));
        part.cells_ms += static_cast<double>(events[k + 2].since(events[k + 1]));
    }
}

template <class Real>
void run(std::size_t count, double end_ms, std::size_t shares, int gpus)
{
    const auto ceilings = device::cuda::measure_ceilings(0);
    const Grid grid;
    std::vector<int> devices(shares);
    for (std::size_t k = 0; k < shares; ++k)
        devices[k] = static_cast<int>(k) % gpus;
    cuda::Cells<Real> cells(CellModel<Real>(Parameters{}, grid, dt), count, 1, devices);
    cuda::Timetable timetable;
    timetable.pulse_first = 50 * per_ms;
    timetable.pulse_steps = per_ms / 2;
    timetable.period = 500 * per_ms;
    const std::vector<double> stimulus(count, 80.0);
    cells.set_timetable(timetable, stimulus);
    cells.begin(start_named("paced"));
    cells.advance(0, 2 * chunk); // warms up
    cells.begin(start_named("paced"));
    std::array<Part, 5> parts{{{50, "rest"},
                               {70, "release"},
                               {150, "plateau"},
                               {300, "repolarisation"},
                               {500, "recovery"}}};
    std::size_t p = 0;
    Part all{};
    for (std::int64_t step = 0; static_cast<double>(step) * dt < end_ms; step += chunk) {
        p += static_cast<double>(step) * dt >= parts[p].until_ms ? 1 : 0;
        for (std::size_t d = 0; d < cells.devices(); ++d)
            time_kernels(cells.part(d), parts[p]);
        parts[p].steps_apart += apart;
        const auto before = std::chrono::steady_clock::now();
        cells.advance(step + apart, chunk - apart);
        cells.wait();
        const std::chrono::duration<double, std::milli> spent =
            std::chrono::steady_clock::now() - before;
        parts[p].graph_ms += spent.count();
        parts[p].steps += chunk - apart;
    }
    const auto dyads = static_cast<double>(grid.count());
    // all is read once, but activated and the counts written by few; what diffuses has two places
    const double bytes_a_dyad = 2 * static_cast<double>(DyadArrays<Real>::bytes) - 8;
    const double bytes = static_cast<double>(count) * dyads * bytes_a_dyad;
    ordered_json j{{"bench", "calcium gpu"},
                   {"commit", bench::built_from},
                   {"compiler", TAWARA_COMPILER},
                   {"precision", sizeof(Real) == 8 ? "double" : "mixed"},
                   {"cells", count},
                   {"shares", cells.devices()},
                   {"gpus", gpus},
                   {"dyads", grid.count()},
                   {"end_ms", end_ms},
                   {"device_bytes", cuda::device_bytes_of_cell(cells.model().layout) * count},
                   {"bytes_a_dyad_and_step", bytes_a_dyad},
                   {"triad_GB_per_s", ceilings.triad_GB_per_s}};
    for (const auto& x : parts) {
        if (x.steps == 0)
            continue;
        j[x.name] = x.figures(count, bytes, ceilings.triad_GB_per_s);
        all.graph_ms += x.graph_ms;
        all.dyads_ms += x.dyads_ms;
        all.cells_ms += x.cells_ms;
        all.steps += x.steps;
        all.steps_apart += x.steps_apart;
    }
    j["all"] = all.figures(count, bytes, ceilings.triad_GB_per_s);
    const auto o = cells.observed().at(0);
    j["end"] = {{"v_mV", cells.cell(0).v}, {"c_myo_uM", 1e3 * o.c_myo}, {"c_jsr_mM", o.c_jsr}};
    std::cout << j.dump() << std::endl;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 3) {
        std::cerr
            << "usage: tawara-bench-calcium-gpu CELLS double|mixed [END_MS [SHARES [GPUS]]]\n";
        return 2;
    }
    const auto count = static_cast<std::size_t>(std::atoll(argv[1]));
    const double end_ms = argc > 3 ? std::atof(argv[3]) : 500;
    const auto shares = static_cast<std::size_t>(argc > 4 ? std::atoll(argv[4]) : 1);
    const int gpus = argc > 5 ? std::atoi(argv[5]) : 1;
    try {
        if (std::string(argv[2]) == "double")
            run<double>(count, end_ms, shares, gpus);
        else
            run<float>(count, end_ms, shares, gpus);
    } catch (const std::exception& e) {
        std::cerr << e.what() << "\n";
        return 1;
    }
    return 0;
}
