// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/generator/fibres.hpp"

#include "engine/mesh/generator/laplace.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <numbers>

namespace tawara::mesh::generator {
namespace {

using Quaternion = Eigen::Quaterniond;

Eigen::Vector3d eigen(const Vec3& v)
{
    return {v[0], v[1], v[2]};
}

/// Gradients per tetrahedron, each the mean of its corners' mean gradients (volume-weighted).
std::vector<Vec3> smooth_gradients(const TetMesh& m, const std::vector<double>& u)
{
    std::vector<Vec3> at_vertex(m.vertex_count(), Vec3{});
    std::vector<double> weight(m.vertex_count(), 0);
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        const auto c = m.corners(t);
        const auto g = shape_gradients(m, t);
        const double volume = m.volume(t);
        Vec3 sum{};
        for (std::size_t k = 0; k < 4; ++k)
            sum = sum + u[static_cast<std::size_t>(c[k])] * g[k];
        for (auto v : c) {
            const auto i = static_cast<std::size_t>(v);
            at_vertex[i] = at_vertex[i] + volume * sum;
            weight[i] += volume;
        }
    }
    std::vector<Vec3> out(m.tetrahedron_count());
    for (std::size_t t = 0; t < out.size(); ++t) {
        Vec3 sum{};
        for (auto v : m.corners(t)) {
            const auto i = static_cast<std::size_t>(v);
            sum = sum + (0.25 / weight[i]) * at_vertex[i];
        }
        out[t] = sum;
    }
    return out;
}

/// The frame (circumferential, towards the base, transmural) as a rotation, from the transmural and
/// the apicobasal gradient. Where one vanishes or both are parallel, some frame that fits.
Quaternion frame(const Vec3& transmural, const Vec3& apicobasal)
{
    Eigen::Vector3d t = eigen(transmural);
    t = t.norm() > 1e-14 ? t.normalized().eval() : eigen(apicobasal).unitOrthogonal();
    Eigen::Vector3d l = eigen(apicobasal);
    l -= l.dot(t) * t;
    l = l.norm() > 1e-9 * norm(apicobasal) && l.norm() > 0 ? l.normalized().eval()
                                                           : t.unitOrthogonal();
    Eigen::Matrix3d q;
    q.col(0) = l.cross(t);
    q.col(1) = l;
    q.col(2) = t;
    return Quaternion(q).normalized();
}

/// Turned by the helix angle about the transmural axis, then by the sheet angle about the fibre.
Quaternion turned(const Quaternion& q, double helix_deg, double sheet_deg)
{
    constexpr double rad = std::numbers::pi / 180;
    return q * Eigen::AngleAxisd(rad * helix_deg, Eigen::Vector3d::UnitZ()) *
           Eigen::AngleAxisd(-rad * sheet_deg, Eigen::Vector3d::UnitX());
}

/// Interpolates from a (w = 0) to b (w = 1), where turning a frame by 180 degrees about one of its
/// axes makes no difference ("bislerp" of the paper).
Quaternion bislerp(const Quaternion& a, const Quaternion& b, double w)
{
    const std::array<Quaternion, 4> same{a, a * Quaternion(0, 1, 0, 0), a * Quaternion(0, 0, 1, 0),
                                         a * Quaternion(0, 0, 0, 1)};
    const Quaternion* nearest = &same[0];
    for (const auto& q : same)
        if (std::abs(q.dot(b)) > std::abs(nearest->dot(b)))
            nearest = &q;
    return nearest->slerp(w, b).normalized(); // slerp takes the shorter way
}

struct Gradients
{
    std::vector<Vec3> epi, lv, rv, ab;
};

Quaternion directions(const std::array<double, 3>& u, const std::array<Vec3, 4>& g,
                      const FibreRules& rules)
{
    const auto [epi, lv, rv] = u;
    const double depth = std::clamp(epi, 0.0, 1.0); // of the free walls; about 0 in the septum
    const double helix =
        rules.helix_endo_deg + depth * (rules.helix_epi_deg - rules.helix_endo_deg);
    const double sheet =
        rules.sheet_endo_deg + depth * (rules.sheet_epi_deg - rules.sheet_endo_deg);
    const double d = lv + rv > 1e-12 ? rv / (lv + rv) : 0;
    const double side = 1 - 2 * d;
    Quaternion q = turned(frame(-1.0 * g[1], g[3]), side * helix, side * sheet);
    if (d > 0)
        q = bislerp(q, turned(frame(g[2], g[3]), side * helix, side * sheet), d);
    return bislerp(q, turned(frame(g[0], g[3]), helix, sheet), depth);
}

} // namespace

void assign_rule_based_fibres(TetMesh& m, const WallPotentials& w, const FibreRules& rules,
                              const Progress& progress)
{
    progress.at(0, "fibres");
    const Gradients g{smooth_gradients(m, w.epi), smooth_gradients(m, w.lv),
                      smooth_gradients(m, w.rv), smooth_gradients(m, w.ab)};
    const std::size_t n = m.tetrahedron_count();
    m.fibre.resize(n), m.sheet.resize(n), m.normal.resize(n);
    for (std::size_t t = 0; t < n; ++t) {
        if (t % 16384 == 0)
            progress.at(static_cast<double>(t) / static_cast<double>(n), "fibres");
        std::array<double, 3> u{};
        for (auto c : m.corners(t)) {
            const auto v = static_cast<std::size_t>(c);
            u[0] += 0.25 * w.epi[v], u[1] += 0.25 * w.lv[v], u[2] += 0.25 * w.rv[v];
        }
        const Eigen::Matrix3d q =
            directions(u, {g.epi[t], g.lv[t], g.rv[t], g.ab[t]}, rules).toRotationMatrix();
        const auto column = [&](int k) { return Vec3{q(0, k), q(1, k), q(2, k)}; };
        m.fibre.set(t, column(0));
        m.sheet.set(t, column(2));
        m.normal.set(t, cross(column(0), column(2)));
    }
    progress.at(1, "fibres");
}

void assign_rule_based_fibres(TetMesh& m, const Surface& s, const FibreRules& rules,
                              const Progress& progress)
{
    assign_rule_based_fibres(m, wall_potentials(m, s, progress), rules, progress);
}

} // namespace tawara::mesh::generator
