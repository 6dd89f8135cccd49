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

/// R_i = sum_j |B_ij| over the other cells j [mm3/ms]: what bounds a stable step, h <= V_i / R_i at
/// each cell, with the volume that mass scaling adds. 1 where nothing flows, so that it can divide.
/// @param whole  of a part; null: all cells are here
/// @cost  a row of B for each cell, in parallel
std::vector<double> row_rates(ThreadPool& pool, const FaceNeighbours& links, const FluxMatrices& k,
                              Whole* whole);

/// A mode u grows by this part of itself in a stable step at most, and is no mode that grows:
///
///     u^T B u <= growth_limit sum_i R_i u_i^2   so that   d|u|/dt <= growth_limit / h |u|,
///
/// |u|^2 = sum_i V_i u_i^2, since R_i <= V_i / h. The limit holds at each cell by its own R_i: a
/// cell of another size somewhere else does not change what is judged here.
inline constexpr double growth_limit = 1e-7;

/// The largest growth in a stable step, by Lanczos on R^-1/2 (B + B^T)/2 R^-1/2 with constants
/// deflated: its largest Ritz value. Ends early once a mode grows beyond growth_limit.
/// @param rate        R, of row_rates()
/// @param first_look  cells that get the weight of the start vector (those that may grow)
/// @param whole  of a part; null: all cells are here
/// @throws Cancelled
double largest_growth(ThreadPool& pool, const FaceNeighbours& links, const FluxMatrices& k,
                      std::span<const double> rate, std::span<const std::int32_t> first_look,
                      Whole* whole, const Progress& progress, const Stage& stage);

/// Whether a mode grows, as far as single neighbourhoods tell.
enum class Growth { none, certain, unknown };

/// Judges B by patches: each cell that may grow (its sym(K_i) is indefinite) with the cells within
/// 1 to 4 faces of it. The energy of u is
///
///     -u^T B u = sum_i e_i^T sym(K_i) e_i,    e_i = (u_j - u_i) over the faces of cell i.
///
/// No mode grows if this energy can be split into patches of which none is negative. A patch has
/// the whole energy of a cell that may grow (of several, where these are near each other). The
/// energy of every other cell is shared between the patches that hold it; a patch takes an eighth,
/// a quarter, a half or all of its share, as it needs. A patch that does not do is made wider.
///
/// Where the energy is below -growth_limit sum_i R_i u_i^2 for some u that is 0 outside a patch,
/// the symmetric part of B has a growing mode. With B not symmetric, that says that B's own energy
/// can grow, not that a mode of B does; the cells are repaired then, to be on the safe side.
///
/// Both are decided by Cholesky factors. So the verdict does not depend on how far an iteration has
/// converged.
/// @param rate      R, of row_rates()
/// @param suspects  cells that may grow; all others have sym(K_i) >= 0
/// @pre   all cells are here
/// @throws Cancelled
/// @cost  about 0.1 ms for each suspect, in parallel
Growth growth_by_patches(ThreadPool& pool, const FaceNeighbours& links, const FluxMatrices& k,
                         std::span<const double> rate, const std::vector<std::int32_t>& suspects,
                         const Progress& progress, const Stage& stage);

/// B's off-diagonals [mm3/ms] (in System::alpha), V (in System::volume) and the stability record.
System assemble_fvm(ThreadPool& pool, const mesh::TetMesh& m, const FaceNeighbours& links,
                    std::span<const Tensor> diffusivity, const Options& options, Whole* whole,
                    const Progress& progress);

} // namespace tawara::diffusion
