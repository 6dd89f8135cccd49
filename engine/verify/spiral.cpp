// SPDX-License-Identifier: GPL-3.0-or-later
// A spiral in a sheet has one singularity.
#include "engine/analysis/phase.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/simulation/observe/pacing.hpp"
#include "engine/simulation/simulation.hpp"
#include "engine/verify/check.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace tawara::verify {
namespace {

/// 60 mm of Aliev and Panfilov's tissue; S2 into half of it behind the wave of S1.
simulation::Session sheet()
{
    simulation::Session s;
    s.name = "sheet";
    s.mesh = simulation::MeshSlab{{60, 60, 1}, 1};
    s.scheme = diffusion::Scheme::p1;
    s.regions[0].model = "aliev_panfilov_1996";
    s.regions[0].conductivity_S_per_m = {0.14, 0.14, 0.14};
    s.regions[0].parameters = {{"t_unit", 4}};
    s.dt_ms = 0.1;
    s.end_ms = 900;
    simulation::Stimulus s1, s2;
    s1.name = "S1";
    s1.region = simulation::Box{{0, 0, 0}, {3, 60, 1}};
    s2.name = "S2";
    s2.region = simulation::Box{{0, 0, 0}, {60, 30, 1}};
    s2.start_ms = 210;
    for (auto* x : {&s1, &s2}) {
        x->duration_ms = 3;
        x->amplitude_pA_per_pF = 30;
    }
    s.stimuli = {s1, s2};
    return s;
}

void spiral(Bench& b)
{
    const auto s = sheet();
    simulation::Simulation sim(simulation::build_tissue(s, b.progress()),
                               {"cpu", Precision::double_, 0}, b.progress());
    simulation::Pacing pacing(sim, s.name, 10);
    sim.add(pacing);
    pacing.begin(s.stimuli);
    sim.plan_samples();
    const auto& t = sim.tissue();
    constexpr double from_ms = 450, every_ms = 25; // as long as a quarter of a turn
    constexpr double part = 0.45; // of the way from rest to peak is the middle of the plane
    std::vector<double> v(t.problem.size());
    std::vector<float> before, now(v.size()), phase(v.size());
    float low = INFINITY, high = -INFINITY;
    double frames = 0, one = 0;
    Chart chart{"Spiral in a sheet of 60 mm: its singularity's place", "x [mm]", "y [mm]", {}};
    while (sim.time_ms() < s.end_ms - 1e-9) {
        b.progress().at(sim.time_ms() / s.end_ms, "running");
        const auto until = sim.step() + std::llround(every_ms / s.dt_ms);
        while (sim.step() < until)
            sim.advance(until - sim.step());
        sim.stepper().potential(v);
        std::transform(v.begin(), v.end(), now.begin(),
                       [](double x) { return static_cast<float>(x); });
        const auto [least, most] = std::minmax_element(now.begin(), now.end());
        low = std::min(low, *least), high = std::max(high, *most);
        if (sim.time_ms() >= from_ms) {
            const auto centre = low + static_cast<float>(part) * (high - low);
            analysis::phases(now, before, centre, phase);
            const auto f = analysis::filaments(*t.mesh, t.neighbours, phase, now, before, centre);
            frames += 1;
            one += f.lines.size() == 1 ? 1 : 0;
            for (const auto& x : f.ends)
                chart.curves["places"].emplace_back(x[0], x[1]);
        }
        before = now;
    }
    b.row({"singularity",
           "part of the moments from 450 to 900 ms at which the sheet has exactly one filament (" +
               std::to_string(static_cast<int>(frames)) + " moments)",
           "one spiral turns there",
           at_least(95),
           "%",
           {chart}},
          100 * one / frames);
}

} // namespace

Group spiral_group()
{
    return {"spiral",
            "a simulated spiral",
            {{"singularity", "a spiral in a sheet has one singularity", true, spiral,
              "a spiral turns about one singularity (Gray et al., Nature 392:75, 1998)"}}};
}

} // namespace tawara::verify
