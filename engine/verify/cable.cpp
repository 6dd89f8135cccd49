// SPDX-License-Identifier: GPL-3.0-or-later
// The cable equation against Rall's solutions, and plane waves in tissue against a cable.
#include "engine/cable/step/cables.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/parse/model_text.hpp"
#include "engine/core/larger.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"
#include "engine/verify/check.hpp"
#include "engine/verify/number.hpp"
#include "engine/verify/tissue_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

namespace tawara::verify {
namespace {

constexpr double resistivity_ohm_cm = 100, tau_ms = 10;
constexpr const char* passive_text = R"([[model]]
name: passive
membrane.V = 0
membrane.x = 0

[engine]
time = 0 [ms] in [ms] bind time

[membrane]
dot(V) = -V / tau
    in [mV]
    label membrane_potential
tau = 10 [ms] in [ms]
dot(x) = -x / tau
)";

/// A membrane of a resistance alone: dV/dt = -V / tau.
cell::CellType passive()
{
    auto model = std::make_shared<cell::compiler::CellSystem>(
        cell::compiler::resolve(cell::compiler::parse_mmt(passive_text, "a passive membrane")));
    auto t = cell::compiler::cell_type(*model, "", {}, {});
    t.system = std::move(model);
    return t;
}

cable::Compartments straight(double length_um, double radius_um, int parts)
{
    const cable::Morphology m{
        {-1, 0}, {{0, 0, 0}, {1e-3 * length_um, 0, 0}}, {radius_um, radius_um}, {3, 3}};
    return cable::discretise(m, {length_um / parts * (1 + 1e-9), {resistivity_ohm_cm, 1.0}});
}

/// sqrt(R_m a / (2 R_i)), with R_m = tau / C_m and C_m = 1 uF/cm2 [um].
double space_constant_um(double radius_um)
{
    return 1e4 * std::sqrt(1e3 * tau_ms * 1e-4 * radius_um / (2 * resistivity_ohm_cm));
}

/// Rall's finite cable with sealed ends: V(x) = I cosh(L - x) / (G sinh L).
void finite_cable(Bench& b)
{
    constexpr double radius_um = 2, length = 1.2;
    const double lambda = space_constant_um(radius_um),
                 conductance_uS =
                     100 * std::numbers::pi * radius_um * radius_um / (resistivity_ohm_cm * lambda);
    Chart chart{"Rall's finite cable: error over spacing",
                "log10 of the spacing in space constants",
                "log10 of the error",
                {}};
    auto& curve = chart.curves["largest relative error"];
    for (const int parts : {8, 16, 32, 64}) {
        cable::CablesDescription d;
        d.compartments = straight(length * lambda, radius_um, parts);
        d.types = {passive()};
        d.scheme = cell::Scheme::forward_euler;
        d.dt_ms = 1e6; // backward Euler of V comes to the steady state at once
        cable::Cables<double> cables(d);
        const cable::NodeCurrent into{0, 1};
        for (int k = 0; k < 3; ++k)
            cables.advance(std::span(&into, 1), b.pool());
        double worst = 0;
        for (std::size_t i = 0; i < cables.nodes(); ++i) {
            const double x = d.compartments.from_root_um[i] / lambda,
                         due = std::cosh(length - x) / std::sinh(length) / conductance_uS;
            worst = larger_or_nan(
                worst, std::abs(cables.potential(static_cast<std::int32_t>(i)) - due) / due);
        }
        curve.emplace_back(std::log10(length / parts), std::log10(worst));
    }
    const auto n = curve.size();
    b.row({"rall.order",
           "order in space on a finite cable with sealed ends",
           "second order",
           within(1.95, 2.05),
           "",
           {chart}},
          (curve[n - 1].second - curve[n - 2].second) / (curve[n - 1].first - curve[n - 2].first));
    b.row({"rall.error", "largest relative error with 64 parts on 1.2 space constants",
           "Rall's solution", at_most(1e-4)},
          std::pow(10, curve.back().second));
}

/// Velocity on a cable of ten Tusscher's cells that has tissue's diffusivity along the fibres.
double cable_velocity(Bench& b, double diffusivity_mm2_per_ms, double step_um, double dt_ms)
{
    // D = a / (2 R_i C_m); 1 mm2/ms = 10 cm2/s, C_m = 1e-6 F/cm2
    const double radius_um = 1e4 * 10 * diffusivity_mm2_per_ms * 2 * resistivity_ohm_cm * 1e-6;
    constexpr double length_um = 15000;
    cable::CablesDescription d;
    d.compartments =
        straight(length_um, radius_um, static_cast<int>(std::lround(length_um / step_um)));
    d.types = {cell::make_cell_type("ten_tusscher_2006", "epi", {}, {})};
    d.dt_ms = dt_ms;
    d.second_order = true;
    cable::Cables<double> cables(d);
    const auto node = [&](double part) {
        return static_cast<std::int32_t>(
            std::lround(part * static_cast<double>(cables.nodes() - 1)));
    };
    std::vector<cable::NodeCurrent> pulse; // 50 pA/pF for 2 ms in the first millimetre
    for (std::int32_t i = 0; d.compartments.from_root_um[static_cast<std::size_t>(i)] < 1000; ++i)
        pulse.push_back(
            {i, 1e-3 * 50 * 1e3 * d.compartments.capacitance_nF[static_cast<std::size_t>(i)]});
    const std::array places{node(0.4), node(0.8)};
    std::array<double, 2> at{NAN, NAN}, before{-85, -85};
    while (std::isnan(at[1]) && cables.time_ms() < 100) {
        b.progress().at(0, "running");
        cables.advance(cables.time_ms() < 2 ? std::span<const cable::NodeCurrent>(pulse)
                                            : std::span<const cable::NodeCurrent>(),
                       b.pool());
        for (std::size_t k = 0; k < 2; ++k) {
            const double v = cables.potential(places[k]);
            if (std::isnan(at[k]) && before[k] < 0 && v >= 0)
                at[k] = cables.time_ms() - dt_ms * v / (v - before[k]);
            before[k] = v;
        }
    }
    const auto place = [&](std::size_t k) {
        return 1e-3 * d.compartments.from_root_um[static_cast<std::size_t>(places[k])];
    };
    return (place(1) - place(0)) / (at[1] - at[0]);
}

void plane_wave(Bench& b)
{
    auto s = niederer_session(0.1, 0.01);
    s.scheme = diffusion::Scheme::fvm;
    s.mass = diffusion::Mass::lumped;
    s.reaction = cell::Scheme::rush_larsen_light;
    const double diffusivity = s.regions[0].conductivity_S_per_m.fibre /
                               (s.surface_to_volume_per_mm * 0.01 * s.capacitance_uF_per_cm2);
    const double on_cable = cable_velocity(b, diffusivity, 50, 0.005);
    const double chain = simulation::velocity_on_fine(s, s.regions[0], 0, b.progress());
    b.row({"plane_wave.chain",
           "velocity of a chain of tissue's cells against a cable of the same diffusivity (" +
               number(chain) + " and " + number(on_cable) + " m/s)",
           "one equation, solved by two independent parts of the program", within(-2, 2), "%"},
          100 * (chain / on_cable - 1));
    const double bar =
        simulation::velocity_on_mesh(s, s.regions[0], 0, mesh::Grain(0.12), b.progress());
    b.row({"plane_wave.fvm",
           "velocity of a plane wave in a bar, fvm, 0.1 mm, against that cable (" + number(bar) +
               " and " + number(on_cable) + " m/s)",
           "one equation, solved by two independent parts of the program", within(-4, 4), "%"},
          100 * (bar / on_cable - 1));
}

} // namespace

Group cable_group()
{
    return {"cable",
            "the cable equation, and plane waves against it",
            {{"rall", "a finite cable against Rall's solution", true, finite_cable,
              "Rall, Exp Neurol 1:491 (1959)"},
             {"plane_wave", "plane waves in tissue against a cable", true, plane_wave,
              "this program: its cables, which share no operator with tissue"}}};
}

} // namespace tawara::verify
