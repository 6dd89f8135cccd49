// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/generator/heart.hpp"

#include "engine/mesh/check.hpp"
#include "engine/mesh/generator/fibres.hpp"
#include "engine/mesh/generator/tetrahedralise.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/topology.hpp"

#include <algorithm>
#include <numbers>

namespace tawara::mesh::generator {
namespace {

/// The boundary with its walls told by the shape itself.
Surface walls_by_shape(const TetMesh& m, const std::vector<std::array<std::int32_t, 4>>& neighbours,
                       const Shape& shape)
{
    Surface s = surface(m, neighbours);
    for (std::size_t i = 0; i < s.triangles.size(); ++i) {
        Vec3 centre{};
        bool flat = true;
        for (auto k : s.triangles[i]) {
            const Vec3 p =
                m.vertex(static_cast<std::size_t>(s.vertices[static_cast<std::size_t>(k)]));
            centre = centre + (1.0 / 3) * p;
            flat = flat && p[2] == shape.base_z();
        }
        s.wall[i] = flat ? Wall::base : shape.wall(centre);
    }
    return s;
}

Field field(std::string name, Field::On on, std::size_t n)
{
    return {std::move(name), on, 1, std::vector<float>(n)};
}

Field vertex_field(std::string name, const std::vector<double>& values)
{
    auto f = field(std::move(name), Field::On::vertices, values.size());
    std::transform(values.begin(), values.end(), f.values.begin(),
                   [](double v) { return static_cast<float>(v); });
    return f;
}

/// AHA segment of a place in the left ventricle: thirds of the cavity's length from base to its
/// apex, in 6, 6 and 4 sectors that start at anterior (-y) and go by the septum (-x); 17 below the
/// cavity.
int aha_segment(const Vec3& p, const Shape& shape)
{
    const double apex = shape.lv_cavity_apex_z();
    if (p[2] < apex)
        return 17;
    const double level =
        (shape.base_z() - p[2]) / (shape.base_z() - apex); // 0 base, 1 cavity's apex
    const double angle =
        std::atan2(-p[0], -p[1]) * 180 / std::numbers::pi + 360; // from anterior by the septum
    if (level < 2.0 / 3)
        return (level < 1.0 / 3 ? 1 : 7) + static_cast<int>((angle + 30) / 60) % 6;
    return 13 + static_cast<int>((angle + 45) / 90) % 4;
}

/// Regions, layers, ventricles and segments, from the potentials.
void label(TetMesh& m, const HeartParameters& p, const Shape& shape, const WallPotentials& w)
{
    const std::size_t n = m.tetrahedron_count();
    auto depth = vertex_field("transmural", transmural(w));
    auto layer = field("layer", Field::On::tetrahedra, n);
    auto side = field("ventricle", Field::On::tetrahedra, n);
    auto segment = field("aha_segment", Field::On::tetrahedra, n);
    const auto ventricle = ventricles(m, w);
    for (std::size_t t = 0; t < n; ++t) {
        double mean = 0, lv = 0, rv = 0;
        for (auto c : m.corners(t)) {
            const auto v = static_cast<std::size_t>(c);
            mean += 0.25 * static_cast<double>(depth.values[v]);
            lv += w.lv[v], rv += w.rv[v];
        }
        int l = mean < p.endo_fraction ? 0 : mean > 1 - p.epi_fraction ? 2 : 1;
        int number = l; // within the ventricle's three labels
        if (ventricle[t] == 3) {
            l = std::min(l, 1);
            number = l == 1 ? 1 : lv >= rv ? 0 : 2;
        }
        layer.values[t] = static_cast<float>(l);
        side.values[t] = static_cast<float>(ventricle[t]);
        m.region[t] = 3 * (ventricle[t] - 1) + 1 + number;
        const int aha = ventricle[t] == 2 ? 0 : aha_segment(m.centroid(t), shape);
        segment.values[t] = static_cast<float>(aha);
    }
    m.fields = {std::move(depth), vertex_field("apex_base", apex_base(m, w)), std::move(layer),
                std::move(side), std::move(segment)};
}

} // namespace

TetMesh generate_heart(const HeartParameters& p, const Progress& progress)
{
    validate(p);
    const Shape shape(p);
    TetMesh m = tetrahedralise(shape, p.edge_mm, progress);
    const auto checked = check_and_clean(m, no_heart_file, progress);
    const auto w = wall_potentials(m, walls_by_shape(m, checked.neighbours, shape), progress);
    label(m, p, shape, w);
    assign_rule_based_fibres(
        m, w, {p.helix_endo_deg, p.helix_epi_deg, p.sheet_endo_deg, p.sheet_epi_deg}, progress);
    return m;
}

double edge_mm_for(const HeartParameters& p, std::int64_t tetrahedra)
{
    const double thin = p.shape == HeartShape::lv ? std::min(p.lv_wall_mm, p.apex_wall_mm)
                                                  : std::min(p.rv_wall_mm, p.septum_mm);
    const double volume = domain_volume_mm3(p, 1) / static_cast<double>(tetrahedra);
    double edge = std::cbrt(volume / 0.11);
    for (int i = 0; i < 50; ++i)
        edge = std::cbrt(volume / mean_volume_per_edge_cubed(edge / thin));
    return edge;
}

} // namespace tawara::mesh::generator
