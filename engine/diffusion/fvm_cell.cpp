// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/diffusion/fvm_cell.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::diffusion {

namespace {

using Matrix43 = Eigen::Matrix<double, 4, 3>;
using Matrix34 = Eigen::Matrix<double, 3, 4>;

Eigen::Vector3d point(const Vec3& p)
{
    return {p[0], p[1], p[2]};
}

Eigen::Matrix3d matrix(const Tensor& t)
{
    Eigen::Matrix3d d;
    d << t[0], t[3], t[4], t[3], t[1], t[5], t[4], t[5], t[2];
    return d;
}

/// Least squares in the scaled variables X~ = W^1/2 X: its pseudo-inverse and the unit vector r
/// that is orthogonal to its range.
struct LeastSquares
{
    Matrix34 inverse;
    Eigen::Vector4d residual;
    bool usable;
};

LeastSquares least_squares(const Matrix43& x)
{
    const Eigen::HouseholderQR<Matrix43> qr(x);
    const Eigen::Matrix4d q = qr.householderQ();
    const Eigen::Matrix3d r = qr.matrixQR().topRows<3>().triangularView<Eigen::Upper>();
    const Eigen::Vector3d size = r.diagonal().cwiseAbs();
    LeastSquares out;
    out.usable = size.minCoeff() > 1e-10 * x.norm(); // false also for NaN
    if (out.usable) {
        const Matrix34 rhs = q.leftCols<3>().transpose();
        out.inverse = r.triangularView<Eigen::Upper>().solve(rhs);
        out.residual = q.col(3);
    }
    return out;
}

} // namespace

FvmCell fvm_cell(const mesh::TetMesh& m, const FaceNeighbours& links,
                 std::span<const Tensor> diffusivity, std::size_t i)
{
    FvmCell c;
    c.d = matrix(diffusivity[i]);
    c.volume = m.volume(i);
    const Eigen::Vector3d centre = point(m.centroid(i));
    const auto corners = m.corners(i);
    for (int f = 0; f < 4; ++f) {
        const auto& face = mesh::face_corners[static_cast<std::size_t>(f)];
        auto corner = [&](int k) {
            return point(m.vertex(static_cast<std::size_t>(
                corners[static_cast<std::size_t>(face[static_cast<std::size_t>(k)])])));
        };
        const Eigen::Vector3d a = corner(0);
        const Eigen::Vector3d twice = (corner(1) - a).cross(corner(2) - a);
        const double area = twice.norm() / 2;
        const Eigen::Vector3d n = twice / (2 * area);
        const Eigen::Vector3d dn = c.d * n;
        const double lambda = n.dot(dn), delta = 3 * c.volume / (4 * area);
        double mu = 0.5, tau = lambda / (2 * delta);
        Eigen::Vector3d d = 2 * delta / lambda * dn;
        const auto j = links[i][static_cast<std::size_t>(f)];
        c.inner[static_cast<std::size_t>(f)] = j >= 0;
        if (j >= 0) {
            const auto u = static_cast<std::size_t>(j);
            const Eigen::Vector3d other = matrix(diffusivity[u]) * n;
            const double lambda_j = n.dot(other), delta_j = 3 * m.volume(u) / (4 * area);
            tau = 1 / (delta / lambda + delta_j / lambda_j);
            mu = delta / lambda * tau;
            d = point(m.centroid(u)) - centre + delta_j / lambda_j * (dn - other);
        }
        c.x.row(f) = d.transpose();
        c.y.row(f) = area * mu * dn.transpose();
        c.w[f] = area * mu * tau;
    }
    return c;
}

Eigen::Matrix4d plain_flux(const FvmCell& c)
{
    const Eigen::Vector4d root = c.w.cwiseSqrt();
    const auto ls = least_squares(root.asDiagonal() * c.x);
    if (!ls.usable)
        return c.w.asDiagonal();
    const Matrix43 y = root.cwiseInverse().asDiagonal() * c.y;
    const Eigen::Matrix4d k = y * ls.inverse + ls.residual * ls.residual.transpose();
    return root.asDiagonal() * k * root.asDiagonal();
}

Eigen::Matrix4d repaired_flux(const FvmCell& c)
{
    constexpr double least_h = 0.05, largest_norm = 6;
    const Eigen::Vector4d root = c.w.cwiseSqrt();
    const auto ls = least_squares(root.asDiagonal() * c.x);
    if (!ls.usable)
        return c.w.asDiagonal();

    // (1) The linear part gets at least `least_h` of the energy of a true gradient.
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> of_d(c.d);
    const Eigen::Matrix3d half = of_d.operatorSqrt(), inverse_half = of_d.operatorInverseSqrt();
    auto sym = [](const Eigen::Matrix3d& a) -> Eigen::Matrix3d { return (a + a.transpose()) / 2; };
    const Eigen::Matrix3d h = sym(inverse_half * (c.x.transpose() * c.y) * inverse_half) / c.volume;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> of_h(h);
    const Eigen::Matrix3d q = half * of_h.eigenvectors();
    const Eigen::Vector3d lift = (least_h - of_h.eigenvalues().array()).max(0.0);
    const Eigen::Matrix3d ds = c.volume * q * lift.asDiagonal() * q.transpose();
    // In scaled variables: X+ = X~+ W^1/2, so W^-1/2 (X+)^T dS = (X~+)^T dS.
    Matrix43 y = root.cwiseInverse().asDiagonal() * c.y;
    y += ls.inverse.transpose() * ds;

    // (2) The residual part outweighs its coupling to the linear part.
    const Matrix43 x = root.asDiagonal() * c.x;
    const Eigen::Matrix3d s = sym(x.transpose() * y);
    const Eigen::Vector3d coupling = y.transpose() * ls.residual / 2;
    const double need = coupling.dot(s.ldlt().solve(coupling));
    const double beta = std::max(1.0, 1.1 * need + 0.02);
    Eigen::Matrix4d k = y * ls.inverse + beta * ls.residual * ls.residual.transpose();

    // (3) The norm is bounded by mixing with the two-point flux.
    const Eigen::Matrix4d square = k.transpose() * k;
    const double norm =
        std::sqrt(Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>(square, Eigen::EigenvaluesOnly)
                      .eigenvalues()
                      .maxCoeff());
    if (!std::isfinite(norm))
        return c.w.asDiagonal();
    if (norm > largest_norm) {
        const double t = (norm - largest_norm) / (norm - 1);
        k = (1 - t) * k + t * Eigen::Matrix4d::Identity();
    }
    return root.asDiagonal() * k * root.asDiagonal();
}

double smallest_eigenvalue(const FvmCell& c, const Eigen::Matrix4d& k)
{
    const Eigen::Vector4d inverse_root = c.w.cwiseSqrt().cwiseInverse();
    Eigen::Matrix4d s =
        inverse_root.asDiagonal() * ((k + k.transpose()) / 2) * inverse_root.asDiagonal();
    const double large = 1 + s.norm();
    bool any = false;
    for (int f = 0; f < 4; ++f) {
        if (c.inner[static_cast<std::size_t>(f)]) {
            any = true;
            continue;
        }
        s.row(f).setZero(); // out of the way of the smallest eigenvalue
        s.col(f).setZero();
        s(f, f) = large;
    }
    if (!any)
        return 1;
    return Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>(s, Eigen::EigenvaluesOnly)
        .eigenvalues()[0];
}

} // namespace tawara::diffusion
