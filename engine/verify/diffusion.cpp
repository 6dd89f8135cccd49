// SPDX-License-Identifier: GPL-3.0-or-later
// Convergence of the operators on the unit cube (NUMERICS.md, 2 and 3).
#include "engine/verify/check.hpp"
#include "engine/verify/problems/cube.hpp"
#include "engine/verify/problems/meshes.hpp"

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace tawara::verify {
namespace {

using diffusion::Mass;
using diffusion::Scheme;

constexpr double mass_scaling = 2e-4; ///< too little to be seen in the order

/// A scheme of the table: its name in ids and for people.
struct Of
{
    const char *id, *name;
    Scheme scheme;
    Mass mass;
    double least_order;
};
constexpr std::array<Of, 3> schemes{
    {{"fvm", "fvm", Scheme::fvm, Mass::lumped, 1.9},
     {"p1_lumped", "p1 with lumped mass", Scheme::p1, Mass::lumped, 1.9},
     {"p1_consistent", "p1 with consistent mass", Scheme::p1, Mass::consistent, 1.8}}};

/// Errors that the published scheme for tetrahedra has with so many of them.
constexpr std::array<std::pair<double, double>, 8> published{{{671, 0.37},
                                                              {1339, 0.19},
                                                              {5047, 0.071},
                                                              {19505, 0.027},
                                                              {68368, 0.011},
                                                              {262009, 0.0042},
                                                              {1024286, 0.0017},
                                                              {3995489, 0.00066}}};
/// The same at n tetrahedra, by straight lines in the logarithms.
double published_error(double n)
{
    std::size_t k = 1;
    while (k + 1 < published.size() && published[k].first < n)
        ++k;
    const auto &a = published[k - 1], &b = published[k];
    return a.second *
           std::pow(n / a.first, std::log(b.second / a.second) / std::log(b.first / a.first));
}

/// Vertices are six times fewer than tetrahedra: 0.025 and 0.035 with 66 215 tetrahedra, of second
/// order.
Bound most_error(const Of& s, double n)
{
    constexpr double known_at = 66215;
    const double known = s.mass == Mass::lumped ? 0.025 : 0.035;
    return at_most(s.scheme == Scheme::fvm ? published_error(n)
                                           : known * std::pow(known_at / n, 2.0 / 3));
}

/// Cubes of the lattice along an edge, mesh after mesh.
std::vector<int> sizes(bool short_form)
{
    return short_form ? std::vector{6, 9, 13} : std::vector{6, 9, 13, 19, 27};
}

/// log10 of errors over log10 of dx.
void add(Chart& c, const std::string& name, const std::vector<CubeResult>& r)
{
    for (const auto& x : r)
        c.curves[name].emplace_back(std::log10(x.dx), std::log10(x.error));
}

Chart chart(const std::string& title)
{
    return {title, "log10 of dx", "log10 of the error", {}};
}

/// u_t = D lap u, the cosine mode.
void cube(Bench& b)
{
    auto curves = chart("Unit cube, cosine mode: error over spacing");
    for (const auto& s : schemes) {
        std::vector<CubeResult> r;
        for (const int n : sizes(b.short_form())) {
            b.progress().at(0, "running");
            r.push_back(cosine_mode(b.pool(), uneven_cube(n), s.scheme, s.mass, mass_scaling,
                                    b.progress()));
        }
        add(curves, s.name, r);
        const bool last = &s == &schemes.back();
        b.row({std::string("cube.") + s.id + ".order",
               std::string("order of convergence of ") + s.name +
                   " on uneven tetrahedra of the unit cube",
               "second order, as far as a few meshes show it", at_least(s.least_order)},
              order(r));
        const auto n = static_cast<double>(r.back().tetrahedra);
        b.row(
            {std::string("cube.") + s.id + ".error",
             std::string("relative error of ") + s.name + " with " +
                 std::to_string(r.back().tetrahedra) + " tetrahedra",
             s.scheme == Scheme::fvm
                 ? "no more than the published scheme has with as many tetrahedra"
                 : "0.025 (lumped) and 0.035 (consistent) with 66 215 tetrahedra, of second order",
             most_error(s, n), "", last ? std::vector{curves} : std::vector<Chart>{}},
            r.back().error);
    }
}

/// 9:1 with fibres that turn by 120 degrees.
void anisotropy(Bench& b)
{
    auto curves = chart("Anisotropy 9:1, turning fibres: error over spacing");
    for (const auto& s : schemes) {
        std::vector<CubeResult> r;
        for (const int n : sizes(b.short_form())) {
            b.progress().at(0, "running");
            r.push_back(steady_turning(uneven_cube(n), s.scheme, s.mass));
        }
        add(curves, s.name, r);
        const std::string id = s.mass == Mass::lumped && s.scheme == Scheme::p1 ? "p1" : s.id,
                          name = s.name;
        const bool last = &s == &schemes.back();
        b.row({"anisotropy." + id + ".order",
               "order of convergence of " + name + ", 9:1, fibres turning by 120 degrees",
               "second order, as far as a few meshes show it; two-point fluxes do not converge",
               at_least(1.8)},
              order(r));
        b.row({"anisotropy." + id + ".error",
               "relative error of " + name + ", 9:1, with " + std::to_string(r.back().tetrahedra) +
                   " tetrahedra",
               "0.015 was measured with 22 thousand by the prototype of fvm",
               at_most(b.short_form() ? 0.02 : 0.01), "",
               last ? std::vector{curves} : std::vector<Chart>{}},
              r.back().error);
    }
}

} // namespace

Group diffusion_group()
{
    return {"diffusion",
            "convergence of the operators on the unit cube",
            {{"cube", "decay of a cosine mode, all schemes: order and error", true, cube,
              "exact: the mode falls to 1/e; errors of fvm: published of the Lynx scheme"},
             {"anisotropy", "steady solution with 9:1 and fibres that turn", true, anisotropy,
              "exact: a solution whose source is computed from it"}}};
}

} // namespace tawara::verify
