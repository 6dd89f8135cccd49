// SPDX-License-Identifier: GPL-3.0-or-later
// Where stimuli act and where probes and the display read: sets of unknowns and weights on them.
#include "engine/simulation/tissue/tissue.hpp"

#include "engine/core/error.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/tissue/tissue_pieces.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

namespace tawara::simulation {
namespace {

template <class Inside>
std::vector<std::int32_t> where(const Tissue& t, Inside inside)
{
    std::vector<std::int32_t> out;
    const auto& x = t.problem.position_mm;
    for (std::size_t u = 0; u < x.size(); ++u)
        if (inside(x[u]))
            out.push_back(static_cast<std::int32_t>(u));
    return out;
}

/// Unknowns of a set of tetrahedra: themselves, or their vertices.
std::vector<std::int32_t> of_tetrahedra(const Tissue& t, const std::vector<char>& chosen)
{
    std::vector<char> unknown(t.problem.size(), 0);
    for (std::size_t k = 0; k < chosen.size(); ++k)
        if (chosen[k]) {
            if (!t.on_vertices())
                unknown[k] = 1;
            else
                for (auto v : t.mesh->corners(k))
                    unknown[static_cast<std::size_t>(v)] = 1;
        }
    std::vector<std::int32_t> out;
    for (std::size_t u = 0; u < unknown.size(); ++u)
        if (unknown[u])
            out.push_back(static_cast<std::int32_t>(u));
    return out;
}

struct Select
{
    const Tissue& t;
    const std::string& file;
    const std::string& what;
    bool of_part = false; ///< the tissue is one part of a mesh: it need not hold anything

