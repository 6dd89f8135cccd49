// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-bench-calcium-tissue N double|mixed|single [END_MS [DYADS [DEVICES]]]: a cube of N x N x N
// cells with stochastic dyads, 0.5 mm apart, stepped by 0.05 ms with diffusion; the cells at one
// side are stimulated at 1 ms. DYADS is a multiple of 100 (10000), DEVICES as --devices has them
// (cuda:0; cpu). Prints JSON lines: memory, then for each part of the run ms a step and cell
// computations (a cell, a step) per second, then the kernels and the maps.
#include "engine/calcium/cuda/reaction.hpp"
#include "engine/calcium/description.hpp"
#include "engine/calcium/paced_cell.hpp"
#include "engine/core/context.hpp"
#include "engine/device/stepper.hpp"
#include "engine/mesh/check.hpp"
#include "tests/bench/built_from.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

using namespace tawara;
using nlohmann::ordered_json;

namespace {

constexpr double dt_ms = 0.05, spacing_mm = 0.5;

struct Choice
{
    int side = 0;
    Precision precision = Precision::double_;
    double end_ms = 100;
    calcium::Grid grid;
    std::string devices = "cuda:0";
};

/// A cube whose vertices are the cells.
device::TissueProblem cube(const Choice& c)
{
    const double size = (c.side - 1) * spacing_mm;
    const auto m = mesh::slab({size, size, size}, spacing_mm);
    const std::vector<std::int32_t> region(m.tetrahedron_count(), 0);
    const std::array sigmas{diffusion::Conductivity{0.1334, 0.0176, 0.0176}};
    diffusion::Options o;
    o.scheme = diffusion::Scheme::p1;
    o.mass = diffusion::Mass::lumped;
    o.dt_ms = dt_ms;
    device::TissueProblem p;
    p.system = diffusion::assemble(m, mesh::face_neighbours(m),
                                   diffusion::diffusivities(m, region, sigmas, 140, 0.01), o);
    p.dt_ms = dt_ms;
    p.substeps = diffusion::choose_substeps(dt_ms, p.system.stable_dt_ms);
    calcium::make_dyads_known();
    device::CellGroup g;
    g.types.push_back(cell::make_cell_type(calcium::dyad_model, "", {}, {}));
    g.reaction = calcium::cuda::tissue_model({calcium::dyad_type(g.types[0])}, c.grid, 1);
    p.groups.push_back(std::move(g));
    p.group.assign(p.size(), 0);
    p.type.assign(p.size(), 0);
    for (std::size_t u = 0; u < p.size(); ++u)
        p.position_mm.push_back(m.vertex(u));
    return p;
}

device::StimulusSource at_one_side(const device::TissueProblem& p)
{
    device::StimulusSource s;
    s.amplitude_pA_per_pF = 80;
    s.start_ms = 1;
    s.duration_ms = 1;
    for (std::size_t u = 0; u < p.size(); ++u)
        if (p.position_mm[u][0] < 1.1)
            s.unknowns.push_back(static_cast<std::int32_t>(u));
    return s;
}

ordered_json kernels_of(const device::Stepper& s)
{
    ordered_json all = ordered_json::array();
    for (const auto& k : s.kernels())
        all.push_back({{"name", k.name},
                       {"ms_a_step", k.calls > 0 ? k.ms / static_cast<double>(s.step()) : 0},
                       {"GB_per_s", k.ms > 0 ? k.bytes / k.ms / 1e6 : 0}});
    return all;
}

void run(const Choice& c)
{
    const auto p = cube(c);
    device::StepperOptions o;
    o.devices = c.devices;
    o.precision = c.precision;
    o.threads = 2;
    o.tuning.timed_every = 128;
    const bool on_gpu = device::on_cuda(p, o);
    const double each =
        on_gpu ? calcium::cuda::tissue_bytes_of_cell(c.grid, c.precision == Precision::single) : 0;
    const auto begin = std::chrono::steady_clock::now();
    const auto seconds = [](auto from) {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
    };
    const auto s = device::make_stepper(p, o);
    s->add_stimulus(at_one_side(p));
    std::cout << ordered_json{{"bench", "calcium tissue"},
                              {"commit", bench::built_from},
                              {"compiler", TAWARA_COMPILER},
                              {"device", s->device()},
                              {"precision", name(c.precision)},
                              {"cells", p.size()},
                              {"dyads", c.grid.count()},
                              {"passes", std::max(p.substeps.stages, 1)},
                              {"device_bytes_of_cell", each},
                              {"device_bytes", each * static_cast<double>(p.size())},
                              {"begin_s", seconds(begin)}}
                     .dump()
              << std::endl;
    const auto steps = static_cast<std::int64_t>(std::llround(c.end_ms / dt_ms));
    const std::int64_t part = std::max<std::int64_t>(1, steps / 10);
    double all_s = 0;
    while (s->step() < steps) {
        const auto from = std::chrono::steady_clock::now();
        const auto n = std::min(part, steps - s->step());
        s->advance(n);
        const double spent = seconds(from);
        all_s += spent;
        std::cout << ordered_json{{"until_ms", s->time_ms()},
                                  {"ms_a_step", 1e3 * spent / static_cast<double>(n)},
                                  {"cell_computations_per_s",
                                   static_cast<double>(p.size()) * static_cast<double>(n) / spent}}
                         .dump()
                  << std::endl;
    }
    const auto maps = s->maps();
    const auto active = std::count_if(maps.activation_ms.begin(), maps.activation_ms.end(),
                                      [](double t) { return std::isfinite(t); });
    double last = 0;
    for (const double t : maps.activation_ms)
        last = std::isfinite(t) ? std::max(last, t) : last;
    std::cout << ordered_json{{"all_s", all_s},
                              {"ms_a_step", 1e3 * all_s / static_cast<double>(steps)},
                              {"cell_computations_per_s",
                               static_cast<double>(p.size()) * static_cast<double>(steps) / all_s},
                              {"kernels", kernels_of(*s)},
                              {"activated", active},
                              {"last_activation_ms", last}}
                     .dump()
              << std::endl;
}

Precision precision_of(const std::string& word)
{
    return word == "single"  ? Precision::single
           : word == "mixed" ? Precision::mixed
                             : Precision::double_;
}

} // namespace

int main(int argc, char** argv)
{
    Choice c;
    c.side = argc > 1 ? std::atoi(argv[1]) : 0;
    if (argc < 3 || c.side < 2) {
        std::cerr << "usage: tawara-bench-calcium-tissue N double|mixed|single [END_MS [DYADS "
                     "[DEVICES]]]\n";
        return 2;
    }
    try {
        c.precision = precision_of(argv[2]);
        c.end_ms = argc > 3 ? std::atof(argv[3]) : 100;
        const int dyads = argc > 4 ? std::atoi(argv[4]) : 10'000;
        c.grid = calcium::grid_of(std::span(&dyads, 1));
        if (argc > 5)
            c.devices = argv[5];
        run(c);
    } catch (const std::exception& e) {
        std::cerr << e.what() << "\n";
        return 1;
    }
    return 0;
}
