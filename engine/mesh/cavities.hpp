// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/tet_mesh.hpp"

namespace tawara::mesh {

/// A coarse picture of a mesh on cubic voxels (128 along the longest side): where there is tissue,
/// and which empty voxels lie in a cavity, also one that is open at the base.
///
/// An empty voxel is enclosed when at least `enclosed_from` of the 26 directions to its neighbours
/// meet tissue: a point in the opening's plane of a cup sees 17, one before a flat wall 9. Enclosed
/// voxels form connected cavities; where two chambers are joined over a low septum, the threshold
/// is raised until they part, and the parts grow back.
/// @cost  about 0.1 s for the sweeps, and one pass over the tetrahedra
class Cavities
{
  public:
    explicit Cavities(const TetMesh& m);

    /// Number of cavities that are large enough to be chambers, by falling volume.
    std::size_t count() const { return volume_mm3_.size(); }
    double volume_mm3(std::size_t cavity) const { return volume_mm3_[cavity]; }
    double voxel_mm() const { return h_; }

    /// The cavity that lies ahead of a point of the surface in the direction of its outward normal,
    /// or -1.
    int ahead(const Vec3& p, const Vec3& normal) const;
    /// How far tissue reaches from a point of the surface against its outward normal [mm].
    double thickness_mm(const Vec3& p, const Vec3& normal) const;

  private:
    static constexpr int enclosed_from = 15;

    std::size_t index(std::size_t i, std::size_t j, std::size_t k) const
    {
        return i + n_[0] * (j + n_[1] * k);
    }
    std::size_t voxel(const Vec3& p) const; ///< clamped to the grid
    void rasterise(const TetMesh& m);
    std::vector<std::uint8_t> enclosure() const;
    /// Numbers connected voxels with at least `from` directions; returns sizes. Others get -1.
    std::vector<std::int64_t> components(const std::vector<std::uint8_t>& hits, int from,
                                         std::vector<std::int32_t>& label) const;
    void find(const std::vector<std::uint8_t>& hits);
    void grow(const std::vector<std::uint8_t>& hits);
    template <class F>
    void each_neighbour(std::size_t v, F&& f) const;

    Vec3 low_{};
    double h_ = 1;
    std::array<std::size_t, 3> n_{};
    std::vector<std::uint8_t> solid_;
    std::vector<std::int32_t> cavity_; ///< per voxel, -1 outside of cavities
    std::vector<double> volume_mm3_;
};

} // namespace tawara::mesh
