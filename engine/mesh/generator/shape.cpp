// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/generator/shape.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <map>

namespace tawara::mesh::generator {
namespace {

/// First-order signed distance from the ellipsoid with these semi-axes: g (g - 1) / |grad g^2 / 2|,
/// g = |p / axes|; exact zero set, unit gradient on it. With a lean, of the ellipsoid sheared by
/// x -> x - lean z.
double ellipsoid(Vec3 p, const Vec3& axes, double lean = 0)
{
    p[0] += lean * p[2];
    const Vec3 a{p[0] / axes[0], p[1] / axes[1], p[2] / axes[2]};
    const Vec3 b{a[0] / axes[0], a[1] / axes[1], a[2] / axes[2] + lean * a[0] / axes[0]};
    const double g = norm(a), slope = norm(b);
    if (slope < 1e-12)
        return -std::min({axes[0], axes[1], axes[2]});
    return g * (g - 1) / slope;
}

/// min(a, b) with the corner rounded over |a - b| < k (cubic, continuous second derivative).
double smooth_min(double a, double b, double k)
{
    const double h = std::max(k - std::abs(a - b), 0.0) / k;
    return std::min(a, b) - h * h * h * k / 6;
}

/// Where the segment a-b crosses zero of f, by regula falsi kept safe by bisection.
template <class F>
Vec3 crossing(const F& f, Vec3 a, Vec3 b)
{
    double fa = f(a), fb = f(b);
    for (int i = 0; i < 60 && norm(b - a) > 1e-10; ++i) {
        const double t = i % 2 ? 0.5 : std::clamp(fa / (fa - fb), 0.01, 0.99);
        const Vec3 c = a + t * (b - a);
        const double fc = f(c);
        if ((fc < 0) == (fa < 0))
            a = c, fa = fc;
        else
            b = c, fb = fc;
    }
    return 0.5 * (a + b);
}

/// Closed zero curves of f(x, y) on a grid of squares cut into triangles (so that no case is
/// ambiguous).
template <class F>
std::vector<std::vector<Vec3>> zero_curves(const F& f, const Vec3& low, const Vec3& high,
                                           double step)
{
    const auto nx = static_cast<std::int64_t>(std::ceil((high[0] - low[0]) / step)) + 1;
    const auto ny = static_cast<std::int64_t>(std::ceil((high[1] - low[1]) / step)) + 1;
    const auto at = [&](std::int64_t n) {
        const std::int64_t column = n % nx, row = n / nx;
        return Vec3{low[0] + static_cast<double>(column) * step,
                    low[1] + static_cast<double>(row) * step, 0};
    };
    std::vector<char> inside(static_cast<std::size_t>(nx * ny));
    for (std::int64_t n = 0; n < nx * ny; ++n)
        inside[static_cast<std::size_t>(n)] = f(at(n)) < 0;
    using Edge = std::pair<std::int64_t, std::int64_t>;
    std::map<Edge, std::vector<Edge>>
        links; // a crossed grid edge: the two that follow it on its curve
    const auto triangle = [&](std::array<std::int64_t, 3> n) {
        std::vector<Edge> cut;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto a = n[k], b = n[(k + 1) % 3];
            if (inside[static_cast<std::size_t>(a)] != inside[static_cast<std::size_t>(b)])
                cut.emplace_back(std::min(a, b), std::max(a, b));
        }
        if (cut.size() == 2)
            links[cut[0]].push_back(cut[1]), links[cut[1]].push_back(cut[0]);
    };
    for (std::int64_t j = 0; j + 1 < ny; ++j)
        for (std::int64_t i = 0; i + 1 < nx; ++i) {
            const auto n = j * nx + i;
            triangle({n, n + 1, n + nx + 1});
            triangle({n, n + nx + 1, n + nx});
        }
    std::vector<std::vector<Vec3>> curves;
    while (!links.empty()) {
        std::vector<Vec3> curve;
        Edge e = links.begin()->first;
        for (auto it = links.begin(); it != links.end(); it = links.find(e)) {
            curve.push_back(crossing(f, at(e.first), at(e.second)));
            const auto next = it->second;
            links.erase(it);
            for (const auto& n : next)
                if (links.contains(n)) {
                    e = n;
                    break;
                }
        }
        curves.push_back(std::move(curve));
    }
    return curves;
}

/// The closed curve with points equally spaced along it, the first one kept.
std::vector<Vec3> respaced(const std::vector<Vec3>& c, double step)
{
    std::vector<double> s{0};
    for (std::size_t i = 0; i < c.size(); ++i)
        s.push_back(s.back() + norm(c[(i + 1) % c.size()] - c[i]));
    const auto n =
        std::max<std::size_t>(12, static_cast<std::size_t>(std::lround(s.back() / step)));
    std::vector<Vec3> out;
    std::size_t k = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double at = s.back() * static_cast<double>(i) / static_cast<double>(n);
        while (k + 2 < s.size() && s[k + 1] <= at)
            ++k;
        const double t = (at - s[k]) / std::max(s[k + 1] - s[k], 1e-300);
        out.push_back(c[k] + t * (c[(k + 1) % c.size()] - c[k]));
    }
    return out;
}

} // namespace

