// SPDX-License-Identifier: GPL-3.0-or-later
// Whether modes grow on bad meshes, with the guard of NUMERICS.md, 2.2, and without it.
#include "engine/verify/check.hpp"
#include "engine/verify/problems/cube.hpp"
#include "engine/verify/problems/meshes.hpp"
#include "engine/verify/problems/passive_tissue.hpp"

#include <array>
#include <cmath>
#include <random>
#include <string>

namespace tawara::verify {
namespace {

/// Random signs: every mode is in them.
std::vector<double> noise(const diffusion::System& s)
{
    std::vector<double> v(s.size());
    std::mt19937 random(3);
    for (auto& x : v)
        x = random() % 2 != 0 ? 1 : -1;
    return v;
}

/// The size of v over that of such noise.
double size_of(const diffusion::System& s, const std::vector<double>& v)
{
    double sum = 0, whole = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
        sum += s.volume[i] * v[i] * v[i];
        whole += s.volume[i];
    }
    return std::sqrt(sum / whole);
}

struct BadMesh
{
    std::string id, name;
    mesh::TetMesh mesh;
};

void stability(Bench& b)
{
    constexpr int steps = 5000;
    const std::array meshes{
        BadMesh{"shaken", "a cube whose vertices are moved by up to the spacing",
                shaken_box({1, 1, 1}, 0.2, 1.0)},
        BadMesh{"slivers", "a cube with slivers of a hundredth of the height near a corner",
                cube_with_slivers(5, 7, 1e-2)},
        BadMesh{"stretched", "a cube flattened to a hundredth", stretched_cube(6, 0.01)}};
    for (const auto& m : meshes) {
        const auto neighbours = mesh::face_neighbours(m.mesh);
        const auto d = turning_tensors(m.mesh, 0.1, 9);
        const auto after = " after " + std::to_string(steps) + " explicit steps ";
        diffusion::Options o;
        o.mass_scaling = 0;
        const auto safe = diffusion::assemble(m.mesh, neighbours, d, o, b.progress());
        b.row({m.id + ".repaired",
               "cells that the guard repairs, of " + std::to_string(m.mesh.tetrahedron_count()) +
                   ", fvm, 9:1: " + m.name,
               "some, or the rows of this mesh say nothing of the guard", at_least(1)},
              static_cast<double>(safe.stability.repaired_cells));
        b.row({m.id + ".growth",
               "largest growth of a mode in a stable step, fvm with the guard, 9:1: " + m.name,
               "no mode grows, to rounding", at_most(1e-7)},
              safe.stability.largest_growth);
        b.row(
            {m.id + ".guarded",
             "noise" + after + "of the program, the longest stable ones, with the guard: " + m.name,
             "noise decays", at_most(1)},
            [&] {
                return size_of(safe, diffused(m.mesh, safe, noise(safe), safe.stable_dt_ms, steps,
                                              b.pool().size(), b.progress()));
            });
        o.check_stability = false;
        const auto plain = diffusion::assemble(m.mesh, neighbours, d, o, b.progress());
        auto grown = noise(plain); // by steps that know no bound of V
        euler(b.pool(), plain, grown, 0.5 * plain.stable_dt_ms, steps, b.progress());
        b.row({m.id + ".unguarded",
               "noise" + after + "of half the length, without the guard: " + m.name,
               "a mode grows there, so that the rows above show what the guard does",
               at_least(1000)},
              size_of(plain, grown));
    }
}

} // namespace

Group stability_group()
{
    return {"stability",
            "whether modes grow on bad meshes",
            {{"meshes", "shaken, sliver and stretched meshes, with the guard and without", true,
              stability, "explicit Euler: |1 + dt lambda| is at most 1 for each mode"}}};
}

} // namespace tawara::verify
