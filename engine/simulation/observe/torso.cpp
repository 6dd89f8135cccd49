// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/torso.hpp"

#include "engine/analysis/torso.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation {
namespace {

constexpr double fullest = 0.9; // of the way from the trunk's axis to the skin: tissue
constexpr double grown = 1.05;
constexpr double largest = 100; // times

/// Area-weighted centre of a wall's triangles; false where there are none.
bool centre_of(const mesh::TetMesh& m, const mesh::Surface& s, mesh::Wall wall, Vec3& out)
{
    double area = 0;
    Vec3 sum{};
    for (std::size_t k = 0; k < s.triangles.size(); ++k) {
        if (s.wall[k] != wall)
            continue;
        std::array<Vec3, 3> p{};
        for (std::size_t i = 0; i < 3; ++i)
            p[i] = m.vertex(
                static_cast<std::size_t>(s.vertices[static_cast<std::size_t>(s.triangles[k][i])]));
        const double a = norm(cross(p[1] - p[0], p[2] - p[0]));
        sum = sum + (a / 3) * (p[0] + p[1] + p[2]);
        area += a;
    }
    if (area > 0)
        out = (1 / area) * sum;
    return area > 0;
}

/// Where the long axis of the left ventricle and the direction to the right ventricle point in an
/// adult lying on the back; left, posterior, superior.
const Vec3 long_axis_in_body = normalized(Vec3{0.45, -0.6, -0.66});
const Vec3 right_in_body = [] {
    const Vec3 r{-0.85, -0.5, 0};
    return normalized(r - dot(r, long_axis_in_body) * long_axis_in_body);
}();

Vec3 in_mesh(const TorsoFrame& f, const Vec3& body)
{
    return f.origin_mm +
           f.scale * (body[0] * f.left + body[1] * f.posterior + body[2] * f.superior);
}

} // namespace

TorsoFrame torso_frame(const mesh::TetMesh& m, const mesh::Surface& surface)
{
    TorsoFrame f;
    double volume = 0;
    Vec3 centre{};
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        const double v = m.volume(t);
        centre = centre + v * m.centroid(t);
        volume += v;
    }
    f.origin_mm = (1 / volume) * centre;
    constexpr double adult_mm3 = 130e3;
    f.scale = std::clamp(std::cbrt(volume / adult_mm3), 0.05, 1.5);
    Vec3 base{}, lv{}, rv{};
    if (!centre_of(m, surface, mesh::Wall::endo_lv, lv))
        return f;
    if (!centre_of(m, surface, mesh::Wall::base, base)) {
        // No base: the long axis is the one in which the left cavity is farthest from the heart's
        // centre.
        base = lv + (lv - f.origin_mm);
    }
    Vec3 apex = lv;
    for (std::size_t k = 0; k < surface.triangles.size(); ++k)
        if (surface.wall[k] == mesh::Wall::endo_lv)
            for (auto v : surface.triangles[k]) {
                const Vec3 p = m.vertex(
                    static_cast<std::size_t>(surface.vertices[static_cast<std::size_t>(v)]));
                if (norm(p - base) > norm(apex - base))
                    apex = p;
            }
    const Vec3 a = normalized(apex - base);
    Vec3 r = centre_of(m, surface, mesh::Wall::endo_rv, rv) ? rv - lv : Vec3{-1, 0, 0};
    r = r - dot(r, a) * a;
    if (norm(r) < 1e-6)
        r = cross(a, Vec3{0, 1, 0});
    r = normalized(r);
    const Vec3 n = cross(a, r), body_n = cross(long_axis_in_body, right_in_body);
    const auto axis = [&](std::size_t k) {
        return long_axis_in_body[k] * a + right_in_body[k] * r + body_n[k] * n;
    };
    f.left = axis(0);
    f.posterior = axis(1);
    f.superior = axis(2);
    return f;
}

std::vector<Electrode> twelve_lead_electrodes(const TorsoFrame& f)
{
    // From the centre of the ventricles, [mm] to the left, to the back and up, for an adult: arms'
    // roots, left hip, chest electrodes in the fourth and fifth intercostal spaces.
    struct
    {
        const char* name;
        Vec3 at;
    } const places[]{
        {"RA", {-180, 5, 180}}, {"LA", {140, 0, 165}},   {"LL", {80, -30, -250}},
        {"V1", {-55, -80, 12}}, {"V2", {-10, -83, 8}},   {"V3", {20, -82, -12}},
        {"V4", {50, -75, -32}}, {"V5", {105, -35, -30}}, {"V6", {120, 30, 0}},
    };
    std::vector<Electrode> out;
    for (const auto& p : places)
        out.push_back({p.name, f.origin_mm + f.scale * (p.at[0] * f.left + p.at[1] * f.posterior +
                                                        p.at[2] * f.superior)});
    return out;
}

std::vector<Electrode> twelve_lead_frame(const mesh::TetMesh& m, const mesh::Surface& surface)
{
    return twelve_lead_electrodes(torso_frame(m, surface));
}

bool in_torso(const std::vector<Electrode>& electrodes, const Leads& leads)
{
    switch (leads.conductor) {
    case Leads::Conductor::torso:
        return true;
    case Leads::Conductor::unbounded:
        return false;
    case Leads::Conductor::usual:
        break;
    }
    if (leads.kind != Leads::Kind::twelve_lead)
        return false;
    const auto placed = twelve_lead_electrodes({});
    return std::none_of(electrodes.begin(), electrodes.end(), [&](const Electrode& e) {
        return std::any_of(placed.begin(), placed.end(),
                           [&](const Electrode& p) { return p.name == e.name; });
    });
}

analysis::ClosedSurface torso_around(const TorsoFrame& f)
{
    auto out = analysis::torso_surface();
    for (Vec3& p : out.points)
        p = in_mesh(f, p);
    if (dot(cross(f.left, f.posterior), f.superior) < 0) // a mirrored body
        for (auto& t : out.triangles)
            std::swap(t[1], t[2]);
    return out;
}

TorsoFrame holding(TorsoFrame f, const mesh::TetMesh& m)
{
    std::vector<Vec3> body;
    for (std::size_t v = 0; v < m.vertex_count(); ++v) {
        const Vec3 d = m.vertex(v) - f.origin_mm;
        body.push_back({dot(d, f.left), dot(d, f.posterior), dot(d, f.superior)});
    }
    const double most = largest * f.scale;
    const auto holds = [&](const Vec3& x) {
        return analysis::torso_reach((1 / f.scale) * x) <= fullest;
    };
    while (f.scale < most && !std::all_of(body.begin(), body.end(), holds))
        f.scale *= grown;
    return f;
}

std::vector<Electrode> electrodes_on_torso(const TorsoFrame& frame)
{
    const auto skin = torso_around(frame);
    auto out = twelve_lead_electrodes(frame);
    for (auto& e : out)
        e.position_mm = analysis::place_on(skin, e.position_mm).nearest_mm;
    return out;
}

} // namespace tawara::simulation