Shape::Shape(const HeartParameters& p)
    : biventricular_(p.shape == HeartShape::biventricular), base_(p.base_plane_mm),
      blend_(p.blend_mm), lean_(p.rv_lean)
{
    const double r = p.lv_short_axis_mm, l = p.lv_long_axis_mm;
    endo_ = {r, r, l};
    epi_ = {r + p.lv_wall_mm, r + p.lv_wall_mm, l + p.apex_wall_mm};
    septum_ = {r + p.septum_mm, r + p.septum_mm, l + p.apex_wall_mm};
    rv_centre_ = {-p.rv_offset_mm, 0, 0};
    rv_endo_ = {p.rv_reach_mm - p.rv_offset_mm, p.rv_span_mm, p.rv_long_axis_mm};
    rv_epi_ = rv_endo_ + Vec3{p.rv_wall_mm, p.rv_wall_mm, p.rv_wall_mm};
    low_ = -1.0 * epi_;
    high_ = {epi_[0], epi_[1], base_};
    if (biventricular_)
        for (std::size_t k = 0; k < 3; ++k) {
            low_[k] = std::min(low_[k], rv_centre_[k] - rv_epi_[k]);
            if (k < 2)
                high_[k] = std::max(high_[k], rv_centre_[k] + rv_epi_[k]);
        }
    if (biventricular_) {
        low_[0] -= lean_ * std::max(base_, 0.0);
        high_[0] += lean_ * rv_epi_[2];
    }
    const double margin = biventricular_ ? 1 + blend_ / 6 : 1;
    low_ = low_ - Vec3{margin, margin, margin};
    high_ = high_ + Vec3{margin, margin, 0};
}

double Shape::rv(const Vec3& p, const Vec3& axes) const
{
    return ellipsoid(p - rv_centre_, axes, lean_);
}

double Shape::outer(const Vec3& p) const
{
    const double left = ellipsoid(p, epi_);
    return biventricular_ ? smooth_min(left, rv(p, rv_epi_), blend_) : left;
}

double Shape::lv_cavity(const Vec3& p) const
{
    return ellipsoid(p, endo_);
}

double Shape::rv_cavity(const Vec3& p) const
{
    return -smooth_min(-rv(p, rv_endo_), ellipsoid(p, septum_), blend_ / 2);
}

double Shape::open(const Vec3& p) const
{
    const double wall = std::max(outer(p), -lv_cavity(p));
    return biventricular_ ? std::max(wall, -rv_cavity(p)) : wall;
}

double Shape::operator()(const Vec3& p) const
{
    return std::max(open(p), p[2] - base_);
}

Wall Shape::wall(const Vec3& p) const
{
    const double epi = std::abs(outer(p)), left = std::abs(lv_cavity(p));
    if (biventricular_ && std::abs(rv_cavity(p)) < std::min(epi, left))
        return Wall::endo_rv;
    return epi < left ? Wall::epi : Wall::endo_lv;
}

std::vector<std::vector<Vec3>> Shape::rims(double step_mm) const
{
    std::vector<std::vector<Vec3>> out(biventricular_ ? 3 : 2);
    const double grid = std::min(step_mm, 0.02 * (high_[0] - low_[0]));
    const auto lift = [&](Vec3 q) { return Vec3{q[0], q[1], base_}; };
    const auto curves =
        zero_curves([&](const Vec3& q) { return open(lift(q)); }, low_, high_, grid);
    for (const auto& c : curves) {
        const Wall w = wall(lift(c.front()));
        const std::size_t k = w == Wall::epi ? 0 : w == Wall::endo_lv ? 1 : 2;
        if (!out[k].empty())
            throw InputError(no_heart_file,
                             "a wall cuts the base in more than one curve; the right "
                             "ventricle should be bigger or nearer to the left one");
        for (const auto& q : respaced(c, step_mm))
            out[k].push_back(lift(q));
    }
    for (const auto& c : out)
        if (c.empty())
            throw InputError(no_heart_file,
                             "a cavity does not reach the base; base_plane_mm should be lower "
                             "or the right ventricle bigger");
    return out;
}

double domain_volume_mm3(const HeartParameters& p, double spacing_mm)
{
    validate(p);
    const Shape f(p);
    const double h = spacing_mm;
    // Volume fraction of a grid cell from the distance at its centre: exact for a plane through it
    // on average over directions to second order; only cells near the boundary matter.
    const auto nz = static_cast<std::int64_t>(std::ceil((f.high()[2] - f.low()[2]) / h));
    const double dz = (f.high()[2] - f.low()[2]) / static_cast<double>(nz);
    double sum = 0;
    for (std::int64_t k = 0; k < nz; ++k)
        for (double y = f.low()[1] + h / 2; y < f.high()[1]; y += h)
            for (double x = f.low()[0] + h / 2; x < f.high()[0]; x += h) {
                const Vec3 c{x, y, f.low()[2] + (static_cast<double>(k) + 0.5) * dz};
                sum += std::clamp(0.5 - f.open(c) / h, 0.0, 1.0);
            }
    return sum * h * h * dz;
}

} // namespace tawara::mesh::generator
