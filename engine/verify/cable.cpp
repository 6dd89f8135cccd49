// SPDX-License-Identifier: GPL-3.0-or-later
// The cable equation against Rall's solutions, the squid's axon, and plane waves in tissue against
// a cable. Systems on trees: tree_systems.cpp.
#include "engine/cable/io/read.hpp"
#include "engine/cable/step/run.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/parse/model_text.hpp"
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"
#include "engine/verify/check.hpp"
#include "engine/verify/number.hpp"
#include "engine/verify/tissue_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numbers>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

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

/// Of a cable that goes on for ever: 1 / (a space constant's axial resistance) [uS]
double endless_conductance_uS(double radius_um)
{
    return 100 * std::numbers::pi * radius_um * radius_um /
           (resistivity_ohm_cm * space_constant_um(radius_um));
}

/// V at the nodes while a steady current of 1 nA flows into the root [mV].
std::vector<double> steady_mV(Bench& b, const cable::Compartments& c)
{
    cable::CablesDescription d;
    d.compartments = c;
    d.types = {passive()};
    d.scheme = cell::Scheme::forward_euler;
    d.dt_ms = 1e6; // backward Euler of V comes to the steady state at once
    cable::Cables<double> cables(d);
    const cable::NodeCurrent into{0, 1};
    for (int k = 0; k < 3; ++k)
        cables.advance(std::span(&into, 1), b.pool());
    std::vector<double> v;
    for (std::size_t i = 0; i < cables.nodes(); ++i)
        v.push_back(cables.potential(static_cast<std::int32_t>(i)));
    return v;
}

