// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/file_content.hpp"
#include "engine/mesh/directions.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/mesh/io/raw.hpp"
#include "engine/mesh/measure.hpp"
#include "engine/mesh/mesh_error.hpp"
#include "engine/mesh/topology.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace tawara::mesh::io {
namespace {

namespace fs = std::filesystem;

struct Box
{
    Vec3 low{}, high{};
    explicit Box(const TetMesh& m)
    {
        for (std::size_t a = 0; a < 3; ++a) {
            const auto& c = a == 0 ? m.x : a == 1 ? m.y : m.z;
            const auto [least, most] = std::minmax_element(c.begin(), c.end());
            low[a] = *least, high[a] = *most;
        }
    }
    double diagonal() const { return norm(high - low); }
};

/// Points in cubic cells, to find the nearest one.
class PointGrid
{
  public:
    PointGrid(const TetMesh& points, double cell) : points_(points), cell_(cell)
    {
        cells_.reserve(points.vertex_count());
        for (std::size_t v = 0; v < points.vertex_count(); ++v)
            cells_.emplace_back(key(place(points.vertex(v))), static_cast<std::int32_t>(v));
        std::sort(cells_.begin(), cells_.end());
    }

    std::size_t most_in_a_cell() const
    {
        std::size_t most = 0, run = 0;
        for (std::size_t i = 0; i < cells_.size(); ++i) {
            run = i > 0 && cells_[i].first == cells_[i - 1].first ? run + 1 : 1;
            most = std::max(most, run);
        }
        return most;
    }

    /// The nearest point within one cell's edge, or -1.
    std::int32_t nearest(const Vec3& p) const
    {
        const auto c = place(p);
        std::int32_t found = -1;
        double least = cell_ * cell_;
        for (std::int64_t k = -1; k <= 1; ++k)
            for (std::int64_t j = -1; j <= 1; ++j)
                for (std::int64_t i = -1; i <= 1; ++i) {
                    const auto cell = key({c[0] + i, c[1] + j, c[2] + k});
                    for (auto f = std::lower_bound(cells_.begin(), cells_.end(),
                                                   std::pair(cell, std::int32_t{0}));
                         f != cells_.end() && f->first == cell; ++f) {
                        const auto v = f->second;
                        const Vec3 d = points_.vertex(static_cast<std::size_t>(v)) - p;
                        if (dot(d, d) <= least) {
                            least = dot(d, d);
                            found = v;
                        }
                    }
                }
        return found;
    }

  private:
    using Place = std::array<std::int64_t, 3>;
    Place place(const Vec3& p) const
    {
        return {std::llround(p[0] / cell_), std::llround(p[1] / cell_), std::llround(p[2] / cell_)};
    }
    static std::uint64_t key(const Place& c)
    {
        return (static_cast<std::uint64_t>(c[0]) & 0x1FFFFF) |
               (static_cast<std::uint64_t>(c[1]) & 0x1FFFFF) << 21 |
               (static_cast<std::uint64_t>(c[2]) & 0x1FFFFF) << 42;
    }

    const TetMesh& points_;
    double cell_;
    std::vector<std::pair<std::uint64_t, std::int32_t>> cells_; ///< sorted
};

LengthUnit matching_unit(double mesh_mm, double file)
{
    LengthUnit best = LengthUnit::mm;
    double least = std::numeric_limits<double>::infinity();
    for (const auto u : {LengthUnit::mm, LengthUnit::um, LengthUnit::cm, LengthUnit::m}) {
        const double off = std::abs(std::log(file * millimetres(u) / mesh_mm));
        if (off < least) {
            least = off;
            best = u;
        }
    }
    return best;
}

/// Those of a CARP mesh: one for each tetrahedron.
Notices attach_by_tetrahedra(TetMesh& m, const fs::path& file, const Progress& progress)
{
    TetMesh with = m; // what there is stays where the file is refused
    Notices notices;
    read_carp_fibres(file, with);
    orthonormalise(with, face_neighbours(with, progress.silent()), file.string(), notices);
    m.fibre = std::move(with.fibre), m.sheet = std::move(with.sheet),
    m.normal = std::move(with.normal);
    notices.push_back({Notice::Level::info, "fibres of " + file.filename().string() +
                                                ", one for each tetrahedron in the mesh's order"});
    return notices;
}

} // namespace

Notices attach_fibres(TetMesh& m, const fs::path& file, std::optional<LengthUnit> unit,
                      const Progress& progress)
{
    const std::string name = file.string();
    const auto extension = file.extension().string();
    if (const auto kind = no_plain_file(file); !kind.empty())
        throw MeshError(name, kind);
    if (!fs::exists(file))
        throw MeshError(name, "is missing; give a file of fibres, or \"rule-based\"");
    if (extension == ".lon" || extension == ".blon")
        return attach_by_tetrahedra(m, file, progress);
    if (extension != ".vtu" && extension != ".vtk")
        throw MeshError(name,
                        "is no file of fibres that can be read; give .lon or .blon (CARP, one "
                        "for each tetrahedron), or .vtk or .vtu with vectors named as fibres "
                        "at its points");
    Raw raw = extension == ".vtu" ? read_vtu(file, {}, true) : read_vtk_legacy(file, {}, true);
    if (raw.fibre_at_vertices.empty())
        throw MeshError(name,
                        "has no vectors named as fibres (fibre, fiber, f0 ...) at its points");
    TetMesh& points = raw.mesh;
    const Box mesh_box(m), file_box(points);
    const LengthUnit u = unit.value_or(matching_unit(mesh_box.diagonal(), file_box.diagonal()));
    for (auto* c : {&points.x, &points.y, &points.z})
        for (auto& v : *c)
            v *= millimetres(u);
    // a point must lie closer to its vertex than a tenth of the mean edge
    const PointGrid grid(points, 0.1 * mean_edge_mm(m));
    if (grid.most_in_a_cell() > 1000)
        throw MeshError(name, "more than 1000 of its points lie within a tenth of an edge of the "
                              "mesh; it belongs to another mesh or is in another unit");
    Directions at_vertices;
    at_vertices.resize(m.vertex_count());
    std::size_t missed = 0, permuted = 0;
    for (std::size_t v = 0; v < m.vertex_count(); ++v) {
        const auto p = grid.nearest(m.vertex(v));
        missed += p < 0;
        permuted += p >= 0 && static_cast<std::size_t>(p) != v;
        if (p >= 0)
            at_vertices.set(v, raw.fibre_at_vertices[static_cast<std::size_t>(p)]);
    }
    if (missed > 0)
        throw MeshError(name, std::to_string(missed) + " of the mesh's " +
                                  std::to_string(m.vertex_count()) +
                                  " vertices have no point of this file near them; it belongs to "
                                  "another mesh or is in another unit");
    Notices notices = raw.notices;
    std::size_t other_length = 0;
    for (std::size_t v = 0; v < m.vertex_count(); ++v)
        other_length += std::abs(norm(at_vertices[v]) - 1) > 1e-3;
    if (other_length > 0)
        notices.push_back(
            {Notice::Level::info,
             std::to_string(other_length) + " fibres of other length than 1 were normalised"});
    m.fibre = from_vertices(m, at_vertices);
    m.sheet = {}, m.normal = {};
    orthonormalise(m, face_neighbours(m, progress.silent()), name, notices);
    notices.push_back({Notice::Level::info,
                       "fibres of " + file.filename().string() + " (" +
                           std::string(tawara::name(u)) + ") were matched by position; " +
                           std::to_string(permuted) + " of its points stand in another order"});
    return notices;
}

} // namespace tawara::mesh::io
