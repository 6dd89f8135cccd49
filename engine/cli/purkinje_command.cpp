// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli purkinje: networks that grow on a mesh, and what a network's file holds.
#include "engine/cable/growth/heart_network.hpp"
#include "engine/cable/growth/network_vtu.hpp"
#include "engine/cable/io/read.hpp"
#include "engine/cli/command.hpp"
#include "engine/core/error.hpp"
#include "engine/core/resource.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/mesh/locator.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/session_purkinje.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace tawara::cli {
namespace {

struct NetworkFiles
{
    std::string mesh, out, network, unit, network_unit;
    std::vector<std::string> set;
    double radius_um = 25;
};

std::optional<LengthUnit> unit_option(const std::string& text, const char* option)
{
    if (text.empty())
        return {};
    const auto unit = length_unit(text);
    if (!unit)
        throw InputError(option, "is '" + text + "'; it should be um, mm, cm or m");
    return unit;
}

mesh::io::Loaded read_mesh(Context& c, const NetworkFiles& f)
{
    auto loaded = f.mesh == "embedded"
                      ? mesh::io::read(resource("meshes/default_heart.vtu"), LengthUnit::mm)
                      : mesh::io::read(f.mesh, unit_option(f.unit, "--length-unit"), c.progress());
    c.notices(loaded.check.notices);
    return loaded;
}

/// Least, middle and greatest.
Json three_of(std::vector<double> v)
{
    if (v.empty())
        return nullptr;
    std::sort(v.begin(), v.end());
    return {{"least", v.front()}, {"median", v[v.size() / 2]}, {"greatest", v.back()}};
}

std::string three_words(const Json& j)
{
    const auto word = [&](const char* key) {
        return simulation::number_text(j[key].get<double>(), 4);
    };
    return j.is_null() ? "none" : word("least") + " / " + word("median") + " / " + word("greatest");
}

/// Counts, lengths, ends and fascicles of trees.
Json network_figures(std::span<const cable::Morphology> trees)
{
    std::size_t points = 0, branches = 0, ends = 0;
    double length = 0;
    std::vector<double> lengths;
    std::map<std::int32_t, std::array<double, 2>> fascicles; // length, ends
    Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    for (const auto& m : trees) {
        points += m.points();
        const auto b = cable::branches_of(m);
        branches += b.count();
        lengths.insert(lengths.end(), b.length_mm.begin(), b.length_mm.end());
        for (std::size_t i = 0; i < m.points(); ++i) {
            const double piece = cable::piece_mm(m, i);
            length += piece;
            fascicles[m.kind[i]][0] += piece;
            for (std::size_t k = 0; k < 3; ++k) {
                low[k] = std::min(low[k], m.point_mm[i][k]);
                high[k] = std::max(high[k], m.point_mm[i][k]);
            }
        }
        const auto at = cable::ends_of(m);
        ends += at.size();
        for (const auto e : at)
            fascicles[m.kind[static_cast<std::size_t>(e)]][1] += 1;
    }
    Json j = Json::object();
    j["trees"] = trees.size();
    j["points"] = points;
    j["branches"] = branches;
    j["ends"] = ends;
    j["length_mm"] = length;
    j["branch_mm"] = three_of(std::move(lengths));
    j["bounding_box_mm"] = {low, high};
    j["fascicles"] = Json::object();
    for (const auto& [kind, x] : fascicles) {
        const bool known = kind >= 0 && kind < cable::fascicles;
        const auto name = known ? std::string(cable::name(static_cast<cable::Fascicle>(kind)))
                                : std::to_string(kind);
        j["fascicles"][name] = {{"length_mm", x[0]}, {"ends", static_cast<std::int64_t>(x[1])}};
    }
    return j;
}

void say_figures(Context& c, const Json& j)
{
    c.say(j["points"].dump() + " points, " + j["branches"].dump() + " branches, " +
          j["ends"].dump() + " ends, " + simulation::number_text(j["length_mm"].get<double>(), 5) +
          " mm" + (j["trees"].get<int>() > 1 ? ", " + j["trees"].dump() + " trees" : ""));
    c.say("branches, least / median / greatest: " + three_words(j["branch_mm"]) + " mm");
    for (const auto& [name, x] : j["fascicles"].items())
        c.say("  " + name + ": " + simulation::number_text(x["length_mm"].get<double>(), 5) +
              " mm, " + x["ends"].dump() + " ends");
}

void grow(Context& c, const NetworkFiles& f)
{
    if (std::filesystem::path(f.out).extension() != ".vtu")
        throw InputError(f.out, "is no .vtu file, which networks are written as; OUT.vtu would be "
                                "right");
    need_writable_file(f.out);
    const auto parameters = simulation::growth_of(f.set);
    const auto loaded = read_mesh(c, f);
    Notices notices;
    const auto surface = mesh::surface(loaded.mesh, loaded.check.neighbours, &notices);
    const auto m =
        cable::grow_network(loaded.mesh, surface, parameters, f.mesh, notices, c.progress());
    c.notices(notices);
    cable::write_network_vtu(m, {}, f.out);
    Json j = network_figures({&m, 1});
    j["file"] = f.out;
    say_figures(c, j);
    c.say("written to " + f.out);
    c.result(j);
}

/// How far the ends are from a mesh.
void measure_ends(Context& c, const NetworkFiles& f, std::span<const cable::Morphology> trees,
                  Json& j)
{
    const auto loaded = read_mesh(c, f);
    const mesh::Locator locator(loaded.mesh);
    std::vector<double> far;
    for (const auto& m : trees)
        for (const auto e : cable::ends_of(m))
            far.push_back(locator.find(m.point_mm[static_cast<std::size_t>(e)]).distance_mm);
    const auto within = std::count_if(far.begin(), far.end(), [](double d) { return d <= 1; });
    j["ends_from_tissue_mm"] = three_of(far);
    j["ends_within_1_mm"] = within;
    c.say("ends from the tissue of " + f.mesh + ": " + three_words(j["ends_from_tissue_mm"]) +
          " mm, " + std::to_string(within) + " of " + std::to_string(far.size()) + " within 1 mm");
}

void info_of_network(Context& c, const NetworkFiles& f)
{
    cable::io::ReadOptions options;
    options.radius_um = f.radius_um;
    options.several_trees = true;
    if (!f.network_unit.empty())
        options.unit = cable::io::unit_by_name(f.network_unit);
    const auto loaded = cable::io::read(f.network, options, c.progress());
    c.notices(loaded.notices);
    Json j = network_figures(loaded.trees);
    j["format"] = loaded.format;
    j["length_unit"] = std::string(cable::io::name(loaded.unit));
    c.say(f.network + ": " + loaded.format + ", " + std::string(cable::io::name(loaded.unit)));
    say_figures(c, j);
    if (!f.mesh.empty())
        measure_ends(c, f, loaded.trees, j);
    c.result(j);
}

} // namespace