    std::vector<std::int32_t> operator()(const Box& b) const
    {
        // Bounds belong to the box; a hair more, so that rounding of coordinates decides nothing.
        const double e = 1e-9 * (1 + norm(b.high - b.low));
        return where(t, [&](const Vec3& x) {
            for (std::size_t k = 0; k < 3; ++k)
                if (x[k] < b.low[k] - e || x[k] > b.high[k] + e)
                    return false;
            return true;
        });
    }
    std::vector<std::int32_t> operator()(const Sphere& s) const
    {
        auto out = where(t, [&](const Vec3& x) { return norm(x - s.centre) <= s.radius; });
        if (out.empty() && !of_part) {
            const auto place = t.locator->find(s.centre);
            if (place.distance_mm <= s.radius) {
                const auto k = static_cast<std::size_t>(
                    std::max_element(place.weights.begin(), place.weights.end()) -
                    place.weights.begin());
                out.push_back(t.on_vertices()
                                  ? t.mesh->corner[k][static_cast<std::size_t>(place.tetrahedron)]
                                  : place.tetrahedron);
            }
        }
        return out;
    }
    std::vector<std::int32_t> operator()(const Label& l) const
    {
        const std::set<std::int32_t> known(t.mesh->region.begin(), t.mesh->region.end());
        for (const auto label : l.labels)
            if (!known.count(label) && !of_part) {
                std::string list;
                for (const auto k : known)
                    list += (list.empty() ? "" : ", ") + std::to_string(k);
                throw InputError(file, what,
                                 "the mesh has no label " + std::to_string(label) + "; it has " +
                                     list);
            }
        std::vector<char> chosen(t.mesh->tetrahedron_count(), 0);
        const std::set<std::int32_t> wanted(l.labels.begin(), l.labels.end());
        for (std::size_t k = 0; k < chosen.size(); ++k)
            chosen[k] = wanted.count(t.mesh->region[k]) > 0;
        return of_tetrahedra(t, chosen);
    }
    std::vector<std::int32_t> operator()(const SurfaceRegion& s) const
    {
        std::set<std::int32_t> out;
        for (std::size_t k = 0; k < t.surface->triangles.size(); ++k)
            if (t.surface->wall[k] == s.wall) {
                if (!t.on_vertices())
                    out.insert(t.surface->tetrahedron[k]);
                else
                    for (auto v : t.surface->triangles[k])
                        out.insert(t.surface->vertices[static_cast<std::size_t>(v)]);
            }
        if (out.empty() && !of_part) {
            std::string list;
            for (const auto wall : {mesh::Wall::endo_lv, mesh::Wall::endo_rv, mesh::Wall::epi})
                if (std::find(t.surface->wall.begin(), t.surface->wall.end(), wall) !=
                    t.surface->wall.end())
                    list += (list.empty() ? "; it has " : ", ") + std::string(mesh::name(wall));
            throw InputError(
                file, what,
                "the mesh has no surface " + std::string(mesh::name(s.wall)) +
                    (list.empty() ? "; a box, a sphere, a label or nodes would do" : list));
        }
        return {out.begin(), out.end()};
    }
    std::vector<std::int32_t> operator()(const Nodes& n) const
    {
        std::set<std::int32_t> out;
        for (auto v : n.nodes) {
            if (v < 0 || v >= static_cast<std::int64_t>(t.mesh->vertex_count()))
                throw InputError(file, what,
                                 "there is no node " + std::to_string(v) +
                                     "; the mesh has nodes 0 to " +
                                     std::to_string(t.mesh->vertex_count() - 1));
            const auto i = static_cast<std::size_t>(v);
            if (t.on_vertices())
                out.insert(static_cast<std::int32_t>(v));
            else
                for (auto at = t.stars.first[i]; at < t.stars.first[i + 1]; ++at)
                    out.insert(t.stars.tets[static_cast<std::size_t>(at)]);
        }
        return {out.begin(), out.end()};
    }
};

std::string box_text(const mesh::TetMesh& m)
{
    const auto [x0, x1] = std::minmax_element(m.x.begin(), m.x.end());
    const auto [y0, y1] = std::minmax_element(m.y.begin(), m.y.end());
    const auto [z0, z1] = std::minmax_element(m.z.begin(), m.z.end());
    char text[200];
    std::snprintf(text, sizeof text, "x %.4g..%.4g, y %.4g..%.4g, z %.4g..%.4g mm", *x0, *x1, *y0,
                  *y1, *z0, *z1);
    return text;
}

/// Linear interpolation at x from cell values: V_t + g . (x - x_t), with g by least squares over
/// the cells within two faces. Directions that those cells do not span count as constant (no flux).
void add_cell_weights(const Tissue& t, std::int32_t cell, const Vec3& x, device::Gather& out)
{
    std::set<std::int32_t> around;
    const auto has_cells = [&](std::int32_t u) {
        return u >= 0 && t.problem.has_cells(static_cast<std::size_t>(u));
    };
    if (has_cells(cell)) // else V has no value there
        for (auto a : t.neighbours[static_cast<std::size_t>(cell)])
            if (has_cells(a)) {
                around.insert(a);
                for (auto b : t.neighbours[static_cast<std::size_t>(a)])
                    if (has_cells(b))
                        around.insert(b);
            }
    around.erase(cell);
    const Vec3 x0 = t.problem.position_mm[static_cast<std::size_t>(cell)];
    const auto n = static_cast<Eigen::Index>(around.size());
    std::vector<double> w(around.size(), 0);
    if (n > 0) {
        // without memory of the heap: where a request for some fails, Eigen frees what it had twice
        constexpr int most = 4 + 4 * 3; // cells within two faces
        Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most, 3> a(n, 3);
        Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most, 1> scale(n), unit(n);
        Eigen::Index row = 0;
        for (auto c : around) {
            const Vec3 d = t.problem.position_mm[static_cast<std::size_t>(c)] - x0;
            scale(row) = 1 / std::max(norm(d), 1e-12);
            a.row(row) = scale(row) * Eigen::RowVector3d(d[0], d[1], d[2]);
            ++row;
        }
        Eigen::JacobiSVD<decltype(a)> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
        svd.setThreshold(0.05);
        const Vec3 r = x - x0;
        const Eigen::Vector3d step(r[0], r[1], r[2]);
        for (Eigen::Index k = 0; k < n; ++k) {
            unit.setZero();
            unit(k) = scale(k);
            w[static_cast<std::size_t>(k)] = step.dot(Eigen::Vector3d(svd.solve(unit)));
        }
    }
    double sum = 0;
    std::size_t k = 0;
    for (auto c : around) {
        out.unknown.push_back(c);
        out.weight.push_back(static_cast<float>(w[k]));
        sum += w[k++];
    }
    out.unknown.push_back(cell);
    out.weight.push_back(static_cast<float>(1 - sum));
}

} // namespace

std::vector<std::int32_t> held_in_part(const Tissue& t, const StimulusRegion& region)
{
    const std::string none;
    return std::visit(Select{t, none, none, true}, region);
}

std::vector<std::int32_t> unknowns_in(const Tissue& t, const StimulusRegion& region,
                                      const std::string& file, const std::string& what)
{
    auto out = std::visit(Select{t, file, what}, region);
    const bool held = !out.empty();
    std::erase_if(
        out, [&](std::int32_t u) { return !t.problem.has_cells(static_cast<std::size_t>(u)); });
    if (held && out.empty())
        throw InputError(file, what,
                         "the region holds insulating tissue alone, which has no cells to "
                         "stimulate; it should reach tissue that conducts");
    if (out.empty())
        throw InputError(file, what,
                         "the region holds no tissue; the mesh spans " + box_text(*t.mesh));
    return out;
}

device::Gather probe_weights(const Tissue& t, std::span<const Probe> probes,
                             const std::string& file)
{
    device::Gather out;
    const auto& m = *t.mesh;
    for (std::size_t k = 0; k < probes.size(); ++k) {
        const auto place = t.locator->find(probes[k].position_mm);
        const auto tet = static_cast<std::size_t>(place.tetrahedron);
        const double edge = std::cbrt(12 / std::sqrt(2.0) * m.volume(tet));
        if (place.distance_mm > 2 * edge)
            throw InputError(file, "/probes/" + std::to_string(k) + "/position_mm",
                             "the probe '" + probes[k].name + "' lies " +
                                 number_text(place.distance_mm, 3) +
                                 " mm outside the tissue, which spans " + box_text(m));
        if (t.on_vertices()) {
            constexpr double rounding = 1e-9; // of a place on a face: the corner beyond has no part
            for (std::size_t c = 0; c < 4; ++c) {
                const auto u = m.corner[c][tet];
                if (!t.problem.has_cells(static_cast<std::size_t>(u)) &&
                    place.weights[c] < rounding)
                    continue;
                out.unknown.push_back(u);
                out.weight.push_back(static_cast<float>(place.weights[c]));
            }
        } else {
            Vec3 x{};
            for (std::size_t c = 0; c < 4; ++c)
                x = x + place.weights[c] * m.vertex(static_cast<std::size_t>(m.corner[c][tet]));
            add_cell_weights(t, place.tetrahedron, x, out);
        }
        out.first.push_back(static_cast<std::int64_t>(out.unknown.size()));
    }
    return out;
}

device::Gather display_weights(const Tissue& t)
{
    device::Gather out;
    for (auto vertex : t.surface->vertices) {
        const auto v = static_cast<std::size_t>(vertex);
        if (t.on_vertices()) {
            out.unknown.push_back(vertex);
            out.weight.push_back(1);
        } else {
            const auto begin = out.weight.size();
            double sum = 0;
            const auto tets =
                std::span(t.stars.tets)
                    .subspan(static_cast<std::size_t>(t.stars.first[v]),
                             static_cast<std::size_t>(t.stars.first[v + 1] - t.stars.first[v]));
            const auto has_cells = [&](std::int32_t tet) {
                return t.problem.has_cells(static_cast<std::size_t>(tet));
            };
            const bool any = std::any_of(tets.begin(), tets.end(), has_cells);
            for (const auto tet : tets) {
                if (any && !has_cells(tet))
                    continue;
                const double d =
                    norm(t.problem.position_mm[static_cast<std::size_t>(tet)] - t.mesh->vertex(v));
                const double w = 1 / std::max(d, 1e-9);
                out.unknown.push_back(tet);
                out.weight.push_back(static_cast<float>(w));
                sum += w;
            }
            for (auto i = begin; i < out.weight.size(); ++i)
                out.weight[i] = static_cast<float>(out.weight[i] / sum);
        }
        out.first.push_back(static_cast<std::int64_t>(out.unknown.size()));
    }
    return out;
}

std::vector<PulseRun> pulses_from(const Stimulus& s, double from_ms)
{
    constexpr double hair_ms = 1e-9;
    std::vector<PulseRun> out;
    for (auto run : pulse_runs(s)) {
        if (run.start_ms < from_ms - hair_ms) {
            if (!(run.period_ms > 0))
                continue;
            const auto passed = static_cast<std::int64_t>(
                std::ceil((from_ms - hair_ms - run.start_ms) / run.period_ms));
            if (run.count > 0 && passed >= run.count)
                continue;
            run.start_ms += static_cast<double>(passed) * run.period_ms;
            if (run.count > 0)
                run.count -= passed;
        }
        out.push_back(run);
    }
    return out;
}

std::vector<device::StimulusSource> sources_of(const Stimulus& s,
                                               const std::vector<std::int32_t>& unknowns,
                                               std::span<const PulseRun> runs)
{
    std::vector<device::StimulusSource> out;
    for (const auto& run : runs) {
        device::StimulusSource source;
        source.unknowns = unknowns;
        source.amplitude_pA_per_pF = s.amplitude_pA_per_pF;
        source.start_ms = run.start_ms;
        source.duration_ms = s.duration_ms;
        source.period_ms = run.period_ms;
        source.count = run.count;
        out.push_back(std::move(source));
    }
    return out;
}

std::vector<device::StimulusSource> sources_of(const Tissue& t, const Stimulus& s,
                                               const std::string& file, const std::string& what)
{
    return sources_of(s, unknowns_in(t, s.region, file, what + "/region"), pulse_runs(s));
}

} // namespace tawara::simulation
