// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli mesh: what a mesh holds, other formats, refinement, generated hearts, stability.
#include "engine/cli/command.hpp"
#include "engine/cli/fibre_angles.hpp"
#include "engine/cli/mesh_output.hpp"
#include "engine/core/error.hpp"
#include "engine/core/memory.hpp"
#include "engine/diffusion/spectrum.hpp"
#include "engine/mesh/check.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/mesh/measure.hpp"
#include "engine/mesh/parallel/files.hpp"
#include "engine/mesh/region_names.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/simulation/observe/torso.hpp"
#include "engine/simulation/tissue/coordinates.hpp"
#include "engine/simulation/tissue/fibres.hpp"
#include "engine/simulation/tissue/mesh_errors.hpp"
#include "engine/simulation/tissue/new_mesh.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"

#include <algorithm>
#include <complex>
#include <cstdio>
#include <limits>
#include <map>

namespace tawara::cli {
namespace {

namespace fs = std::filesystem;

std::string number(double v)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.5g", v);
    return text;
}

struct Files
{
    std::string in, out, unit, fibres, angles;
    int times = 1, parts = 1;
    std::vector<double> sigma{0.13341772, 0.01760618, 0.01760618};
    std::string scheme = "fvm", mass = "lumped";
    double scaling = 1e-3, largest_scaling = 1.2, dt_ms = 0;
};

mesh::io::Loaded read(Context& c, const Files& f)
{
    std::optional<LengthUnit> unit;
    if (!f.unit.empty()) {
        unit = length_unit(f.unit);
        if (!unit)
            throw InputError("--length-unit", "is '" + f.unit + "'; it should be um, mm, cm or m");
    }
    auto loaded = mesh::io::read(f.in, unit, c.progress());
    if (const auto fibres = fibres_of(f.fibres, f.angles); !fibres.empty()) {
        const auto rule = f.angles.empty() ? mesh::generator::FibreRules{} : rule_of(f.angles);
        simulation::LoadedMesh m{std::move(loaded.mesh), std::move(loaded.check.neighbours)};
        simulation::give_fibres(m, fibres, {}, rule, loaded.check.notices, c.progress());
        loaded.mesh = std::move(m.mesh), loaded.check.neighbours = std::move(m.neighbours);
    }
    c.notices(loaded.check.notices);
    return loaded;
}

/// The files that read() reads.
std::vector<fs::path> sources_of(const Files& f)
{
    auto out = mesh::io::files_read(f.in);
    if (!f.fibres.empty())
        out.emplace_back(f.fibres);
    return out;
}

Json figures(const mesh::TetMesh& m)
{
    constexpr double far = std::numeric_limits<double>::max();
    Vec3 low{far, far, far}, high{-far, -far, -far};
    for (std::size_t v = 0; v < m.vertex_count(); ++v)
        for (std::size_t k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], m.vertex(v)[k]);
            high[k] = std::max(high[k], m.vertex(v)[k]);
        }
    double volume = 0;
    std::map<std::int32_t, std::int64_t> regions;
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        volume += m.volume(t);
        ++regions[m.region[t]];
    }
    Json j;
    j["vertices"] = m.vertex_count();
    j["tetrahedra"] = m.tetrahedron_count();
    j["volume_mm3"] = volume;
    j["mean_edge_mm"] = mesh::mean_edge_mm(m);
    j["bounding_box_mm"] = {low, high};
    j["regions"] = Json::object();
    for (const auto& [label, n] : regions)
        j["regions"][std::to_string(label)] = n;
    j["fibres"] = !m.fibre.empty();
    j["sheets"] = !m.sheet.empty();
    Json fields = Json::array();
    for (const auto& f : m.fields)
        fields.push_back(f.name);
    j["fields"] = fields;
    return j;
}

