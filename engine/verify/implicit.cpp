// SPDX-License-Identifier: GPL-3.0-or-later
// Implicit steps: orders in time and space. Their linear systems: solver.cpp.
#include "engine/diffusion/implicit.hpp"
#include "engine/verify/check.hpp"
#include "engine/verify/number.hpp"
#include "engine/verify/problems/cube.hpp"
#include "engine/verify/problems/meshes.hpp"
#include "engine/verify/problems/plane_wave.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <string>

namespace tawara::verify {
namespace {

using diffusion::Mass;

/// The cosine mode after 1 by n steps, of vertices with lumped mass.
std::vector<double> decayed(Bench& b, const diffusion::System& s, const mesh::TetMesh& m, int n,
                            double theta)
{
    using std::numbers::pi;
    std::vector<double> v(s.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
        const auto x = m.vertex(i);
        v[i] = std::cos(2 * pi * x[0]) * std::cos(2 * pi * x[1]) * std::cos(2 * pi * x[2]);
    }
    diffusion::ImplicitSolver solver(s, 1.0 / n, theta);
    for (int k = 0; k < n; ++k) {
        b.progress().at(0, "running");
        solver.step(v);
    }
    return v;
}

void linear(Bench& b)
{
    const auto m = uneven_cube(7);
    constexpr double d = 1 / (12 * std::numbers::pi * std::numbers::pi);
    const std::vector<diffusion::Tensor> tensors(m.tetrahedron_count(), {d, d, d, 0, 0, 0});
    diffusion::Options o;
    o.scheme = diffusion::Scheme::p1;
    o.mass_scaling = 0;
    const auto s = diffusion::assemble(m, mesh::face_neighbours(m), tensors, o, b.progress());
    struct Way
    {
        const char *id, *name;
        double theta;
        Bound order;
    };
    for (const auto& w : {Way{"backward_euler", "backward Euler", 1, within(0.85, 1.15)},
                          Way{"crank_nicolson", "Crank-Nicolson", 0.5, within(1.85, 2.15)}}) {
        std::array<std::vector<double>, 3> v;
        for (std::size_t k = 0; k < 3; ++k)
            v[k] = decayed(b, s, m, 8 << k, w.theta);
        const auto apart = [](const std::vector<double>& x, const std::vector<double>& y) {
            double sum = 0;
            for (std::size_t i = 0; i < x.size(); ++i)
                sum += (x[i] - y[i]) * (x[i] - y[i]);
            return std::sqrt(sum);
        };
        b.row({std::string(w.id) + ".order",
               std::string("order in time of ") + w.name +
                   " on the unit cube's cosine mode, from steps of 1/8, 1/16 and 1/32",
               "its order by its formula", w.order},
              std::log2(apart(v[0], v[1]) / apart(v[1], v[2])));
    }
}

/// "0.1" of log10 0.1.
std::string step_text(double log10_ms)
{
    return number(std::pow(10, log10_ms));
}

void newton_in_time(Bench& b)
{
    const auto wave = [&](device::Stepping stepping, double dt_ms) {
        PlaneWave w;
        w.edge_mm = w.side_mm = 0.25;
        w.stepping = stepping;
        w.dt_ms = dt_ms;
        w.threads = b.pool().size();
        return w;
    };
    const auto fine = plane_wave_in_the_limit(
        wave(device::Stepping::explicit_, b.short_form() ? 0.005 : 0.002), b.progress());
    Chart chart{"Newton's method, a front of Aliev and Panfilov: error of activation over the step",
                "log10 of the step [ms]",
                "log10 of the error [ms]",
                {}};
    auto& curve = chart.curves["activation (RMS)"];
    for (const double dt :
         b.short_form() ? std::vector{0.4, 0.2} : std::vector{0.4, 0.2, 0.1, 0.05})
        curve.emplace_back(
            std::log10(dt),
            std::log10(
                difference(run_plane_wave(wave(device::Stepping::newton, dt), b.progress()), fine)
                    .activation_ms));
    const auto n = curve.size();
    b.row({"newton.time.order",
           "order in time of steps by Newton's method, activation of a front on a bar of 0.25 mm, "
           "from steps of " +
               step_text(curve[n - 2].first) + " and " + step_text(curve[n - 1].first) + " ms",
           "first order: backward Euler",
           within(0.9, 1.15),
           "",
           {chart}},
          (curve[n - 1].second - curve[n - 2].second) / (curve[n - 1].first - curve[n - 2].first));
}

void newton_in_space(Bench& b)
{
    PlaneWave w{1.0 / 32, device::Stepping::explicit_, Mass::lumped, 0.001, 0.125, b.pool().size()};
    const auto fine = plane_wave_in_the_limit(w, b.progress());
    for (const auto mass : {Mass::lumped, Mass::consistent}) {
        Chart chart{"Newton's method, " + std::string(diffusion::name(mass)) +
                        " mass: error of V over the edge",
                    "log10 of the edge [mm]",
                    "log10 of the error [mV]",
                    {}};
        auto& curve = chart.curves["V (RMS)"];
        for (const double edge : {0.5, 0.25, 0.125}) {
            PlaneWave at{edge, device::Stepping::newton, mass, 0.1};
            at.threads = b.pool().size();
            curve.emplace_back(
                std::log10(edge),
                std::log10(difference(plane_wave_in_the_limit(at, b.progress()), fine).v_mV));
        }
        b.row({"newton.space." + std::string(diffusion::name(mass)) + ".order",
               "order in space of steps by Newton's method, V of a front, edges of 0.25 and 0.125 "
               "mm, " +
                   std::string(diffusion::name(mass)) + " mass",
               "second order where the mesh resolves the front",
               within(1.8, 2.4),
               "",
               {chart}},
              (curve[1].second - curve[2].second) / std::log10(2));
    }
}

} // namespace

Group implicit_group()
{
    return {"implicit",
            "implicit steps",
            {{"linear", "backward Euler and Crank-Nicolson in time", true, linear,
              "the theta method's formula"},
             {"solver", "linear systems of a step, Newton's method, and products of sparse rows",
              true, systems_of_steps, "the step's equation, summed anew over pairs of unknowns"},
             {"newton_time", "Newton's method in time", true, newton_in_time,
              "solution: this program with explicit steps of 2 us (short form: 5), extrapolated"},
             {"newton_space", "Newton's method in space, both masses", false, newton_in_space,
              "solution: this program on edges of 31 um, extrapolated"}}};
}

} // namespace tawara::verify
