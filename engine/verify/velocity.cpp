// SPDX-License-Identifier: GPL-3.0-or-later
// Velocities of plane waves against spacing and step, for each scheme.
#include "engine/mesh/check.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"
#include "engine/verify/check.hpp"
#include "engine/verify/number.hpp"
#include "engine/verify/tissue_run.hpp"

#include <array>
#include <cmath>
#include <string>

namespace tawara::verify {
namespace {

using diffusion::Mass;
using diffusion::Scheme;
using simulation::IonicCurrents;
using simulation::Session;

struct Way
{
    const char *id, *name;
    Scheme scheme;
    Mass mass;
    IonicCurrents currents;
    /// By how much a wave may be off at 0.1 and 0.2 mm [%]: tissue's front is 0.31 mm wide along
    /// the fibres, and what each scheme does to it is in records/mesh-errors.jsonl.
    std::array<double, 2> most_off;
};
constexpr std::array<Way, 4> ways{
    {{"fvm", "fvm", Scheme::fvm, Mass::lumped, IonicCurrents::nodal, {3, 6}},
     {"p1_lumped", "p1, lumped mass", Scheme::p1, Mass::lumped, IonicCurrents::nodal, {5, 15}},
     {"p1_interpolated",
      "p1, interpolated currents",
      Scheme::p1,
      Mass::lumped,
      IonicCurrents::interpolated,
      {5, 8}},
     {"p1_consistent",
      "p1, consistent mass",
      Scheme::p1,
      Mass::consistent,
      IonicCurrents::nodal,
      {5, 8}}}};

Session tissue(const Way& w, double dt_ms)
{
    auto s = niederer_session(0.2, dt_ms);
    s.scheme = w.scheme;
    s.mass = w.mass;
    s.currents = w.currents;
    s.reaction = cell::Scheme::rush_larsen_light;
    return s;
}

double on_bar(Bench& b, const Session& s, double spacing_mm)
{
    // of cubes cut into six: three edges, three diagonals of faces' and one of the cube, each as
    // often as tetrahedra share it
    const auto cube = mesh::grain(mesh::slab({1, 1, 1}, 1));
    return simulation::velocity_on_mesh(s, s.regions[0], 0, mesh::Grain(cube.edge_mm * spacing_mm),
                                        b.progress());
}

void spacing(Bench& b)
{
    const std::vector<double> short_h{0.1, 0.2}, long_h{0.07, 0.1, 0.14, 0.2, 0.3, 0.4, 0.5};
    const auto& all = b.short_form() ? short_h : long_h;
    Chart chart{"Velocity along the fibres over spacing", "spacing [mm]", "velocity [m/s]", {}};
    for (const auto& w : ways) {
        const auto s = tissue(w, 0.02);
        const double fine = simulation::velocity_on_fine(s, s.regions[0], 0, b.progress());
        for (const double h : all)
            chart.curves[w.name].emplace_back(h, on_bar(b, s, h));
        if (&w == &ways.back())
            for (const double h : all)
                chart.curves["fine chain of cells"].emplace_back(h, fine);
        const std::array asked{0.1, 0.2};
        for (std::size_t k = 0; k < asked.size(); ++k)
            for (const auto& [h, v] : chart.curves[w.name])
                if (h == asked[k]) {
                    const bool last = &w == &ways.back() && k == 1;
                    b.row({std::string("spacing.") + w.id + "." + number(h) + "mm",
                           std::string("plane wave along the fibres, ") + w.name + ", " +
                               number(h) + " mm: " + number(v) + " m/s against " + number(fine) +
                               " on a fine chain",
                           "off by no more than was found for this scheme",
                           within(-w.most_off[k], w.most_off[k]), "%",
                           last ? std::vector{chart} : std::vector<Chart>{}},
                          100 * (v / fine - 1));
                }
    }
}

void step(Bench& b)
{
    Chart chart{
        "Velocity along the fibres over the time step, 0.2 mm", "step [ms]", "velocity [m/s]", {}};
    for (const auto& w : ways) {
        auto& curve = chart.curves[w.name];
        for (const double dt :
             b.short_form() ? std::vector{0.01, 0.05} : std::vector{0.005, 0.01, 0.02, 0.05})
            curve.emplace_back(dt, on_bar(b, tissue(w, dt), 0.2));
        const double least = curve.front().second;
        b.row({std::string("step.") + w.id + ".0.05ms",
               std::string("velocity with steps of 0.05 ms against ") +
                   number(curve.front().first) + " ms, " + w.name + ", 0.2 mm",
               "the largest step that the model's file calls good moves waves by little",
               within(-4, 4), "%", &w == &ways.back() ? std::vector{chart} : std::vector<Chart>{}},
              100 * (curve.back().second / least - 1));
    }
}

} // namespace

Group velocity_group()
{
    return {
        "velocity",
        "plane waves against spacing and step",
        {{"spacing", "each scheme on bars of several spacings against a fine chain of cells", true,
          spacing, "this program: a chain of cells of at most 50 um, and what was found before"},
         {"step", "each scheme with several time steps", true, step,
          "this program with the least step"}}};
}

} // namespace tawara::verify