/// Says for people what figures() found.
void say_counts(Context& c, const Json& j)
{
    c.say(std::to_string(j["vertices"].get<std::int64_t>()) + " vertices, " +
          std::to_string(j["tetrahedra"].get<std::int64_t>()) + " tetrahedra, " +
          number(j["volume_mm3"].get<double>() / 1e3) + " cm3, mean edge " +
          number(j["mean_edge_mm"].get<double>()) + " mm");
    std::string box;
    for (std::size_t k = 0; k < 3; ++k)
        box += (k ? ", " : "") + number(j["bounding_box_mm"][0][k].get<double>()) + " to " +
               number(j["bounding_box_mm"][1][k].get<double>());
    c.say("box: " + box + " mm");
    std::string labels;
    for (const auto& [label, n] : j["regions"].items())
        labels += (labels.empty() ? "" : ", ") + label + " (" + n.dump() + ")";
    c.say("regions (tetrahedra): " + labels);
    c.say(std::string("fibres: ") + (j["fibres"].get<bool>() ? "yes" : "no") +
          (j["sheets"].get<bool>() ? ", with sheets" : ""));
}

/// How far conduction velocities of tissue will be off on a mesh, by each scheme.
void say_velocities(Context& c, double edge_mm, Json& j)
{
    const auto& usual = simulation::tissue_S_per_m;
    const simulation::Session s;
    j["velocity_errors"] = Json::array();
    c.say("velocities along and across fibres of 0.13 and 0.018 S/m, against a fine mesh (ten "
          "Tusscher's cells):");
    for (const auto& by : simulation::mesh_schemes()) {
        const auto error = [&](double sigma, double other) {
            return simulation::velocity_error(by.scheme, by.mass, by.currents, edge_mm,
                                              simulation::front_width_mm(sigma, s),
                                              simulation::conductivity_ratio(sigma, other));
        };
        const double along = error(usual.fibre, usual.sheet),
                     across = error(usual.sheet, usual.fibre);
        const bool on_vertices = by.scheme == diffusion::Scheme::p1;
        const bool interpolated = by.currents == device::IonicCurrents::interpolated;
        j["velocity_errors"].push_back(
            {{"scheme", std::string(diffusion::name(by.scheme))},
             {"mass", on_vertices ? Json(diffusion::name(by.mass)) : Json()},
             {"currents", interpolated ? "interpolated" : "nodal"},
             {"along_fibres", along},
             {"across_fibres", across}});
        c.say("  " + std::string(by.words) + ": " + simulation::error_words(along) + ", " +
              simulation::error_words(across));
    }
}

void info(Context& c, const Files& f)
{
    const auto loaded = read(c, f);
    const auto& m = loaded.mesh;
    Json j = figures(m);
    j["pieces"] = loaded.check.pieces;
    j["turned"] = loaded.check.turned;
    j["unused_vertices"] = loaded.check.unused_vertices;
    j["format"] = loaded.format;
    j["length_unit"] = std::string(name(loaded.unit));
    j["quality_min"] = loaded.check.quality_min;
    j["quality_mean"] = loaded.check.quality_mean;
    Notices found;
    const auto surface = mesh::surface(m, mesh::face_neighbours(m, c.progress().silent()), &found);
    j["walls"] = Json::object();
    for (auto w : surface.wall) {
        auto& n = j["walls"][std::string(mesh::name(w))];
        n = n.is_null() ? 1 : n.get<std::int64_t>() + 1;
    }
    c.notices(found);
    c.say(f.in + ": " + loaded.format + ", " + std::string(name(loaded.unit)));
    say_counts(c, j);
    j["region_names"] = Json::object();
    for (const auto& r : mesh::region_names(m)) {
        if (r.name.empty())
            continue;
        j["region_names"][std::to_string(r.label)] = r.name;
        c.say("  " + std::to_string(r.label) + ": " + r.name);
    }
    c.say("pieces: " + std::to_string(loaded.check.pieces) +
          "; turned tetrahedra: " + std::to_string(loaded.check.turned) + "; quality: mean " +
          number(loaded.check.quality_mean) + ", least " + number(loaded.check.quality_min));
    std::string walls;
    for (const auto& [wall, n] : j["walls"].items())
        walls += (walls.empty() ? "" : ", ") + wall + " " + n.dump();
    c.say("boundary triangles: " + walls);
    say_velocities(c, mesh::mean_edge_mm(m), j);
    c.result(j);
}

void finish(Context& c, const Files& f, const MeshOutput& to, const mesh::TetMesh& m)
{
    to.write(c, m);
    for (const auto& n : mesh::io::lost_in(m, f.out))
        c.notice(n);
    Json j = figures(m);
    j["file"] = f.out;
    say_counts(c, j);
    c.say("written to " + f.out);
    c.result(j);
}