/// Rall's finite cable with sealed ends: V(x) = I cosh(L - x) / (G sinh L).
void finite_cable(Bench& b)
{
    constexpr double radius_um = 2, length = 1.2;
    const double lambda = space_constant_um(radius_um);
    Chart chart{"Rall's finite cable: error over spacing",
                "log10 of the spacing in space constants",
                "log10 of the error",
                {}};
    auto& curve = chart.curves["largest relative error"];
    for (const int parts : {8, 16, 32, 64}) {
        const auto c = straight(length * lambda, radius_um, parts);
        const auto v = steady_mV(b, c);
        double worst = 0;
        for (std::size_t i = 0; i < v.size(); ++i) {
            const double x = c.from_root_um[i] / lambda, due = std::cosh(length - x) /
                                                               std::sinh(length) /
                                                               endless_conductance_uS(radius_um);
            worst = larger_or_nan(worst, std::abs(v[i] - due) / due);
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

/// A tree of two forks by the 3/2 power law, all of whose ends are 1.2 space constants from the
/// root, as the text of an SWC file. Each branch begins with a point on its fork.
constexpr double tree_length = 1.2, tree_root_um = 2, tree_thinnest_um = 0.7;
std::string rall_tree()
{
    struct End
    {
        int id;
        Vec3 um;
    };
    std::ostringstream out;
    out.precision(15);
    int id = 0;
    const auto point = [&](int parent, const Vec3& um, double radius_um) {
        out << ++id << " 3 " << um[0] << ' ' << um[1] << ' ' << um[2] << ' ' << radius_um << ' '
            << parent << '\n';
        return End{id, um};
    };
    const auto branch = [&](const End& from, double radius_um, double length, const Vec3& way) {
        const auto start = point(from.id, from.um, radius_um);
        return point(start.id, start.um + length * space_constant_um(radius_um) * way, radius_um);
    };
    const auto sister_um = [](double mother, double daughter) {
        return std::pow(std::pow(mother, 1.5) - std::pow(daughter, 1.5), 2.0 / 3);
    };
    constexpr double second_um = 1.2;
    const auto fork = branch(point(-1, {0, 0, 0}, tree_root_um), tree_root_um, 0.4, Vec3{1, 0, 0});
    const auto upper = branch(fork, second_um, 0.3, Vec3{0.6, 0.8, 0});
    branch(upper, tree_thinnest_um, 0.5, Vec3{0, 1, 0});
    branch(upper, sister_um(second_um, tree_thinnest_um), 0.5, Vec3{0.8, 0, 0.6});
    branch(fork, sister_um(tree_root_um, second_um), 0.8, Vec3{0.6, -0.8, 0});
    return out.str();
}

/// The tree that a file of this text has.
/// @throws Skip where no file can be written
cable::Morphology read_swc_text(const std::string& text)
{
    struct Folder
    {
        std::filesystem::path path;
        ~Folder()
        {
            std::error_code none;
            std::filesystem::remove_all(path, none);
        }
    };
    auto name = (std::filesystem::temp_directory_path() / "tawara-verify-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
        throw Skip("no folder can be made in " + std::filesystem::temp_directory_path().string());
    const Folder folder{name};
    const auto file = folder.path / "tree.swc";
    {
        std::ofstream out(file);
        out << text;
        if (!out.flush())
            throw Skip(file.string() + " cannot be written");
    }
    return cable::io::read(file, {.unit = cable::io::Unit::um}).trees.at(0);
}

/// Trees by the 3/2 power law are one cable for a current into their root (Rall 1959):
/// R = coth(L) / G there, and 1 / (G sinh L) at every end.
void rall_trees(Bench& b)
{
    const auto morphology = read_swc_text(rall_tree());
    const double conductance_uS = endless_conductance_uS(tree_root_um),
                 at_root = 1 / std::tanh(tree_length) / conductance_uS,
                 at_ends = 1 / std::sinh(tree_length) / conductance_uS;
    constexpr std::array steps_um{20.0, 10.0};
    std::array<double, 2> root{}, ends{};
    for (std::size_t k = 0; k < 2; ++k) {
        const auto c =
            cable::discretise(morphology, {steps_um[k] * (1 + 1e-9), {resistivity_ohm_cm, 1.0}});
        const auto v = steady_mV(b, c);
        root[k] = std::abs(v[0] - at_root) / at_root;
        std::vector<bool> is_end(c.nodes(), true);
        for (std::size_t i = 1; i < c.nodes(); ++i)
            is_end[static_cast<std::size_t>(c.tree.parent[i])] = false;
        for (std::size_t i = 0; i < c.nodes(); ++i)
            if (is_end[i])
                ends[k] = larger_or_nan(ends[k], std::abs(v[i] - at_ends) / at_ends);
    }
    const double h = steps_um[1] / space_constant_um(tree_thinnest_um);
    const std::string what =
                          " of a tree of two forks by the 3/2 power law, read from an SWC file, ",
                      most = ", of which central differences miss h^2 / 8 at most, h the space "
                             "step in space constants of the thinnest branch";
    b.row({"swc.input", "relative error of the input resistance" + what + "space step 10 um",
           "coth(L) / G of the equivalent cylinder" + most, at_most(h * h / 8)},
          root[1]);
    b.row({"swc.ends", "largest relative error of V at the three ends" + what + "space step 10 um",
           "I / (G sinh L) of the equivalent cylinder" + most, at_most(h * h / 8)},
          ends[1]);
    b.row({"swc.order", "order in space of the input resistance" + what + "steps of 20 and 10 um",
           "second order", within(1.9, 2.1)},
          std::log2(root[0] / root[1]));
}

/// Hodgkin and Huxley's axon at 18.5 degC, of a radius of 238 um as theirs, or another, with
/// lengths that are the same in space constants.
struct SquidAxon
{
    double step_um = 62.5, dt_ms = 0.00125; ///< at a radius of 238 um
    bool second_order = true;
    double radius_um = 238;
};

/// Velocity of its wave [m/s].
double axon_velocity(Bench& b, const SquidAxon& a)
{
    const double shrink = std::sqrt(a.radius_um / 238), apart_mm = 5 * shrink;
    cable::Morphology m;
    for (int k = 0; k <= 10; ++k) {
        m.parent.push_back(k - 1);
        m.point_mm.push_back({apart_mm * k, 0, 0});
        m.radius_um.push_back(a.radius_um);
        m.kind.push_back(2);
    }
    cable::CablesDescription d;
    d.compartments = cable::discretise(m, {a.step_um * shrink * (1 + 1e-9), {35.4, 1}});
    const std::pair<std::string, double> warm{"temperature", 18.5};
    d.types = {cell::make_cell_type("hodgkin_huxley_1952", "", std::span(&warm, 1), {})};
    d.dt_ms = a.dt_ms;
    d.second_order = a.second_order;
    const auto node = d.compartments.node_of_point;
    const double nA = 20'000 * std::pow(shrink, 3); // as membrane of the same part
    std::vector<cable::RunningCables<double>> all;
    all.push_back({cable::Cables<double>(std::move(d)),
                   {{0, nA, nA, 0.5, 0.2}},
                   {node[4], node[7]}}); // three points apart, three from the end
    cable::CablesRunOptions o;
    o.end_ms = 4;
    const auto r = cable::run_cables(all, o, b.progress());
    b.progress().at(0, "running");
    if (r.spikes.size() != 2)
        throw Error("the axon's wave does not pass both places once");
    return 3 * apart_mm / (r.spikes[1].time_ms - r.spikes[0].time_ms);
}

void squid(Bench& b)
{
    const double fine = axon_velocity(b, {});
    b.row({"squid.velocity",
           "velocity on Hodgkin and Huxley's axon, radius 238 um, 35.4 ohm cm, 18.5 degC",
           "18.8 m/s, which the paper computed by hand to three digits: 1.5 % on either side",
           within(18.5, 19.1), "m/s"},
          fine);
    for (const bool second : {false, true}) {
        const double usual = axon_velocity(b, {250, 0.01, second});
        b.row({std::string("squid.") + (second ? "second_order" : "first_order"),
               std::string("velocity on the squid's axon with usual steps, 250 um and 0.01 ms, ") +
                   (second ? "second" : "first") +
                   " order in time, against steps of 62.5 um and 0.00125 ms, second order",
               std::string("what usual steps may cost: ") + (second ? "1 %" : "2 %"),
               second ? within(-1, 1) : within(-2, 2), "%"},
              100 * (usual / fine - 1));
    }
    const double thick = axon_velocity(b, {250, 0.01, true}),
                 thin = axon_velocity(b, {250, 0.01, true, 238.0 / 4});
    b.row(
        {"squid.radius",
         "velocity on the squid's axon over that on one of a quarter of its radius, away from 2",
         "the root of the radius, exactly where lengths are the same in space constants: Hodgkin, "
         "J Physiol 125:221 (1954)",
         within(-1e-6, 1e-6)},
        thick / thin - 2);
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
             {"swc", "a tree from an SWC file against its equivalent cylinder", true, rall_trees,
              "Rall, Exp Neurol 1:491 (1959)"},
             {"lu", "Hines' elimination of batches on trees against LU with pivots", true,
              systems_on_trees,
              "Higham, Accuracy and Stability of Numerical Algorithms (2002), section 9.6"},
             {"squid", "the squid's axon: velocity, steps, radius", true, squid,
              "Hodgkin and Huxley, J Physiol 117:500 (1952), p. 524 ff."},
             {"plane_wave", "plane waves in tissue against a cable", true, plane_wave,
              "this program: its cables, which share no operator with tissue"}}};
}

} // namespace tawara::verify
