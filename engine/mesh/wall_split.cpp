// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/wall_split.hpp"

#include "engine/mesh/cavities.hpp"
#include "engine/mesh/face_markers.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <tuple>

namespace tawara::mesh {
namespace {

constexpr double sharp_cosine = 0.77;  ///< edges of more than 40 degrees bound patches
constexpr double base_cosine = 0.5;    ///< the base looks along the opening within 60 degrees
constexpr double patch_majority = 0.8; ///< of a patch's area decides for all of it
constexpr std::size_t walls = 5;

using Triples = std::vector<std::array<std::int32_t, 3>>;

std::size_t at(std::int32_t i)
{
    return static_cast<std::size_t>(i);
}
std::size_t at(Wall w)
{
    return static_cast<std::size_t>(w);
}

/// Centroids, unit normals and areas of the triangles, and their neighbours across edge k (from
/// corner k).
struct Shape
{
    std::vector<Vec3> centre, normal;
    std::vector<double> area;
    Triples neighbour;

    Shape(const TetMesh& m, const Surface& s)
    {
        const std::size_t n = s.triangles.size();
        centre.resize(n), normal.resize(n), area.resize(n);
        for (std::size_t t = 0; t < n; ++t) {
            std::array<Vec3, 3> p{};
            for (std::size_t k = 0; k < 3; ++k)
                p[k] = m.vertex(at(s.vertices[at(s.triangles[t][k])]));
            const Vec3 c = cross(p[1] - p[0], p[2] - p[0]);
            centre[t] = (1.0 / 3) * (p[0] + p[1] + p[2]);
            area[t] = 0.5 * norm(c);
            normal[t] = normalized(c);
        }
        join(s);
    }

    double total_area() const { return std::accumulate(area.begin(), area.end(), 0.0); }