void convert(Context& c, const Files& f)
{
    const MeshOutput to(c, f.out, sources_of(f));
    finish(c, f, to, read(c, f).mesh);
}

void refine(Context& c, const Files& f)
{
    const MeshOutput to(c, f.out, sources_of(f));
    if (f.times < 1 || f.times > simulation::most_refinements)
        throw InputError("--times", "is " + std::to_string(f.times) + "; it should be from 1 to " +
                                        std::to_string(simulation::most_refinements));
    const auto coarse = std::make_shared<const mesh::TetMesh>(std::move(read(c, f).mesh));
    simulation::need_memory_to_refine(static_cast<double>(coarse->tetrahedron_count()), f.times,
                                      available_memory_bytes(), "--times");
    finish(c, f, to, simulation::make_mesh(simulation::Refinement{coarse, f.times}, c.progress()));
}

void heart(Context& c, const Files& f)
{
    const MeshOutput to(c, f.out, {f.in});
    const auto parameters = simulation::read_heart_parameters(f.in);
    finish(c, f, to, simulation::make_mesh(parameters, c.progress()));
}

diffusion::Options options_of(const Files& f)
{
    diffusion::Options o;
    if (f.scheme != "fvm" && f.scheme != "p1")
        throw InputError("--scheme", "is '" + f.scheme + "'; it should be fvm or p1");
    if (f.mass != "lumped" && f.mass != "consistent")
        throw InputError("--mass", "is '" + f.mass + "'; it should be lumped or consistent");
    o.scheme = f.scheme == "p1" ? diffusion::Scheme::p1 : diffusion::Scheme::fvm;
    o.mass = f.mass == "consistent" ? diffusion::Mass::consistent : diffusion::Mass::lumped;
    if (o.mass == diffusion::Mass::consistent && o.scheme == diffusion::Scheme::fvm)
        throw InputError("--mass", "consistent is for --scheme p1");
    if (!(f.scaling >= 0 && f.scaling <= 0.1))
        throw InputError("--mass-scaling",
                         "is " + number(f.scaling) + "; it should be from 0 to 0.1");
    if (!(f.dt_ms >= 0))
        throw InputError("--dt", "is " + number(f.dt_ms) + "; it should be above 0");
    if (!(f.largest_scaling >= 1 && f.largest_scaling <= 1000))
        throw InputError("--mass-scaling-largest",
                         "is " + number(f.largest_scaling) + "; it should be from 1 to 1000");
    o.mass_scaling = f.scaling;
    o.largest_scaling = f.largest_scaling;
    o.dt_ms = f.dt_ms;
    return o;
}

