// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cli/calcium_command.hpp"

#include "engine/calcium/cells.hpp"
#include "engine/core/error.hpp"
#include "engine/device/stepper.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>

namespace tawara::cli {
namespace {

using namespace tawara::calcium;

struct CalciumArguments
{
    long cells = 0, steps = 11'000;
    std::vector<int> dyads{100, 10, 10};
    DeviceArguments device;
};

/// Seconds of whole steps, paced at 500 ms from the state "paced".
template <class Real>
double measure(const CalciumArguments& a, const Grid& grid, unsigned threads,
               const Progress& progress)
{
    constexpr double dt_ms = 0.05, period_ms = 500, start_ms = 50, duration_ms = 0.5;
    const auto count = static_cast<std::size_t>(a.cells);
    Cells<Real> cells(CellModel<Real>({}, grid, dt_ms), count, 1);
    cells.begin(start_named("paced"));
    ThreadPool pool(threads);
    const std::vector<double> pulse(count, 80.0);
    const auto began = std::chrono::steady_clock::now();
    for (long k = 0; k < a.steps; ++k) {
        const double t = std::fmod((static_cast<double>(k) + 0.5) * dt_ms, period_ms) - start_ms;
        cells.advance(pool, k,
                      t >= 0 && t < duration_ms ? std::span<const double>(pulse)
                                                : std::span<const double>());
        if (k % 100 == 0)
            progress.at(static_cast<double>(k) / static_cast<double>(a.steps), "measuring");
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

void bench(Context& c, CalciumArguments a)
{
    const auto precision = a.device.precision;
    if (precision != "double" && precision != "mixed")
        throw InputError("--precision", "is '" + precision +
                                            "'; with dyads it should be double or "
                                            "mixed");
    if (a.device.devices != "auto" && a.device.devices != "cpu")
        throw InputError("--devices", "is '" + a.device.devices +
                                          "'; cells with dyads are computed on the CPU (cpu)");
    const unsigned threads = a.device.threads > 0 ? a.device.threads : c.console().context.threads;
    if (a.cells == 0)
        a.cells = static_cast<long>(threads);
    if (a.cells < 1)
        throw InputError("--cells", "is " + std::to_string(a.cells) + "; it should be at least 1");
    if (a.steps < 1)
        throw InputError("--steps", "is " + std::to_string(a.steps) + "; it should be at least 1");
    const Grid grid = grid_of(a.dyads);
    membrane_constants({}, grid, 0.05); // says what is wrong with the grid
    const bool mixed = precision == "mixed";
    const auto bytes = mixed ? bytes_of_cell<float>(grid) : bytes_of_cell<double>(grid);
    const auto count = static_cast<double>(a.cells), steps = static_cast<double>(a.steps);
    char line[200];
    std::snprintf(line, sizeof line, "%ld cells of %lld dyads take %.2f MB", a.cells,
                  static_cast<long long>(grid.count()), count * static_cast<double>(bytes) / 1e6);
    c.notice({Notice::Level::info, line});
    const auto progress = c.progress();
    const double triad = device::measure_ceilings("cpu", threads).triad_GB_per_s;
    const double seconds = mixed ? measure<float>(a, grid, threads, progress)
                                 : measure<double>(a, grid, threads, progress);
    const double moved = 2 * static_cast<double>(bytes) * count * steps;
    const double ns = 1e9 * seconds * threads / (count * steps * static_cast<double>(grid.count()));
    std::snprintf(line, sizeof line,
                  "%ld steps in %.3f s: %.0f cell computations a second, %.2f ns a dyad, step and "
                  "thread (%u threads, %s); state in and out %.2f GB/s of triad's %.2f",
                  a.steps, seconds, count * steps / seconds, ns, threads, instruction_set().c_str(),
                  moved / seconds / 1e9, triad);
    c.say(line);
    c.result({{"bench", "calcium"},
              {"device", "cpu, " + instruction_set()},
              {"threads", threads},
              {"precision", precision},
              {"unknowns", a.cells},
              {"dyads", {grid.nx, grid.ny, grid.nz}},
              {"bytes_per_cell", bytes},
              {"steps", a.steps},
              {"seconds", seconds},
              {"unknown_steps_per_s", count * steps / seconds},
              {"ns_a_dyad_step_and_thread", ns},
              {"kernels",
               {{{"name", "cells with dyads"},
                 {"ms", 1e3 * seconds},
                 {"bytes", moved},
                 {"flops", nullptr},
                 {"ceiling_GB_per_s", triad},
                 {"fraction", moved / seconds / 1e9 / triad},
                 {"bound_by", nullptr}}}}});
}

} // namespace

void declare_calcium_bench(const Declaration& d, CLI::App& parent)
{
    auto a = std::make_shared<CalciumArguments>();
    auto* sub =
        d.command(parent, "calcium", "cells with stochastic dyads, paced; by default a beat",
                  [a](Context& c) { bench(c, *a); });
    sub->add_option("--cells", a->cells, "how many; 0: one a thread")->capture_default_str();
    sub->add_option("--dyads", a->dyads, "dyads of a cell: how many, or along x, y, z")
        ->delimiter(',')
        ->expected(1, 3)
        ->type_name("N|NX,NY,NZ")
        ->capture_default_str();
    sub->add_option("--steps", a->steps, "steps of 0.05 ms")->capture_default_str();
    a->device.declare(*sub);
}

} // namespace tawara::cli
