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

/// Tells progress from within CGAL, which has no word for it: from what it asks for all the time,
/// the domain's function, a cell's size, a cell's least angle.
class Ticker
{
  public:
    explicit Ticker(const Progress& p) : progress_(p) {}
    void tick()
    {
        if (++count_ % 4096 == 0)
            progress_.at(fraction(static_cast<double>(count_) / expected_), stage_);
    }
    void stage(std::string_view s, double expected)
    {
        count_ = 0, stage_ = s, expected_ = expected;
        progress_.at(0, s);
    }

  private:
    /// Of what may take more than expected.
    static double fraction(double x) { return x < 0.8 ? x : 1 - 0.16 / x; }

    const Progress& progress_;
    std::string_view stage_;
    double expected_ = 1;
    std::int64_t count_ = 0;
};

/// One size for all cells, as a field: fields are asked for each cell.
struct TickedSize
{
    using FT = Kernel::FT;
    using Point_3 = Point;
    using Index = Domain::Index;

    FT operator()(const Point_3&, int, const Index&) const
    {
        ticker->tick();
        return size;
    }
    FT size;
    Ticker* ticker;
};

/// What cells are judged by while slivers are removed.
class TickedAngle : public CGAL::Mesh_3::Min_dihedral_angle_criterion<Triangulation>
{
    using Base = CGAL::Mesh_3::Min_dihedral_angle_criterion<Triangulation>;

  public:
    TickedAngle(const Triangulation& t, Ticker& ticker) : Base(0, t), ticker_(&ticker) {}
    using Base::operator();
    double operator()(const Base::Tetrahedron_3& t) const override
    {
        ticker_->tick();
        return Base::operator()(t);
    }

  private:
    Ticker* ticker_;
};

/// CGAL::exude_mesh_3() with a criterion of one's own.
void remove_slivers(Complex& c, Ticker& ticker)
{
    CGAL::Mesh_3::Slivers_exuder<Complex, TickedAngle> exuder(
        c, TickedAngle(c.triangulation(), ticker));
    exuder.set_time_limit(0);
    exuder();
}

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
    // the functions' calls, counted for hearts of 26 000 to 490 000 tetrahedra
    ticker.stage("meshing", 3000 * std::pow(n, 2.0 / 3));
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
                            params::cell_radius_edge_ratio = 2,
                            params::cell_size = TickedSize{0.80 * edge_mm, &ticker});
    auto complex = CGAL::make_mesh_3<Complex>(domain, criteria, params::no_perturb(),
                                              params::no_exude(), params::manifold());
    const auto cells = static_cast<double>(complex.number_of_cells_in_complex());
    ticker.stage("improving", 12 * cells);
    CGAL::perturb_mesh_3(complex, domain, params::sliver_bound = 12);
    ticker.stage("removing slivers", 24 * cells);
    remove_slivers(complex, ticker);
    TetMesh m = extracted(complex, shape, 1e-3 * edge_mm);
    if (m.tetrahedron_count() == 0)
        throw InputError(no_heart_file, "edge_mm is too long for this shape; it should be shorter");
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
