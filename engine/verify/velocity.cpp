// SPDX-License-Identifier: GPL-3.0-or-later
// Velocities of plane waves against spacing and step, for each scheme.
#include "engine/mesh/check.hpp"
#include "engine/simulation/tissue/mesh_errors.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"
#include "engine/verify/check.hpp"
#include "engine/verify/number.hpp"
#include "engine/verify/tissue_run.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

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

constexpr std::size_t along_fibres = 0, across_fibres = 1; ///< directions of waves

/// Mean edge of cubes that are cut into six: three edges, three diagonals of faces and one of the
/// cube, each as often as tetrahedra share it.
double mean_edge_mm(double spacing_mm)
{
    return mesh::grain(mesh::slab({1, 1, 1}, 1)).edge_mm * spacing_mm;
}

double on_bar(Bench& b, const Session& s, std::size_t direction, double spacing_mm)
{
    return simulation::velocity_on_mesh(s, s.regions[0], direction,
                                        mesh::Grain(mean_edge_mm(spacing_mm)), b.progress());
}

constexpr std::array asked_mm{0.1, 0.2}; ///< spacings that have rows

/// Waves of one way on bars and on a fine chain [m/s].
struct Waves
{
    std::vector<std::pair<double, double>> by_spacing; ///< [mm]
    double fine;
    double at(double spacing_mm) const
    {
        return std::find_if(by_spacing.begin(), by_spacing.end(),
                            [&](const auto& p) { return p.first == spacing_mm; })
            ->second;
    }
    double off_percent(double spacing_mm) const { return 100 * (at(spacing_mm) / fine - 1); }
    /// What a row says of them, e.g. "plane wave along the fibres, fvm, 0.1 mm: ..".
    std::string words(const char* along, const Way& w, double h) const
    {
        return std::string("plane wave ") + along + " the fibres, " + w.name + ", " + number(h) +
               " mm: " + number(at(h)) + " m/s against " + number(fine) + " on a fine chain";
    }
};

Waves waves(Bench& b, const Way& w, std::size_t direction, Chart& chart)
{
    static const std::vector<double> long_h{0.07, 0.1, 0.14, 0.2, 0.3, 0.4, 0.5};
    const std::vector<double> all =
        b.short_form() ? std::vector<double>(asked_mm.begin(), asked_mm.end()) : long_h;
    const auto s = tissue(w, 0.02);
    Waves out{{}, simulation::velocity_on_fine(s, s.regions[0], direction, b.progress())};
    for (const double h : all)
        out.by_spacing.emplace_back(h, on_bar(b, s, direction, h));
    chart.curves[w.name] = out.by_spacing;
    if (&w == &ways.back())
        for (const double h : all)
            chart.curves["fine chain of cells"].emplace_back(h, out.fine);
    return out;
}

/// The charts of a row: the last one of all ways has the curves of all.
std::vector<Chart> charts(const Chart& chart, const Way& w, double spacing_mm)
{
    return &w == &ways.back() && spacing_mm == asked_mm.back() ? std::vector{chart}
                                                               : std::vector<Chart>{};
}

void spacing(Bench& b)
{
    Chart chart{"Velocity along the fibres over spacing", "spacing [mm]", "velocity [m/s]", {}};
    for (const auto& w : ways) {
        const auto found = waves(b, w, along_fibres, chart);
        for (std::size_t k = 0; k < asked_mm.size(); ++k) {
            const double h = asked_mm[k];
            b.row({std::string("spacing.") + w.id + "." + number(h) + "mm",
                   found.words("along", w, h), "off by no more than was found for this scheme",
                   within(-w.most_off[k], w.most_off[k]), "%", charts(chart, w, h)},
                  found.off_percent(h));
        }
    }
}

/// Fronts are 0.11 mm wide across the fibres, so that each spacing is coarser there. What waves
/// lose by it is told by simulation::velocity_error(), between whose rows (half a width of the
/// front apart) it is good to 2 %.
void across(Bench& b)
{
    constexpr double told_within = 2;
    Chart chart{"Velocity across the fibres over spacing", "spacing [mm]", "velocity [m/s]", {}};
    for (const auto& w : ways) {
        const auto s = tissue(w, 0.02);
        const auto& sigma = s.regions[0].conductivity_S_per_m;
        const double width = simulation::front_width_mm(sigma.sheet, s);
        const auto found = waves(b, w, across_fibres, chart);
        for (const double h : asked_mm) {
            const double said = 100 * simulation::velocity_error(
                                          w.scheme, w.mass, w.currents, mean_edge_mm(h), width,
                                          simulation::conductivity_ratio(sigma.sheet, sigma.fibre));
            b.row({std::string("across.") + w.id + "." + number(h) + "mm",
                   found.words("across", w, h),
                   "what `tawara-cli mesh info` says of such edges, " + number(said) +
                       " %, give or take " + number(told_within) + " %",
                   within(said - told_within, said + told_within), "%", charts(chart, w, h)},
                  found.off_percent(h));
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
            curve.emplace_back(dt, on_bar(b, tissue(w, dt), along_fibres, 0.2));
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
         {"across", "the same of waves across the fibres, against what mesh info says", true,
          across, "this program: a chain of cells of at most 50 um, and the table of mesh info"},
         {"step", "each scheme with several time steps", true, step,
          "this program with the least step"}}};
}

} // namespace tawara::verify
