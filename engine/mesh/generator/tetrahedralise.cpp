// SPDX-License-Identifier: GPL-3.0-or-later
// CGAL's own assertions make debug builds a hundred times slower.
#define CGAL_NDEBUG 1
#include "engine/mesh/generator/tetrahedralise.hpp"

#include "engine/core/error.hpp"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Labeled_mesh_domain_3.h>
#include <CGAL/Mesh_complex_3_in_triangulation_3.h>
#include <CGAL/Mesh_criteria_3.h>
#include <CGAL/Mesh_domain_with_polyline_features_3.h>
#include <CGAL/Mesh_triangulation_3.h>
#include <CGAL/Random.h>
#include <CGAL/exude_mesh_3.h>
#include <CGAL/make_mesh_3.h>
#include <CGAL/perturb_mesh_3.h>

#include <unordered_map>

namespace tawara::mesh::generator {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Point = Kernel::Point_3;
using Domain = CGAL::Mesh_domain_with_polyline_features_3<CGAL::Labeled_mesh_domain_3<Kernel>>;
using Triangulation = CGAL::Mesh_triangulation_3<Domain>::type;
using Complex = CGAL::Mesh_complex_3_in_triangulation_3<Triangulation, Domain::Corner_index,
                                                        Domain::Curve_index>;
using Criteria = CGAL::Mesh_criteria_3<Triangulation>;
namespace params = CGAL::parameters;

/// Tells progress from within CGAL, which asks for the domain's function all the time.
class Ticker
{
  public:
    explicit Ticker(const Progress& p) : progress_(p) {}
    void tick()
    {
        if (++count_ % 16384 == 0)
            progress_.at(1 - 1 / (1 + static_cast<double>(count_) / expected_), stage_);
    }
    void stage(std::string_view s, double expected)
    {
        count_ = 0, stage_ = s, expected_ = expected;
        progress_.at(0, s);
    }

  private:
    const Progress& progress_;
    std::string_view stage_;
    double expected_ = 1;
    std::int64_t count_ = 0;
};

TetMesh extracted(const Complex& c, const Shape& shape, double tolerance)
{
    TetMesh m;
    std::unordered_map<const void*, std::int32_t> index;
    for (auto cell = c.cells_in_complex_begin(); cell != c.cells_in_complex_end(); ++cell) {
        std::array<std::int32_t, 4> corner{};
        for (int k = 0; k < 4; ++k) {
            const auto v = cell->vertex(k);
            const auto [at, fresh] =
                index.try_emplace(&*v, static_cast<std::int32_t>(m.vertex_count()));
            if (fresh) {
                Vec3 p{v->point().x(), v->point().y(), v->point().z()};
                if (v->in_dimension() < 3 && std::abs(p[2] - shape.base_z()) < tolerance)
                    p[2] = shape.base_z();
                m.add_vertex(p);
            }
            corner[static_cast<std::size_t>(k)] = at->second;
        }
        m.add_tetrahedron(corner, 1);
        if (m.volume(m.tetrahedron_count() - 1) < 0)
            std::swap(m.corner[0].back(), m.corner[1].back());
    }
    return m;
}

} // namespace

TetMesh tetrahedralise(const Shape& shape, double edge_mm, const Progress& progress)
{
    CGAL::get_default_random() = CGAL::Random(1); // per thread: the same start for every call
    Ticker ticker(progress);
    const double n = std::pow((shape.high()[0] - shape.low()[0]) / edge_mm, 3);
    ticker.stage("meshing", 30 * n);
    const auto f = [&](const Point& p) {
        ticker.tick();
        return shape({p.x(), p.y(), p.z()});
    };
    const Vec3 centre = 0.5 * (shape.low() + shape.high());
    const double radius = 0.55 * norm(shape.high() - shape.low());
    Domain domain = Domain::create_implicit_mesh_domain(
        f, Kernel::Sphere_3(Point(centre[0], centre[1], centre[2]), radius * radius),
        params::relative_error_bound = 1e-7);

    std::vector<std::vector<Point>> rims;
    for (const auto& rim : shape.rims(0.1 * edge_mm)) {
        std::vector<Point> line;
        for (const auto& q : rim)
            line.emplace_back(q[0], q[1], q[2]);
        line.push_back(line.front());
        rims.push_back(std::move(line));
    }
    domain.add_features(rims.begin(), rims.end());

    const Criteria criteria(params::edge_size = 1.0 * edge_mm, params::facet_angle = 28,
                            params::facet_size = 0.68 * edge_mm,
                            params::facet_distance = 0.06 * edge_mm,
                            params::cell_radius_edge_ratio = 2, params::cell_size = 0.80 * edge_mm);
    auto complex = CGAL::make_mesh_3<Complex>(domain, criteria, params::no_perturb(),
                                              params::no_exude(), params::manifold());
    ticker.stage("improving", 30 * n);
    CGAL::perturb_mesh_3(complex, domain, params::sliver_bound = 12);
    CGAL::exude_mesh_3(complex);
    TetMesh m = extracted(complex, shape, 1e-3 * edge_mm);
    if (m.tetrahedron_count() == 0)
        throw InputError("heart", "edge_mm is too long for this shape; it should be shorter");
    return m;
}

double mean_volume_per_edge_cubed(double edges)
{
    struct Knot
    {
        double edges, volume;
    };
    constexpr std::array knots{Knot{0, 0.1185},    Knot{0.25, 0.1167}, Knot{0.5, 0.1139},
                               Knot{0.625, 0.107}, Knot{0.75, 0.1004}, Knot{1, 0.095}};
    if (edges >= knots.back().edges)
        return knots.back().volume;
    std::size_t k = 1;
    while (knots[k].edges <= edges)
        ++k;
    const auto &a = knots[k - 1], &b = knots[k];
    return a.volume + (edges - a.edges) / (b.edges - a.edges) * (b.volume - a.volume);
}

} // namespace tawara::mesh::generator
