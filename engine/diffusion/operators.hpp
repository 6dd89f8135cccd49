// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/diffusion/chunks.hpp"
#include "engine/diffusion/fvm_cell.hpp"
#include "engine/diffusion/whole.hpp"

namespace tawara::diffusion {

/// A flux matrix K_i per tetrahedron, row after row.
using FluxMatrices = std::vector<std::array<double, 16>>;

/// Which of its neighbour's faces leads back: two bits per face of each tetrahedron.
std::vector<std::uint8_t> back_faces(const FaceNeighbours& links);
inline int back_face(std::uint8_t packed, int f)
{
    return (packed >> (2 * f)) & 3;
}

/// Largest growing mode of B on the mesh, by Lanczos on V^-1/2 (B + B^T)/2 V^-1/2 with constants
/// deflated: largest Ritz value over the spectral radius. Ends early once a growing mode is
/// certain.
/// @param first_look  cells that get the weight of the start vector (those that may grow)
/// @param whole  of a part; null: all cells are here
/// @throws Cancelled
double largest_growth(ThreadPool& pool, const FaceNeighbours& links, const FluxMatrices& k,
                      std::span<const double> volume, std::span<const std::int32_t> first_look,
                      Whole* whole, const Progress& progress, const Stage& stage);

/// A Ritz value above this part of the spectral radius is a mode that may grow.
inline constexpr double growth_limit = 1e-7;

/// B's off-diagonals [mm3/ms] (in System::alpha), V (in System::volume) and the stability record.
System assemble_fvm(ThreadPool& pool, const mesh::TetMesh& m, const FaceNeighbours& links,
                    std::span<const Tensor> diffusivity, const Options& options, Whole* whole,
                    const Progress& progress);

} // namespace tawara::diffusion
