// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/tet_mesh.hpp"

#include <Eigen/SparseCore>

namespace tawara::mesh::generator {

/// Gradients of the four linear shape functions of a tetrahedron [1/mm].
std::array<Vec3, 4> shape_gradients(const TetMesh& m, std::size_t t);

/// Laplace's equation on the vertices of a mesh by linear finite elements, for one set of fixed
/// vertices and several right-hand sides; no flux elsewhere on the boundary.
class LaplaceSolver
{
  public:
    /// @param fixed  per vertex: non-zero where values will be given
    /// @throws MeshError when a vertex is connected to no fixed one
    LaplaceSolver(const TetMesh& m, std::vector<char> fixed);

    /// @param values  per vertex; read where fixed
    /// @return        per vertex; relative residual 1e-9, clamped to the range of the fixed values
    /// @throws MeshError when the iteration does not converge; Cancelled
    std::vector<double> solve(const std::vector<double>& values, const Progress& progress,
                              std::string_view stage) const;

  private:
    std::vector<char> fixed_;
    std::vector<std::int32_t> unknown_; ///< number among the free vertices, or -1
    Eigen::SparseMatrix<double> free_;  ///< free x free, symmetric positive definite
    Eigen::SparseMatrix<double> rest_;  ///< free x all, columns of fixed vertices only
};

} // namespace tawara::mesh::generator