void check(Context& c, const Files& f)
{
    const auto options = options_of(f);
    for (double s : f.sigma)
        need_positive("--conductivity", s);
    const auto loaded = read(c, f);
    const auto& m = loaded.mesh;
    diffusion::Conductivity sigma{f.sigma[0], f.sigma[1], f.sigma[2]};
    if (m.fibre.empty()) {
        sigma.sheet = sigma.normal = sigma.fibre;
        c.notice({Notice::Level::info,
                  "the mesh has no fibres: checked with the fibre conductivity in all directions"});
    }
    const std::vector<std::int32_t> which(m.tetrahedron_count(), 0);
    const auto tensors = diffusion::diffusivities(m, which, std::span(&sigma, 1), 140, 0.01);
    const auto system = diffusion::assemble(m, mesh::face_neighbours(m, c.progress().silent()),
                                            tensors, options, c.progress());
    const auto& s = system.stability;
    c.notices(s.notices);
    const double dt_ms = f.dt_ms > 0 ? f.dt_ms : 0.02;
    auto steps = diffusion::choose_substeps(dt_ms, system.stable_dt_ms);
    std::vector<std::complex<double>> rim; // of its eigenvalues; those of p1 are real
    if (steps.kind == diffusion::SubStepping::Kind::rkl2 && f.scheme == "fvm") {
        ThreadPool pool(c.console().context.threads);
        rim = diffusion::rim_of_spectrum(pool, system, c.progress());
        steps = diffusion::choose_substeps(dt_ms, system.stable_dt_ms, rim);
    }
    double imaginary = 0, modulus = 0;
    for (const auto& x : rim) {
        imaginary = std::max(imaginary, std::abs(x.imag()));
        modulus = std::max(modulus, std::abs(x));
    }
    Json j;
    j["scheme"] = f.scheme;
    j["stable"] = s.stable;
    j["repaired_cells"] = s.repaired_cells;
    j["stable_dt_ms"] = system.stable_dt_ms;
    j["largest_growth"] = s.largest_growth;
    j["proven_cell_by_cell"] = s.proven_cell_by_cell;
    j["proven_by_patches"] = s.proven_by_patches;
    j["smallest_m"] = s.smallest_m;
    j["theta"] = s.theta;
    j["unknowns"] = system.size();
    j["added_volume_fraction"] = system.added_volume_fraction;
    j["largest_scaling"] = system.largest_scaling;
    const bool scaled = system.largest_scaling_at >= 0;
    const auto at = static_cast<std::size_t>(std::max<std::int64_t>(system.largest_scaling_at, 0));
    const Vec3 where = f.scheme == "p1" ? m.vertex(at) : m.centroid(at);
    j["largest_scaling_at_mm"] = scaled ? Json({where[0], where[1], where[2]}) : Json(nullptr);
    j["conductivity_S_per_m"] = {sigma.fibre, sigma.sheet, sigma.normal};
    j["dt_ms"] = dt_ms;
    j["substeps"] = steps.stages;
    j["largest_imaginary_part"] = modulus > 0 ? Json(imaginary / modulus) : Json(nullptr);
    j["substepping"] = steps.kind == diffusion::SubStepping::Kind::euler ? "euler" : "rkl2";
    c.say(f.in + ": " + f.scheme + ", " + std::to_string(system.size()) + " unknowns");
    c.say(std::string(s.stable ? "stable" : "NOT stable") +
          (s.proven_cell_by_cell ? " (proven cell by cell)"
           : s.proven_by_patches ? " (proven patch by patch)"
                                 : " (by its largest eigenvalue)") +
          ", repaired cells: " + std::to_string(s.repaired_cells));
    c.say("largest time step: " + number(system.stable_dt_ms) +
          " ms (volume added for it: " + number(100 * system.added_volume_fraction) +
          " %); inside " + number(dt_ms) + " ms: " + std::to_string(steps.stages) +
          (steps.kind == diffusion::SubStepping::Kind::euler
               ? steps.stages == 1 ? " sub-step" : " sub-steps"
               : " RKL2 stages"));
    if (scaled)
        c.say("most volume added at (" + number(where[0]) + ", " + number(where[1]) + ", " +
              number(where[2]) + ") mm: " + number(100 * (system.largest_scaling - 1)) +
              " % of the volume there");
    c.result(j);
}

/// A mesh for ranks that none of them holds whole.
void partition(Context& c, const Files& f)
{
    namespace parallel = mesh::parallel;
    if (!parallel::is_index(f.out))
        throw InputError(f.out, "is to be the index of a mesh in parts; call it NAME.parts");
    if (f.parts < 1 || f.parts > parallel::most_parts)
        throw InputError("-n", "is " + std::to_string(f.parts) + "; it should be from 1 to " +
                                   std::to_string(parallel::most_parts));
    need_place(f.out);
    c.say_new_folder(f.out);
    auto loaded = read(c, f);
    auto& m = loaded.mesh;
    const auto neighbours = loaded.check.neighbours.empty()
                                ? mesh::face_neighbours(m, c.progress().silent())
                                : std::move(loaded.check.neighbours);
    Notices found;
    const auto surface = mesh::surface(m, neighbours, &found);
    c.notices(found);
    simulation::add_heart_coordinates(m, surface, c.progress()); // for layers and segments
    const auto axes = simulation::torso_frame(m, surface);
    const parallel::Body body{axes.origin_mm, axes.left, axes.posterior, axes.superior, axes.scale};
    const auto cut = parallel::cut(m, f.parts, c.progress());
    const auto index = parallel::write_parts(
        m, neighbours, surface, cut, fs::path(f.in).filename().string(), body, f.out, c.progress());
    Json j = figures(m);
    j["file"] = f.out;
    j["parts"] = Json::array();
    std::int64_t most = 0;
    std::uint64_t bytes = 0;
    for (const auto& p : index.parts) {
        j["parts"].push_back({{"file", p.file},
                              {"bytes", p.bytes},
                              {"vertices", p.vertices},
                              {"tetrahedra", p.tetrahedra}});
        most = std::max(most, p.vertices);
        bytes += p.bytes;
    }
    say_counts(c, j);
    c.say(std::to_string(f.parts) + (f.parts > 1 ? " parts" : " part") + ", at most " +
          std::to_string(most) + " own vertices each, " + number(static_cast<double>(bytes) / 1e6) +
          " MB in all");
    c.say("written to " + f.out + "; as a session's mesh.file: mpirun -n " +
          std::to_string(f.parts) + " tawara-cli run SESSION.json --distributed");
    c.result(j);
}

