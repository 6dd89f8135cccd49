// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/obstacles.hpp"

#include "engine/analysis/phase.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>

namespace tawara::analysis {
namespace {

constexpr double sharp_cosine = 0.77; ///< edges of more than 40 degrees
constexpr double least_patch =
    0.05; ///< of a wall's area: smaller ones between sharp edges are rims
constexpr std::int32_t no_sheet = -1;
constexpr int most_around = 1000; ///< triangles around a vertex

std::size_t at(std::int32_t i)
{
    return static_cast<std::size_t>(i);
}

/// Sets of numbers that are joined.
class Joined
{
  public:
    explicit Joined(std::size_t n) : of_(n) { std::iota(of_.begin(), of_.end(), 0); }
    std::int32_t root(std::int32_t i)
    {
        while (of_[at(i)] != i)
            i = of_[at(i)] = of_[at(of_[at(i)])];
        return i;
    }
    void join(std::int32_t a, std::int32_t b) { of_[at(root(a))] = root(b); }

  private:
    std::vector<std::int32_t> of_;
};

/// For each vertex that no wave enters one number for all that are joined to it.
Joined silent_parts(const mesh::TetMesh& m, std::span<const std::uint8_t> silent)
{
    Joined parts(m.vertex_count());
    for (std::size_t t = 0; t < m.tetrahedron_count() && !silent.empty(); ++t) {
        std::int32_t first = -1;
        for (const auto v : m.corners(t))
            if (silent[at(v)] != 0) {
                if (first >= 0)
                    parts.join(first, v);
                first = v;
            }
    }
    return parts;
}

class Finder
{
  public:
    Finder(const mesh::TetMesh& m, const mesh::Surface& s, std::span<const std::uint8_t> silent)
        : m_(m), s_(s), silent_(silent), parts_(silent_parts(m, silent))
    {
    }

    std::vector<Path> find()
    {
        join_triangles();
        cut_into_sheets();
        split_handles();
        for (std::size_t t = 0; t < s_.triangles.size(); ++t)
            for (std::size_t k = 0; k < 3; ++k)
                if (ends(t, k) && !seen_[3 * t + k])
                    trace(t, k);
        drop_rims();
        return std::move(out_);
    }

  private:
    struct Found
    {
        std::int32_t sheet = 0;
        bool rim = false; ///< it meets another sheet
        double length = 0;
    };

    Vec3 corner(std::size_t t, std::size_t k) const { return m_.vertex(at(vertex(t, k))); }
    std::int32_t vertex(std::size_t t, std::size_t k) const
    {
        return s_.vertices[at(s_.triangles[t][k % 3])];
    }
    bool kept(std::size_t t) const { return kept_[t] != 0 && sheet_[t] != no_sheet; }
    /// Whether what is kept of a sheet ends at edge k of a triangle, from corner k to the next.
    bool ends(std::size_t t, std::size_t k) const
    {
        if (!kept(t))
            return false;
        const auto o = neighbour_[t][k];
        return o < 0 || !kept(at(o)) || sheet_[at(o)] != sheet_[t];
    }

    void join_triangles()
    {
        const auto n = s_.triangles.size();
        using Edge = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>;
        std::vector<Edge> edges;
        edges.reserve(3 * n);
        for (std::size_t t = 0; t < n; ++t)
            for (std::size_t k = 0; k < 3; ++k) {
                const auto a = s_.triangles[t][k], b = s_.triangles[t][(k + 1) % 3];
                edges.emplace_back(std::min(a, b), std::max(a, b), static_cast<std::int32_t>(t),
                                   static_cast<std::int32_t>(k));
            }
        std::sort(edges.begin(), edges.end());
        neighbour_.assign(n, {-1, -1, -1});
        for (std::size_t e = 0; e + 1 < edges.size(); ++e) {
            const auto& [a, b, t, k] = edges[e];
            const auto& [c, d, u, l] = edges[e + 1];
            if (a != c || b != d)
                continue;
            neighbour_[at(t)][at(k)] = u;
            neighbour_[at(u)][at(l)] = t;
            ++e; // at edges of four triangles, two pairs
        }
        kept_.assign(n, 1);
        seen_.assign(3 * n, 0);
        for (std::size_t t = 0; t < n && !silent_.empty(); ++t)
            for (std::size_t k = 0; k < 3; ++k)
                if (silent_[at(vertex(t, k))] != 0)
                    kept_[t] = 0;
    }

    /// Numbers the connected triangles between which same(t, o) holds, from `next` on.
    template <class Same>
    void number(std::vector<std::int32_t>& of, const std::vector<std::size_t>& among,
                std::int32_t& next, Same&& same) const
    {
        std::vector<std::size_t> front;
        for (const auto seed : among) {
            if (of[seed] != no_sheet)
                continue;
            of[seed] = next;
            front.push_back(seed);
            while (!front.empty()) {
                const auto t = front.back();
                front.pop_back();
                for (const auto o : neighbour_[t])
                    if (o >= 0 && of[at(o)] == no_sheet && same(t, at(o))) {
                        of[at(o)] = next;
                        front.push_back(at(o));
                    }
            }
            ++next;
        }
    }

    void cut_into_sheets()
    {
        sheet_.assign(s_.triangles.size(), no_sheet);
        std::vector<std::size_t> all(s_.triangles.size());
        std::iota(all.begin(), all.end(), std::size_t(0));
        number(sheet_, all, sheets_,
               [&](std::size_t t, std::size_t o) { return s_.wall[t] == s_.wall[o]; });
    }

