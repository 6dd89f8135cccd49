// SPDX-License-Identifier: GPL-3.0-or-later
// What diffusion has to leave as it is: the whole, constants, linear fields.
#include "engine/core/larger.hpp"
#include "engine/verify/check.hpp"
#include "engine/verify/problems/cube.hpp"
#include "engine/verify/problems/meshes.hpp"
#include "engine/verify/problems/passive_tissue.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

namespace tawara::verify {
namespace {

using diffusion::Scheme;

void conservation(Bench& b)
{
    const auto m = shaken_box({1, 1, 1}, 0.1, 0.6);
    const auto neighbours = mesh::face_neighbours(m);
    const auto d = turning_tensors(m, 0.1, 9);
    for (const auto scheme : {Scheme::fvm, Scheme::p1}) {
        diffusion::Options o;
        o.scheme = scheme;
        const auto s = diffusion::assemble(m, neighbours, d, o, b.progress());
        const std::string id = std::string(diffusion::name(scheme));
        std::vector<double> v(s.size());
        std::mt19937 random(5);
        for (auto& x : v)
            x = -85 + 120.0 * random() / std::mt19937::max();
        const auto spread = [&](const std::vector<double>& from) {
            return diffused(m, s, from, s.stable_dt_ms, 1000, b.pool().size(), b.progress());
        };
        b.row({id + ".sum",
               "change of sum V_i v_i over sum V_i |v_i| after 1000 of the program's steps of " +
                   id + ", the longest stable ones, 9:1, shaken mesh",
               "no flux leaves: 0 to rounding", at_most(1e-12)},
              [&] {
                  const auto then = spread(v);
                  double change = 0, whole = 0;
                  for (std::size_t i = 0; i < v.size(); ++i) {
                      change += s.volume[i] * (then[i] - v[i]);
                      whole += s.volume[i] * std::abs(v[i]);
                  }
                  return std::abs(change) / whole;
              });
        b.row({id + ".constant", "change of a constant field after as many such steps, " + id,
               "a constant field stays, to the last bit", within(0, 0), "mV"},
              [&] {
                  double largest = 0;
                  for (const double x : spread(std::vector<double>(s.size(), -85.0)))
                      largest = larger_or_nan(largest, std::abs(x + 85));
                  return largest;
              });
    }
}

/// One tensor everywhere: L of a linear field is 0 away from the boundary, for any cells.
void linear_fields(Bench& b)
{
    const auto m = shaken_box({1, 1, 1}, 0.1, 0.3);
    const std::vector<diffusion::Tensor> d(m.tetrahedron_count(), {0.1, 0.03, 0.02, 0.01, 0, 0});
    for (const auto scheme : {Scheme::fvm, Scheme::p1}) {
        diffusion::Options o;
        o.scheme = scheme;
        o.mass_scaling = 0;
        const auto s = diffusion::assemble(m, mesh::face_neighbours(m), d, o, b.progress());
        std::vector<double> v(s.size()), l(s.size());
        const auto place = [&](std::size_t i) {
            return scheme == Scheme::p1 ? m.vertex(i) : m.centroid(i);
        };
        for (std::size_t i = 0; i < v.size(); ++i)
            v[i] = dot(place(i), Vec3{3, -2, 1});
        apply(b.pool(), s, v, l);
        double worst = 0;
        for (std::size_t i = 0; i < v.size(); ++i) {
            const auto x = place(i);
            const bool inner =
                std::all_of(x.begin(), x.end(), [](double c) { return c > 0.3 && c < 0.7; });
            if (inner)
                worst = larger_or_nan(worst, std::abs(l[i]));
        }
        const std::string id = std::string(diffusion::name(scheme));
        b.row({id + ".linear", "largest |L v| dt of a linear field inside, " + id,
               "linear fields are exact, to rounding", at_most(1e-12)},
              worst * s.stable_dt_ms);
    }
}

} // namespace

Group conservation_group()
{
    return {"conservation",
            "what diffusion leaves as it is",
            {{"sum", "the whole, and constant fields, on a shaken mesh with 9:1", true,
              conservation, "exact: no flux through the boundary, none of a constant"},
             {"linear", "linear fields inside a shaken mesh", true, linear_fields,
              "exact: L of a linear field is 0"}}};
}

} // namespace tawara::verify
