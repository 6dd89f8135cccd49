// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/diffusion/system.hpp"

#include <Eigen/Dense>

namespace tawara::diffusion {

using FaceNeighbours = std::vector<std::array<std::int32_t, 4>>;

/// What one tetrahedron brings to the fvm scheme (NUMERICS.md, 2): its four faces as rows.
///
///     g = (X^T W X)^-1 X^T W e,   flux share = [Y X+ + W (I - X X+)] e,   e_f = u_j - u_i
struct FvmCell
{
    Eigen::Matrix<double, 4, 3> x; ///< d_f: vectors to the neighbours' centroids [mm]
    Eigen::Matrix<double, 4, 3> y; ///< A mu n^T D [mm4/ms]
    Eigen::Vector4d w;             ///< A mu tau [mm3/ms]
    Eigen::Matrix3d d;             ///< D [mm2/ms]
    double volume = 0;             ///< [mm3]
    std::array<bool, 4> inner{};   ///< whether the face leads to a neighbour
};

/// @param links  neighbour across each face, -1 where nothing flows (boundary, tissue without D)
FvmCell fvm_cell(const mesh::TetMesh& m, const FaceNeighbours& links,
                 std::span<const Tensor> diffusivity, std::size_t i);

/// The cell's flux matrix K_i [mm3/ms]: row f is the share of the flux through face f.
Eigen::Matrix4d plain_flux(const FvmCell& c);

/// The same, made safe: sym(K_i) >= 0, while constants and conservation are kept ("fix").
Eigen::Matrix4d repaired_flux(const FvmCell& c);

/// m_i: smallest eigenvalue of sym(W^-1/2 K W^-1/2) over the inner faces; 1 where there is none.
double smallest_eigenvalue(const FvmCell& c, const Eigen::Matrix4d& k);

} // namespace tawara::diffusion