using Work = void (*)(Context&, const Files&);

/// A command that reads f.in; its options are added by the caller.
CLI::App* file_command(const Declaration& d, CLI::App& parent, const std::shared_ptr<Files>& f,
                       const std::string& name, const std::string& what, Work work)
{
    auto* sub = d.command(parent, name, what, [f, work](Context& c) { work(c, *f); });
    const bool from_mesh = name != "heart";
    sub->add_option(from_mesh ? "in" : "parameters", f->in,
                    from_mesh ? "mesh file (.vtu, .vtk, .pts, .node, .msh)"
                              : "parameters, as a session's mesh.heart has them")
        ->type_name(from_mesh ? "FILE" : "PARAMS.json")
        ->required();
    if (from_mesh)
        sub->add_option("--length-unit", f->unit, "unit of the file's coordinates; else inferred")
            ->type_name("um|mm|cm|m");
    if (from_mesh)
        sub->add_option("--fibres", f->fibres,
                        "fibres of another file (.vtk, .vtu, .lon, .blon) in place of the mesh's "
                        "own, or \"rule-based\"")
            ->type_name("FILE");
    if (from_mesh)
        sub->add_option("--fibre-angles", f->angles, angles_help)->type_name("ENDO,EPI");
    return sub;
}

} // namespace

void declare_mesh(const Declaration& d)
{
    auto* mesh =
        d.app.add_subcommand("mesh", "meshes: info, convert, refine, heart, check, partition");
    mesh->require_subcommand(1);
    auto f = std::make_shared<Files>();
    const auto with_out = [&f](CLI::App* sub) {
        sub->add_option("out", f->out,
                        "mesh file to write, in the format of its extension (.vtu, .vtk, .pts, "
                        ".node, .msh, .msh2)")
            ->type_name("OUT")
            ->required();
        return sub;
    };
    file_command(d, *mesh, f, "info", "counts, box, labels, fibres, quality", info);
    with_out(file_command(d, *mesh, f, "convert", "from one format to another", convert));
    with_out(file_command(d, *mesh, f, "refine", "each tetrahedron into eight", refine))
        ->add_option("--times", f->times, "how often; each time eight times the tetrahedra")
        ->capture_default_str();
    with_out(file_command(d, *mesh, f, "heart", "an idealised heart from its parameters", heart));
    auto* check_command =
        file_command(d, *mesh, f, "check", "stability of the diffusion operator on a mesh", check);
    check_command->add_option("--scheme", f->scheme, "fvm or p1")->capture_default_str();
    check_command->add_option("--mass", f->mass, "lumped or consistent (p1)")
        ->capture_default_str();
    check_command
        ->add_option("--conductivity", f->sigma, "along fibre, sheet and normal [S/m]; chi 140/mm")
        ->expected(3)
        ->capture_default_str();
    check_command
        ->add_option("--mass-scaling", f->scaling,
                     "bound on the added volume, as a part of the whole")
        ->capture_default_str();
    check_command
        ->add_option(
            "--mass-scaling-largest", f->largest_scaling,
            "bound on the volume of any place with what is added, as a multiple of its own")
        ->capture_default_str();
    check_command->add_option(
        "--dt", f->dt_ms, "step for which volume is added [ms]; else as far as the bound allows");
    auto* partition_command =
        file_command(d, *mesh, f, "partition",
                     "a mesh in parts, one for each rank of run --distributed", partition);
    partition_command->add_option("-n", f->parts, "number of parts")->type_name("N")->required();
    partition_command
        ->add_option("-o", f->out, "index to write, NAME.parts; its parts lie beside it")
        ->type_name("NAME.parts")
        ->required();
}

} // namespace tawara::cli