void declare_purkinje(const Declaration& d)
{
    auto* purkinje = d.app.add_subcommand("purkinje", "Purkinje networks: grow, info");
    purkinje->require_subcommand(1);
    auto f = std::make_shared<NetworkFiles>();
    auto* grown = d.command(*purkinje, "grow", "a network on the endocardia of a mesh",
                            [f](Context& c) { grow(c, *f); });
    grown->add_option("mesh", f->mesh, "a heart's mesh file, or \"embedded\"")
        ->type_name("MESH")
        ->required();
    grown->add_option("out", f->out, "the network as lines (.vtu)")->type_name("OUT")->required();
    grown
        ->add_option("--set", f->set,
                     "a number of purkinje.grow (resources/sessions/README.md), e.g. seed=2")
        ->type_name("NAME=VALUE");
    grown
        ->add_option("--length-unit", f->unit, "unit of the mesh file's coordinates; else inferred")
        ->type_name("um|mm|cm|m");
    auto* info = d.command(*purkinje, "info", "counts, lengths, ends and fascicles of a network",
                           [f](Context& c) { info_of_network(c, *f); });
    info->add_option("network", f->network, "lines (.vtu, .vtk, .vtp), SWC or a table")
        ->type_name("FILE")
        ->required();
    info->add_option("--unit", f->network_unit, "unit of its coordinates; else inferred")
        ->type_name("nm|um|mm|cm|m");
    info->add_option("--mesh", f->mesh, "says how far the ends are from the tissue of this mesh")
        ->type_name("MESH");
    info->add_option("--length-unit", f->unit, "unit of the mesh file's coordinates; else inferred")
        ->type_name("um|mm|cm|m");
}

} // namespace tawara::cli
