// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/problem.hpp"
#include "engine/mesh/topology.hpp"

#include <memory>

namespace tawara::bench {

/// Where the tissue of a benchmark lies: a cube of cubes x cubes x cubes cubes of 6 tetrahedra, or
/// a file, refined.
struct Place
{
    std::string file;
    int refine = 0;
    int cubes = 40;
    double spacing_mm = 0.425; ///< tetrahedra as large as those of a heart cut into 11.7 million
    double thin = 1; ///< two layers of cubes in the middle of x are so much thinner than the others
    diffusion::Conductivity sigma{0.1334, 0.0176, 0.0176};
    double stimulated_mm = 7; ///< file: ball around the lowest vertex; cube: layer in x
};

/// What of a problem a case can choose.
struct Choice
{
    std::string scheme = "fvm", model = "ten_tusscher_2006";
    cell::Scheme reaction = cell::Scheme::rush_larsen_light;
    /// 1 to 3 variants of the model (as many as it has); a heart with region labels of the
    /// generator has its layers' types then.
    int types = 1;
    int stages = 0; ///< 0: as many as stability asks for
    double dt_ms = 0.02, mass_scaling = 1e-3, largest_scaling = 1000, rest_tolerance_mV = 0,
           longest_quiescent_ms = 0.2;
    bool check = false;          ///< the stability analysis
    bool consistent = false;     ///< mass, for p1
    bool interpolated = false;   ///< currents, for p1
    std::string stepping;        ///< "": explicit; be, cn, newton: implicit
    double newton_dt_max_ms = 0; ///< 0: no step of several time steps
    bool operator==(const Choice&) const = default;
};

/// A mesh with what problems are made of.
class Bench
{
  public:
    explicit Bench(const Place& place);
    const mesh::TetMesh& mesh() const { return mesh_; }
    const Place& place() const { return place_; }
    /// The problem of a choice; the last one is kept.
    const device::TissueProblem& problem(const Choice& c);
    double seconds_of_operator() const { return seconds_; }
    /// One pulse of 2 ms at 0 ms into the stimulated place.
    device::StimulusSource stimulus(const device::TissueProblem& p) const;
    /// Means over the tetrahedra around each vertex, by volume, of values per tetrahedron.
    std::vector<double> at_vertices(const std::vector<double>& of_tets) const;

  private:
    Place place_;
    mesh::TetMesh mesh_;
    std::vector<std::array<std::int32_t, 4>> neighbours_;
    Choice choice_;
    std::unique_ptr<device::TissueProblem> problem_;
    double seconds_ = 0;
};

/// FNV-1a over the operator's columns and the bits of its values.
std::string operator_hash(const diffusion::Rows& a);

} // namespace tawara::bench