    /// A closed sheet with a handle is cut further, along its sharp edges.
    void split_handles()
    {
        std::vector<std::vector<std::size_t>> of(at(sheets_));
        for (std::size_t t = 0; t < sheet_.size(); ++t)
            of[at(sheet_[t])].push_back(t);
        for (const auto& triangles : of)
            if (has_handle(triangles))
                split(triangles);
    }

    bool has_handle(const std::vector<std::size_t>& triangles) const
    {
        std::vector<std::int32_t> vertices;
        for (const auto t : triangles)
            for (std::size_t k = 0; k < 3; ++k) {
                const auto o = neighbour_[t][k];
                if (o < 0 || sheet_[at(o)] != sheet_[t])
                    return false;
                vertices.push_back(s_.triangles[t][k]);
            }
        std::sort(vertices.begin(), vertices.end());
        vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
        // of a closed surface Euler's number is vertices - edges + triangles, with 1.5 edges a
        // triangle
        return 2 * static_cast<std::int64_t>(vertices.size()) -
                   static_cast<std::int64_t>(triangles.size()) <
               4;
    }

    void split(const std::vector<std::size_t>& triangles)
    {
        std::map<std::size_t, std::pair<Vec3, double>> shape; // unit normal, area
        double all = 0;
        for (const auto t : triangles) {
            const Vec3 c = cross(corner(t, 1) - corner(t, 0), corner(t, 2) - corner(t, 0));
            shape[t] = {normalized(c), 0.5 * norm(c)};
            all += 0.5 * norm(c);
            sheet_[t] = no_sheet;
        }
        const auto first = sheets_;
        number(sheet_, triangles, sheets_, [&](std::size_t t, std::size_t o) {
            const auto other = shape.find(o);
            return other != shape.end() &&
                   dot(shape.at(t).first, other->second.first) > sharp_cosine;
        });
        std::vector<double> area(at(sheets_ - first), 0);
        for (const auto t : triangles)
            area[at(sheet_[t] - first)] += shape.at(t).second;
        for (const auto t : triangles)
            if (area[at(sheet_[t] - first)] < least_patch * all)
                sheet_[t] = no_sheet;
    }

    /// The number of what lies beyond an edge at which a sheet ends; `rim`: another sheet does.
    std::int32_t beyond(std::size_t t, std::size_t k, bool& rim)
    {
        const auto o = neighbour_[t][k];
        rim = o < 0 || kept_[at(o)] != 0;
        if (!rim)
            for (std::size_t i = 0; i < 3; ++i)
                if (silent_[at(vertex(at(o), i))] != 0)
                    return parts_.root(vertex(at(o), i));
        // sheets are numbered after all vertices
        const auto sheet = o < 0 ? no_sheet : sheet_[at(o)];
        return static_cast<std::int32_t>(m_.vertex_count()) + 1 + sheet;
    }

    void trace(std::size_t t, std::size_t k)
    {
        Path p;
        Found f;
        f.sheet = sheet_[t];
        bool rim = false;
        p.obstacle = beyond(t, k, rim);
        while (!seen_[3 * t + k]) {
            seen_[3 * t + k] = 1;
            p.vertices.push_back(vertex(t, k));
            f.length += norm(corner(t, (k + 1) % 3) - corner(t, k));
            (void)beyond(t, k, rim);
            f.rim = f.rim || rim;
            // the next edge at which the sheet ends, around the end of this one
            k = (k + 1) % 3;
            for (int turn = 0; !ends(t, k); ++turn) {
                if (turn > most_around) // four triangles share an edge: the boundary is no surface
                    return;
                const auto here = s_.triangles[t][k];
                t = at(neighbour_[t][k]);
                k = 0;
                while (s_.triangles[t][k] != here)
                    ++k;
            }
        }
        if (p.vertices.size() < 3)
            return;
        out_.push_back(std::move(p));
        found_.push_back(f);
    }

    void drop_rims()
    {
        std::map<std::int32_t, std::size_t> longest; // by sheet
        for (std::size_t i = 0; i < found_.size(); ++i)
            if (found_[i].rim) {
                const auto [of, fresh] = longest.emplace(found_[i].sheet, i);
                if (!fresh && found_[i].length > found_[of->second].length)
                    of->second = i;
            }
        std::vector<Path> stay;
        for (std::size_t i = 0; i < out_.size(); ++i) {
            const auto of = longest.find(found_[i].sheet);
            if (of == longest.end() || of->second != i)
                stay.push_back(std::move(out_[i]));
        }
        out_ = std::move(stay);
    }

    const mesh::TetMesh& m_;
    const mesh::Surface& s_;
    std::span<const std::uint8_t> silent_;
    Joined parts_;
    std::vector<std::array<std::int32_t, 3>> neighbour_; ///< across edge k, from corner k
    std::vector<std::uint8_t> kept_, seen_;              ///< by triangle; by edge of a triangle
    std::vector<std::int32_t> sheet_;
    std::int32_t sheets_ = 0;
    std::vector<Path> out_;
    std::vector<Found> found_; ///< of each
};

} // namespace

std::vector<Path> paths_around(const mesh::TetMesh& m, const mesh::Surface& s,
                               std::span<const std::uint8_t> silent)
{
    return Finder(m, s, silent).find();
}

int turns_around(const Path& p, std::span<const float> phase)
{
    int winds = 0;
    for (std::size_t i = 0; i < p.vertices.size(); ++i)
        winds += phase_jump(phase[at(p.vertices[i])],
                            phase[at(p.vertices[(i + 1) % p.vertices.size()])]);
    // ahead of the front the phase is that of an earlier time: it falls in the sense of turning,
    // and the path runs clockwise
    return winds;
}

} // namespace tawara::analysis
