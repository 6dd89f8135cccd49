// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/new_mesh.hpp"

#include "engine/core/error.hpp"
#include "engine/core/memory.hpp"
#include "engine/core/overload.hpp"
#include "engine/mesh/check.hpp"
#include "engine/mesh/generator/tetrahedralise.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/purkinje_keys.hpp"
#include "engine/simulation/session/size_text.hpp"
#include "engine/simulation/session/suggest.hpp"
#include "engine/simulation/tissue/lowered.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unistd.h>

namespace tawara::simulation {
namespace {

namespace fs = std::filesystem;
using mesh::generator::HeartParameters;
using mesh::generator::HeartShape;

void need_times(int times)
{
    if (times < 1 || times > most_refinements)
        throw InputError("times", "is " + std::to_string(times) + "; it should be from 1 to " +
                                      std::to_string(most_refinements));
}

void need_room(double tetrahedra, const std::string& what)
{
    constexpr double most = std::numeric_limits<std::int32_t>::max() / 2.0; // refine()'s own limit
    if (tetrahedra > most)
        throw InputError(what, "gives more than a thousand million tetrahedra; choose a coarser "
                               "mesh");
}

MeshForecast forecast_heart(const HeartParameters& p)
{
    validate(p);
    constexpr double grid_mm = 1;
    // on a single core
    constexpr double seconds_per_tetrahedron = 1.3e-4;
    const double thin = p.shape == HeartShape::lv ? std::min(p.lv_wall_mm, p.apex_wall_mm)
                                                  : std::min(p.rv_wall_mm, p.septum_mm);
    const double each = mesh::generator::mean_volume_per_edge_cubed(p.edge_mm / thin) * p.edge_mm *
                        p.edge_mm * p.edge_mm;
    const double volume = mesh::generator::domain_volume_mm3(p, grid_mm);
    MeshForecast f;
    f.edge_mm = p.edge_mm;
    f.tetrahedra = std::llround(volume / each);
    need_room(static_cast<double>(f.tetrahedra), "edge_mm");
    // inside a vertex for six tetrahedra; those of the surface by trial (25 to 230 thousand)
    const double t = static_cast<double>(f.tetrahedra);
    const double of_surface = p.shape == HeartShape::lv ? 1.8 : 2.6;
    f.vertices = std::llround(t / 6 + of_surface * std::pow(t, 2.0 / 3));
    f.seconds = seconds_per_tetrahedron * t;
    return f;
}

MeshForecast forecast_slab(const MeshSlab& s)
{
    if (!(s.spacing_mm > 0) || !std::isfinite(s.spacing_mm))
        throw InputError("spacing_mm", "must be a positive length");
    double cubes = 1, vertices = 1;
    Vec3 h{}; // of a cube, as they fit
    for (std::size_t k = 0; k < 3; ++k) {
        if (!(s.size_mm[k] > 0) || !std::isfinite(s.size_mm[k]))
            throw InputError("slab_mm", "must be three positive lengths");
        const double n = std::max(1.0, std::round(s.size_mm[k] / s.spacing_mm));
        cubes *= n;
        vertices *= n + 1;
        h[k] = s.size_mm[k] / n;
    }
    need_room(6 * cubes, "spacing_mm");
    MeshForecast f;
    f.counted = true;
    f.tetrahedra = std::llround(6 * cubes);
    f.vertices = std::llround(vertices);
    // each of the cube's six tetrahedra has three edges, two diagonals of faces, the cube's own
    f.edge_mm =
        (h[0] + h[1] + h[2] + norm(h) +
         2.0 / 3 * (std::hypot(h[0], h[1]) + std::hypot(h[1], h[2]) + std::hypot(h[0], h[2]))) /
        6;
    return f;
}

MeshForecast forecast_refined(const Refinement& r, const Progress& progress)
{
    need_times(r.times);
    if (!r.mesh || r.mesh->tetrahedron_count() == 0)
        throw InputError("mesh", "has no tetrahedra; open a heart first");
    need_room(static_cast<double>(r.mesh->tetrahedron_count()) * std::pow(8.0, r.times), "times");
    const auto c = mesh::refined(mesh::counts(*r.mesh, progress), r.times);
    MeshForecast f;
    f.counted = true;
    f.vertices = c.vertices;
    f.tetrahedra = c.tetrahedra;
    f.edge_mm = mesh::mean_edge_mm(*r.mesh) / std::pow(2.0, r.times);
    return f;
}

/// Vertices with those between them: what refine() puts into the middle of an edge both of whose
/// ends are chosen. Children 8 t + a and 8 t + b, at the corners a and b, share just that vertex.
std::vector<std::int64_t> between(const std::vector<std::int64_t>& nodes, const mesh::TetMesh& fine)
{
    std::set<std::int64_t> out(nodes.begin(), nodes.end());
    const std::set<std::int64_t> chosen = out;
    for (std::size_t t = 0; t + 8 <= fine.tetrahedron_count(); t += 8)
        for (std::size_t a = 0; a < 4; ++a)
            for (std::size_t b = a + 1; b < 4; ++b) {
                const auto p = fine.corners(t + a), q = fine.corners(t + b);
                const auto has = [&](const auto& corners) { // its corner of the parent
                    return std::any_of(corners.begin(), corners.end(),
                                       [&](auto v) { return chosen.contains(v); });
                };
                if (!has(p) || !has(q))
                    continue;
                for (auto v : p)
                    if (std::find(q.begin(), q.end(), v) != q.end())
                        out.insert(v);
            }
    return {out.begin(), out.end()};
}

} // namespace

MeshForecast forecast(const MeshRecipe& recipe, const Progress& progress)
{
    return std::visit(Overload{[](const HeartParameters& p) { return forecast_heart(p); },
                               [](const MeshSlab& s) { return forecast_slab(s); },
                               [&](const Refinement& r) { return forecast_refined(r, progress); }},
                      recipe);
}

double session_bytes(const MeshForecast& f, diffusion::Scheme scheme)
{
    constexpr double program = 380e6;
    const double per_tetrahedron = scheme == diffusion::Scheme::fvm ? 790 : 330;
    return program + per_tetrahedron * static_cast<double>(f.tetrahedra);
}

void need_memory(const MeshForecast& mesh, diffusion::Scheme scheme, const std::string& key,
                 double edge_mm, double free_bytes)
{
    const double at_least = scheme == diffusion::Scheme::fvm ? 0.63 : 0.8;
    const double bytes = session_bytes(mesh, scheme);
    if (!(free_bytes > 0) || at_least * bytes <= free_bytes)
        return;
    const double fits = edge_mm * std::cbrt(bytes / free_bytes);
    throw InputError(key, "makes " + number_text(static_cast<double>(mesh.tetrahedra) / 1e6, 3) +
                              " million tetrahedra, which take some " + size_text(bytes) +
                              " of memory; " + size_text(free_bytes) + " are free: from about " +
                              number_text(fits, 2) + " mm on they fit");
}

void need_memory_to_refine(double tetrahedra, int times, double free_bytes, const std::string& key)
{
    constexpr double least = 100, million = 1e6; // bytes of a tetrahedron
    const auto made = [&](int n) { return tetrahedra * std::pow(8.0, n); };
    if (!(free_bytes > 0) || least * made(times) <= free_bytes)
        return;
    int fits = times - 1;
    while (fits > 0 && 2 * least * made(fits) > free_bytes)
        --fits;
    throw InputError(key, "is " + std::to_string(times) + " and makes " +
                              number_text(made(times) / million, 3) +
                              " million tetrahedra, whose mesh alone takes at least " +
                              size_text(least * made(times)) + " of memory; " +
                              size_text(free_bytes) + " are free: " +
                              (fits > 0 ? "up to " + std::to_string(fits) + " fits"
                                        : "once may not fit either; take a coarser mesh or a "
                                          "machine with more memory"));
}

double machine_bytes()
{
    const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? static_cast<double>(pages) * static_cast<double>(size) : 0;
}

mesh::TetMesh make_mesh(const MeshRecipe& recipe, const Progress& progress)
{
    return std::visit(
        Overload{
            [&](const HeartParameters& p) { return mesh::generator::generate_heart(p, progress); },
            [&](const MeshSlab& s) {
                progress.at(0, "cutting the slab");
                return mesh::slab(s.size_mm, s.spacing_mm);
            },
            [&](const Refinement& r) {
                need_times(r.times);
                need_room(static_cast<double>(r.mesh->tetrahedron_count()) * std::pow(8.0, r.times),
                          "times");
                need_memory_to_refine(static_cast<double>(r.mesh->tetrahedron_count()), r.times,
                                      available_memory_bytes());
                auto m = mesh::refine(*r.mesh, progress);
                for (int k = 1; k < r.times; ++k)
                    m = mesh::refine(m, progress);
                return m;
            }},
        recipe);
}

Session carried_over(Session s, const mesh::TetMesh& fine)
{
    constexpr std::int64_t children = 8;
    for (Region& r : s.regions)
        if (auto* painted = r.where ? std::get_if<Tetrahedra>(&*r.where) : nullptr) {
            std::vector<std::int64_t> all;
            all.reserve(painted->tetrahedra.size() * static_cast<std::size_t>(children));
            for (const std::int64_t t : painted->tetrahedra)
                for (std::int64_t k = 0; k < children; ++k)
                    all.push_back(children * t + k);
            painted->tetrahedra = std::move(all);
        }
    for (Stimulus& x : s.stimuli)
        if (auto* nodes = std::get_if<Nodes>(&x.region))
            nodes->nodes = between(nodes->nodes, fine);
    return s;
}

Session session_on_new_mesh(const MeshRecipe& recipe, const fs::path& file, const Session& current,
                            const Progress& progress, Notices* lost)
{
    const auto* refinement = std::get_if<Refinement>(&recipe);
    Session s = current;
    const auto write = [&](const mesh::TetMesh& m) {
        progress.at(1, "writing the mesh");
        mesh::io::write(m, file, progress);
        if (lost != nullptr)
            *lost = mesh::io::lost_in(m, file);
    };
    if (refinement != nullptr) { // one by one: each step's order tells what lies between
        auto m = *refinement->mesh;
        need_times(refinement->times);
        for (int k = 0; k < refinement->times; ++k) {
            m = make_mesh(Refinement{std::make_shared<const mesh::TetMesh>(std::move(m)), 1},
                          progress);
            s = carried_over(std::move(s), m);
        }
        write(m);
        if (refinement->lower)
            lower_conductivities(s, mesh::grain(*refinement->mesh), mesh::grain(m), progress);
        s.folder = file.parent_path();
        s.mesh = MeshFile{file.filename().string(), LengthUnit::mm, {}};
        return s;
    }
    const auto m = make_mesh(recipe, progress);
    write(m);
    s = session_for_mesh(file, progress.silent());
    if (std::holds_alternative<HeartParameters>(recipe)) // as the built-in heart
        s.regions = heart_layers(s.regions.front(), {m.region.begin(), m.region.end()});
    return s;
}

Session moved_to(Session s, const fs::path& folder)
{
    const auto moved = [&](std::string& text) {
        const fs::path path(text);
        if (path.is_absolute())
            return;
        const fs::path from = fs::absolute(s.folder / path).lexically_normal();
        const fs::path relative = from.lexically_relative(fs::absolute(folder).lexically_normal());
        text = (relative.empty() ? from : relative).string();
    };
    if (auto* file = std::get_if<MeshFile>(&s.mesh)) {
        moved(file->file);
        if (!file->fibres.empty() && file->fibres != rule_based)
            moved(file->fibres);
    }
    for (auto& file : s.purkinje->files)
        moved(file);
    s.folder = folder;
    return s;
}

} // namespace tawara::simulation