  private:
    void join(const Surface& s)
    {
        struct Edge
        {
            std::int32_t a, b, triangle, k;
        };
        std::vector<Edge> edges;
        edges.reserve(3 * s.triangles.size());
        for (std::size_t t = 0; t < s.triangles.size(); ++t)
            for (std::size_t k = 0; k < 3; ++k) {
                const auto a = s.triangles[t][k], b = s.triangles[t][(k + 1) % 3];
                edges.push_back({std::min(a, b), std::max(a, b), static_cast<std::int32_t>(t),
                                 static_cast<std::int32_t>(k)});
            }
        std::sort(edges.begin(), edges.end(), [](const Edge& x, const Edge& y) {
            return std::tie(x.a, x.b, x.triangle) < std::tie(y.a, y.b, y.triangle);
        });
        neighbour.assign(s.triangles.size(), {-1, -1, -1});
        for (std::size_t e = 0; e + 1 < edges.size(); ++e) {
            if (edges[e].a != edges[e + 1].a || edges[e].b != edges[e + 1].b)
                continue;
            neighbour[at(edges[e].triangle)][at(edges[e].k)] = edges[e + 1].triangle;
            neighbour[at(edges[e + 1].triangle)][at(edges[e + 1].k)] = edges[e].triangle;
            ++e; // at edges of four triangles, two pairs
        }
    }
};

/// Connected triangles between which join(t, o) holds; returns the number of parts.
template <class Join>
std::size_t parts(const Shape& g, std::vector<std::int32_t>& part, Join&& join)
{
    const std::size_t n = g.area.size();
    part.assign(n, -1);
    std::int32_t count = 0;
    std::vector<std::size_t> front;
    for (std::size_t seed = 0; seed < n; ++seed) {
        if (part[seed] >= 0)
            continue;
        part[seed] = count;
        front.push_back(seed);
        while (!front.empty()) {
            const auto t = front.back();
            front.pop_back();
            for (const auto o : g.neighbour[t])
                if (o >= 0 && part[at(o)] < 0 && join(t, at(o))) {
                    part[at(o)] = count;
                    front.push_back(at(o));
                }
        }
        ++count;
    }
    return static_cast<std::size_t>(count);
}

/// Gives small islands of one wall the wall that surrounds them most.
void drop_islands(const Shape& g, std::vector<Wall>& wall, double least_area)
{
    std::vector<std::int32_t> part;
    const auto n = parts(g, part, [&](std::size_t t, std::size_t o) { return wall[t] == wall[o]; });
    std::vector<double> area(n, 0);
    std::vector<std::array<double, walls>> around(n, std::array<double, walls>{});
    for (std::size_t t = 0; t < wall.size(); ++t) {
        area[at(part[t])] += g.area[t];
        for (const auto o : g.neighbour[t])
            if (o >= 0 && wall[at(o)] != wall[t])
                around[at(part[t])][at(wall[at(o)])] += std::sqrt(g.area[at(o)]);
    }
    for (std::size_t t = 0; t < wall.size(); ++t) {
        const auto& a = around[at(part[t])];
        const auto most = std::max_element(a.begin(), a.end());
        if (area[at(part[t])]<least_area&& * most> 0)
            wall[t] = static_cast<Wall>(most - a.begin());
    }
}

/// A patch between sharp edges belongs to one wall when most of its area does.
void settle_patches(const Shape& g, std::vector<Wall>& wall)
{
    std::vector<std::int32_t> part;
    const auto n = parts(g, part, [&](std::size_t t, std::size_t o) {
        return dot(g.normal[t], g.normal[o]) > sharp_cosine;
    });
    std::vector<std::array<double, walls>> area(n, std::array<double, walls>{});
    for (std::size_t t = 0; t < wall.size(); ++t)
        area[at(part[t])][at(wall[t])] += g.area[t];
    for (std::size_t t = 0; t < wall.size(); ++t) {
        const auto& a = area[at(part[t])];
        const auto most = std::max_element(a.begin(), a.end());
        if (*most > patch_majority * std::accumulate(a.begin(), a.end(), 0.0))
            wall[t] = static_cast<Wall>(most - a.begin());
    }
}

/// The chambers' endocardia: thickness of the wall behind them, and where they open.
struct Chamber
{
    std::size_t cavity = 0;
    double thickness_mm = 0;
    double area = 0;
    Vec3 opening{}; ///< sum of normals times areas: area of the opening times its direction
};

std::vector<Chamber> chambers_of(const Shape& g, const Cavities& cavities,
                                 const std::vector<int>& ahead)
{
    std::vector<Chamber> chambers(cavities.count());
    std::vector<std::vector<double>> thickness(cavities.count());
    for (std::size_t t = 0; t < ahead.size(); ++t) {
        if (ahead[t] < 0)
            continue;
        auto& c = chambers[static_cast<std::size_t>(ahead[t])];
        c.area += g.area[t];
        c.opening = c.opening + g.area[t] * g.normal[t];
        thickness[static_cast<std::size_t>(ahead[t])].push_back(
            cavities.thickness_mm(g.centre[t], g.normal[t]));
    }
    for (std::size_t c = 0; c < chambers.size(); ++c) {
        chambers[c].cavity = c;
        auto& v = thickness[c];
        if (v.empty())
            continue;
        const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
        std::nth_element(v.begin(), middle, v.end());
        chambers[c].thickness_mm = *middle;
    }
    std::erase_if(chambers, [](const Chamber& c) { return c.area == 0; });
    std::stable_sort(chambers.begin(), chambers.end(), [](const Chamber& a, const Chamber& b) {
        return a.thickness_mm > b.thickness_mm;
    });
    return chambers;
}

/// The base: from the rims of the open chambers outward, as far as the surface looks where they
/// open.
void find_base(const Shape& g, const std::vector<Chamber>& chambers, std::vector<Wall>& wall)
{
    Vec3 opening{};
    double reach = 0;
    for (const auto& c : chambers)
        if (norm(c.opening) > 0.04 * c.area) { // else it is closed
            opening = opening + c.opening;
            reach = std::max(reach, 3 * c.thickness_mm);
        }
    opening = normalized(opening);
    const auto looks_out = [&](std::size_t t) {
        return wall[t] == Wall::epi && dot(g.normal[t], opening) > base_cosine;
    };
    std::vector<Vec3> rim(wall.size()); // where each triangle of the base was reached from
    std::vector<std::size_t> front;
    for (std::size_t t = 0; t < wall.size(); ++t)
        if (wall[t] == Wall::endo_lv || wall[t] == Wall::endo_rv)
            for (const auto o : g.neighbour[t])
                if (o >= 0 && looks_out(at(o))) {
                    rim[at(o)] = g.centre[at(o)];
                    wall[at(o)] = Wall::base;
                    front.push_back(at(o));
                }
    for (std::size_t next = 0; next < front.size(); ++next)
        for (const auto o : g.neighbour[front[next]])
            if (o >= 0 && looks_out(at(o)) && norm(g.centre[at(o)] - rim[front[next]]) < reach) {
                rim[at(o)] = rim[front[next]];
                wall[at(o)] = Wall::base;
                front.push_back(at(o));
            }
}

/// Shells around voids inside the wall are no epicardium.
void mark_voids(const Shape& g, std::vector<Wall>& wall)
{
    std::vector<std::int32_t> part;
    const auto n = parts(g, part, [](std::size_t, std::size_t) { return true; });
    std::vector<double> volume(n, 0);
    std::vector<char> all_epi(n, 1);
    for (std::size_t t = 0; t < wall.size(); ++t) {
        volume[at(part[t])] += g.area[t] * dot(g.centre[t] - g.centre[0], g.normal[t]) / 3;
        all_epi[at(part[t])] = all_epi[at(part[t])] && wall[t] == Wall::epi;
    }
    for (std::size_t t = 0; t < wall.size(); ++t)
        if (all_epi[at(part[t])] && volume[at(part[t])] < 0)
            wall[t] = Wall::other;
}

/// Walls by the file's face markers, when nearly all of the boundary has one of 1 to 4.
std::vector<Wall> marked_walls(const TetMesh& m,
                               const std::vector<std::array<std::int32_t, 4>>& neighbours)
{
    const Field* const markers = face_markers(m);
    std::vector<Wall> wall;
    std::size_t known = 0;
    if (!markers)
        return wall;
    constexpr std::array<Wall, 5> of{Wall::other, Wall::base, Wall::epi, Wall::endo_lv,
                                     Wall::endo_rv};
    for (std::size_t t = 0; t < neighbours.size(); ++t)
        for (std::size_t k = 0; k < 4; ++k)
            if (neighbours[t][k] < 0) {
                const float marker = markers->values[4 * t + k];
                const bool good = marker >= 1 && marker <= 4 && marker == std::floor(marker);
                wall.push_back(good ? of[static_cast<std::size_t>(marker)] : Wall::other);
                known += good;
            }
    if (20 * known < 19 * wall.size())
        wall.clear();
    return wall;
}

double agreement(const Shape& g, const std::vector<Wall>& a, const std::vector<Wall>& b)
{
    double same = 0;
    for (std::size_t t = 0; t < a.size(); ++t)
        same += a[t] == b[t] ? g.area[t] : 0;
    return same / g.total_area();
}

/// Whether next to nothing of the surface bends inwards.
bool bends_outwards(const Shape& g)
{
    constexpr double flat = 1e-3; // coordinates may have been rounded to single precision
    constexpr double little = 0.01;
    double inwards = 0;
    for (std::size_t t = 0; t < g.area.size(); ++t)
        for (const auto n : g.neighbour[t])
            if (n >= 0 && dot(normalized(g.centre[at(n)] - g.centre[t]), g.normal[t]) > flat) {
                inwards += g.area[t];
                break;
            }
    return inwards < little * g.total_area();
}

std::string describe(const Cavities& cavities, const std::vector<Chamber>& chambers)
{
    std::string s;
    char text[128];
    for (std::size_t i = 0; i < std::min<std::size_t>(chambers.size(), 2); ++i) {
        std::snprintf(text, sizeof text, "%s %.3g ml, wall %.2g mm", i == 0 ? "LV" : ", RV",
                      cavities.volume_mm3(chambers[i].cavity) / 1000, chambers[i].thickness_mm);
        s += text;
    }
    return s;
}

} // namespace

void split_walls(const TetMesh& m, const std::vector<std::array<std::int32_t, 4>>& neighbours,
                 Surface& s, Notices* notices)
{
    const auto say = [&](Notice::Level level, const std::string& text) {
        if (notices)
            notices->push_back({level, text});
    };
    if (s.triangles.empty())
        return;
    const Shape g(m, s);
    const Cavities cavities(m);
    std::vector<int> ahead(g.area.size());
    for (std::size_t t = 0; t < ahead.size(); ++t)
        ahead[t] = cavities.ahead(g.centre[t], g.normal[t]);
    const auto chambers = chambers_of(g, cavities, ahead);
    std::vector<Wall> wall(g.area.size(), Wall::other);
    if (!chambers.empty()) {
        for (std::size_t t = 0; t < wall.size(); ++t) {
            wall[t] = Wall::epi;
            for (std::size_t c = 0; c < chambers.size(); ++c)
                if (ahead[t] == static_cast<int>(chambers[c].cavity))
                    wall[t] = c == 0 ? Wall::endo_lv : c == 1 ? Wall::endo_rv : Wall::other;
        }
        const double least = 0.02 * g.total_area();
        drop_islands(g, wall, least);
        settle_patches(g, wall);
        find_base(g, chambers, wall);
        drop_islands(g, wall, 0.25 * least);
        settle_patches(g, wall);
        mark_voids(g, wall);
    }
    const auto marked = marked_walls(m, neighbours);
    if (!marked.empty() && (chambers.empty() || agreement(g, marked, wall) > 0.6)) {
        s.wall = marked;
        say(Notice::Level::info,
            "walls by the face markers of the file (1 base, 2 epicardium, 3 left, "
            "4 right endocardium)");
        return;
    }
    s.wall = std::move(wall);
    if (chambers.empty() && bends_outwards(g)) // a slab, a sheet, a wedge
        say(Notice::Level::info, "the mesh has no hollow: its surface is one wall");
    else if (chambers.empty())
        say(Notice::Level::warning, "no cavity was found, so the surface is not split into "
                                    "epicardium and endocardium");
    else
        say(Notice::Level::info,
            "walls by the cavities: " + describe(cavities, chambers) +
                (chambers.size() > 2 ? "; further cavities are left open" : ""));
}

bool without_hollow(const TetMesh& m, const Surface& s)
{
    return bends_outwards(Shape(m, s));
}

} // namespace tawara::mesh
