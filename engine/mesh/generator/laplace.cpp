// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/generator/laplace.hpp"

#include "engine/mesh/mesh_error.hpp"

#include <Eigen/IterativeLinearSolvers>

#include <algorithm>
#include <numeric>

namespace tawara::mesh::generator {
namespace {

/// Every free vertex has to be joined to a fixed one, or the matrix is singular.
void check_reached(const TetMesh& m, const std::vector<char>& fixed)
{
    std::vector<std::int32_t> root(m.vertex_count());
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](std::int32_t v) {
        auto at = [&](std::int32_t i) -> std::int32_t& {
            return root[static_cast<std::size_t>(i)];
        };
        while (at(v) != v)
            v = at(v) = at(at(v));
        return v;
    };
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        const auto c = m.corners(t);
        for (std::size_t k = 1; k < 4; ++k)
            root[static_cast<std::size_t>(find(c[k]))] = find(c[0]);
    }
    std::vector<char> reached(m.vertex_count(), 0);
    for (std::size_t v = 0; v < fixed.size(); ++v)
        if (fixed[v])
            reached[static_cast<std::size_t>(find(static_cast<std::int32_t>(v)))] = 1;
    for (std::size_t v = 0; v < fixed.size(); ++v)
        if (!reached[static_cast<std::size_t>(find(static_cast<std::int32_t>(v)))])
            throw MeshError("mesh",
                            "the piece with vertex " + std::to_string(v) +
                                " touches none of the walls that the fibre rule starts from; "
                                "it should be removed or the walls marked");
}

} // namespace

std::array<Vec3, 4> shape_gradients(const TetMesh& m, std::size_t t)
{
    const auto c = m.corners(t);
    std::array<Vec3, 4> p;
    for (std::size_t k = 0; k < 4; ++k)
        p[k] = m.vertex(static_cast<std::size_t>(c[k]));
    const Vec3 a = p[1] - p[0], b = p[2] - p[0], d = p[3] - p[0];
    const double s = 1 / dot(cross(a, b), d);
    std::array<Vec3, 4> g;
    g[1] = s * cross(b, d);
    g[2] = s * cross(d, a);
    g[3] = s * cross(a, b);
    g[0] = -1.0 * (g[1] + g[2] + g[3]);
    return g;
}

LaplaceSolver::LaplaceSolver(const TetMesh& m, std::vector<char> fixed) : fixed_(std::move(fixed))
{
    check_reached(m, fixed_);
    unknown_.assign(m.vertex_count(), -1);
    std::int32_t n = 0;
    for (std::size_t v = 0; v < fixed_.size(); ++v)
        if (!fixed_[v])
            unknown_[v] = n++;
    using Triplet = Eigen::Triplet<double>;
    std::vector<Triplet> inner, outer;
    inner.reserve(16 * m.tetrahedron_count());
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        const auto c = m.corners(t);
        const auto g = shape_gradients(m, t);
        const double volume = std::abs(m.volume(t));
        for (std::size_t i = 0; i < 4; ++i) {
            const auto row = unknown_[static_cast<std::size_t>(c[i])];
            if (row < 0)
                continue;
            for (std::size_t j = 0; j < 4; ++j) {
                const auto v = static_cast<std::size_t>(c[j]);
                const double k = volume * dot(g[i], g[j]);
                if (unknown_[v] >= 0)
                    inner.emplace_back(row, unknown_[v], k);
                else
                    outer.emplace_back(row, static_cast<int>(v), k);
            }
        }
    }
    free_.resize(n, n);
    free_.setFromTriplets(inner.begin(), inner.end());
    rest_.resize(n, static_cast<Eigen::Index>(m.vertex_count()));
    rest_.setFromTriplets(outer.begin(), outer.end());
}

std::vector<double> LaplaceSolver::solve(const std::vector<double>& values,
                                         const Progress& progress, std::string_view stage) const
{
    progress.at(0, stage);
    const auto all = static_cast<Eigen::Index>(values.size());
    Eigen::VectorXd given = Eigen::VectorXd::Zero(all);
    double low = INFINITY, high = -INFINITY;
    for (std::size_t v = 0; v < values.size(); ++v)
        if (fixed_[v]) {
            given[static_cast<Eigen::Index>(v)] = values[v];
            low = std::min(low, values[v]);
            high = std::max(high, values[v]);
        }
    const Eigen::VectorXd rhs = -(rest_ * given);
    Eigen::VectorXd x = Eigen::VectorXd::Constant(free_.rows(), 0.5 * (low + high));
    if (free_.rows() > 0) {
        Eigen::ConjugateGradient<Eigen::SparseMatrix<double>, Eigen::Lower | Eigen::Upper,
                                 Eigen::IncompleteCholesky<double>>
            solver(free_);
        solver.setTolerance(1e-9);
        solver.setMaxIterations(500);
        // In rounds, so that it can be cancelled; few, as each starts anew.
        constexpr int rounds = 40;
        for (int i = 0; i < rounds; ++i) {
            x = solver.solveWithGuess(rhs, x);
            if (solver.info() == Eigen::Success || rhs.norm() == 0)
                break;
            if (i + 1 == rounds || !std::isfinite(solver.error()))
                throw MeshError("mesh",
                                "Laplace's equation could not be solved on it; its tetrahedra "
                                "should be of better shape (see mesh check)");
            progress.at(static_cast<double>(i) / (i + 1.0), stage);
        }
    }
    std::vector<double> out(values.size());
    for (std::size_t v = 0; v < out.size(); ++v)
        out[v] = fixed_[v] ? values[v] : std::clamp(x[unknown_[v]], low, high);
    progress.at(1, stage);
    return out;
}

} // namespace tawara::mesh::generator
