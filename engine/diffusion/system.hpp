// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/mesh/tet_mesh.hpp"
#include "engine/mesh/topology.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

namespace tawara::diffusion {

enum class Scheme { fvm, p1 };
enum class Mass { lumped, consistent };
std::string_view name(Scheme s);
std::string_view name(Mass m);

/// Symmetric diffusivity of each tetrahedron, D = sigma / (chi Cm) [mm2/ms]: xx, yy, zz, xy, xz,
/// yz.
using Tensor = std::array<double, 6>;

/// Monodomain conductivities of a region [S/m] along fibre, sheet and sheet normal.
struct Conductivity
{
    double fibre = 0, sheet = 0, normal = 0;
    bool operator==(const Conductivity&) const = default;
};

/// Whether anything flows at all.
inline bool conducts(const Tensor& d)
{
    return d[0] + d[1] + d[2] > 0;
}

/// D = sum_k sigma_k a_k a_k^T / (chi Cm) per tetrahedron. Without fibres sigma must be isotropic.
/// @param per_tet   index into `table`, one per tetrahedron
/// @param chi_per_mm, cm_uF_per_mm2  surface-to-volume ratio and membrane capacitance
/// @throws InputError when a tetrahedron has no fibre and its conductivity is anisotropic
std::vector<Tensor> diffusivities(const mesh::TetMesh& m, std::span<const std::int32_t> per_tet,
                                  std::span<const Conductivity> table, double chi_per_mm,
                                  double cm_uF_per_mm2);

/// Sparse rows without the diagonal: off-diagonal k in [first[i], first[i+1]) of row i.
struct Rows
{
    std::vector<std::int64_t> first;
    std::vector<std::int32_t> column;
    std::vector<double> value;
    std::size_t size() const { return first.empty() ? 0 : first.size() - 1; }
};

/// What the stability analysis of a mesh found and did.
struct Stability
{
    bool stable = true;               ///< false also where nobody looked (Options::check_stability)
    bool proven_cell_by_cell = false; ///< all m_i >= 0: no eigenvalue estimate was needed
    bool proven_by_patches = false;   ///< each cell with m_i < 0 by those around it, likewise
    double smallest_m = 0;            ///< smallest cell indicator before repair
    std::int64_t repaired_cells = 0;
    double theta = 0; ///< threshold of the last repair round
    /// Most that a mode grows by in the largest stable step, as a part of itself, after repair (a
    /// Ritz value: less than 0 where all that was found shrinks); 0 where it is proven that none
    /// grows.
    double largest_growth = 0;
    Notices notices;
};

/// The semi-discrete diffusion equation  du_i/dt = sum_j alpha_ij (u_j - u_i).
///
/// Unknowns: tetrahedra for fvm, vertices for p1. With Mass::consistent the system is instead
/// M du/dt = sum_j k_ij (u_j - u_i), k_ij = -K_ij, and `mass_rows` holds M's off-diagonals.
struct System
{
    Scheme scheme = Scheme::fvm;
    Mass mass = Mass::lumped;
    Rows alpha; ///< [1/ms]; for consistent mass k_ij [mm3/ms]
    /// V_i, or lumped mass [mm3]; with the added volume of mass scaling. 0 where there is no
    /// conducting tissue: that unknown carries no cells.
    std::vector<double> volume;
    Rows mass_rows;                    ///< consistent only [mm3]
    std::vector<double> mass_diagonal; ///< consistent only [mm3]
    /// 1 / max_i sum_j |alpha_ij|: sufficient for an explicit step. Consistent mass is at least a
    /// fifth of the lumped one, so k_ij / (m_i / 5) takes the place of alpha_ij there. Infinite
    /// without flow.
    double stable_dt_ms = 0;
    double added_volume_fraction = 0;     ///< by mass scaling, of the whole volume
    double largest_scaling = 1;           ///< by mass scaling: V'/V where it is largest
    std::int64_t largest_scaling_at = -1; ///< the unknown there; -1: none was scaled
    Stability stability;
    std::size_t size() const { return alpha.size(); }
};

struct Options
{
    Scheme scheme = Scheme::fvm;
    Mass mass = Mass::lumped;
    double mass_scaling = 1e-3;   ///< eta: bound on the added volume over the whole volume; 0: off
    double largest_scaling = 1.2; ///< bound on 1 + added volume / volume there, >= 1
    double dt_ms = 0; ///< the step for which mass scaling is wanted; 0: as far as the bound allows
    bool check_stability = true;
};

/// Assembles the operator of NUMERICS.md, sections 2 and 3, tests its stability and repairs it cell
/// by cell. Unknown i is tetrahedron i (fvm) or vertex i (p1) of the mesh. No-flux boundaries.
/// Where a tensor is zero nothing flows: its faces are boundaries, and its tetrahedron adds to no
/// mass.
/// @param neighbours  of face_neighbours(m)
/// @throws Cancelled; InputError for options or arrays that do not fit
System assemble(const mesh::TetMesh& m, const std::vector<std::array<std::int32_t, 4>>& neighbours,
                std::span<const Tensor> diffusivity, const Options& options,
                const Progress& progress = {});

/// How a time step of length dt is made of explicit diffusion sub-steps.
struct SubStepping
{
    enum class Kind { euler, rkl2 };
    Kind kind = Kind::euler;
    int stages = 1; ///< euler: equal sub-steps; rkl2: stages s of one super step (odd, >= 3)
};
/// Euler sub-steps while fewer than six are needed, else RKL2 (NUMERICS.md, 2).
SubStepping choose_substeps(double dt_ms, double stable_dt_ms);

/// Coefficients of one RKL2 super step with s stages (Meyer, Balsara, Aslam 2014), j = 1..s at
/// [j-1]:
///     Y_1 = Y_0 + mu~_1 dt L(Y_0)
///     Y_j = mu_j Y_{j-1} + nu_j Y_{j-2} + (1 - mu_j - nu_j) Y_0 + mu~_j dt L(Y_{j-1}) + gamma~_j
///     dt L(Y_0)
struct Rkl2
{
    std::vector<double> mu, nu, mu_tilde, gamma_tilde;
};
Rkl2 rkl2(int stages);

} // namespace tawara::diffusion
