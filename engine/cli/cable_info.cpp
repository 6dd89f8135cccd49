// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli cable info: what a file of cables has.
#include "engine/cable/measures.hpp"
#include "engine/cli/cable_files.hpp"
#include "engine/core/error.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace tawara::cli {
namespace {

struct CableInfoArguments
{
    std::string file;
    CableFileArguments how;
};

Json measures_json(const cable::Measures& m)
{
    Json kinds = Json::array();
    for (const auto& [kind, k] : m.kinds)
        kinds.push_back({{"kind", kind},
                         {"name", cable::kind_name(kind)},
                         {"points", k.points},
                         {"length_um", k.length_um},
                         {"area_um2", k.area_um2}});
    return {{"points", m.points},
            {"sections", m.sections},
            {"forks", m.forks},
            {"ends", m.ends},
            {"length_um", m.length_um},
            {"area_um2", m.area_um2},
            {"least_radius_um", m.least_radius_um},
            {"largest_radius_um", m.largest_radius_um},
            {"farthest_from_root_um", m.farthest_um},
            {"low_mm", {m.low_mm[0], m.low_mm[1], m.low_mm[2]}},
            {"high_mm", {m.high_mm[0], m.high_mm[1], m.high_mm[2]}},
            {"kinds", kinds}};
}

void say_measures(Context& c, const cable::Measures& m, std::size_t nodes, double step_um)
{
    char line[240];
    std::snprintf(line, sizeof line,
                  "%zu points, %zu sections, %zu forks, %zu ends; length %.6g um, membrane %.6g "
                  "um2; radii %.4g to %.4g um",
                  m.points, m.sections, m.forks, m.ends, m.length_um, m.area_um2, m.least_radius_um,
                  m.largest_radius_um);
    c.say(line);
    const auto size = 1000.0 * (m.high_mm - m.low_mm);
    std::snprintf(line, sizeof line,
                  "extent %.6g x %.6g x %.6g um; the farthest end is %.6g um from the root along "
                  "the cable",
                  size[0], size[1], size[2], m.farthest_um);
    c.say(line);
    for (const auto& [kind, k] : m.kinds) {
        std::snprintf(line, sizeof line, "  %-16s %7zu points, length %.6g um, membrane %.6g um2",
                      cable::kind_name(kind).c_str(), k.points, k.length_um, k.area_um2);
        c.say(line);
    }
    std::snprintf(line, sizeof line, "%zu compartments with a space step of %g um", nodes, step_um);
    c.say(line);
}

/// Further trees are counted, and not told one by one.
constexpr std::size_t most_listed = 1000;

void cable_info(Context& c, const CableInfoArguments& a)
{
    const auto loaded = a.how.read(c, a.file, c.progress(), true);
    const auto count = loaded.trees.size(), listed = std::min(count, most_listed);
    std::vector<std::pair<cable::Measures, std::size_t>> all; // before anything is said
    for (std::size_t k = 0; k < listed; ++k) {
        const auto& t = loaded.trees[k];
        const auto m = cable::measure(t);
        all.emplace_back(m, m.area_um2 > 0 ? a.how.cut(t, {}).nodes() : std::size_t{0});
    }
    auto notices = loaded.notices;
    if (count > listed) {
        notices.push_back({Notice::Level::info, std::to_string(count - listed) +
                                                    " more trees are counted and not listed: the "
                                                    "first " +
                                                    std::to_string(listed) + " are"});
        c.notice(notices.back());
    }
    c.say(a.file + ": " + loaded.format + ", unit " + std::string(cable::io::name(loaded.unit)) +
          (count > 1 ? ", " + std::to_string(count) + " trees that are not joined" : ""));
    Json trees = Json::array();
    for (std::size_t k = 0; k < listed; ++k) {
        const auto& [m, nodes] = all[k];
        const auto root = loaded.number[k].front();
        if (c.json()) {
            trees.push_back(measures_json(m));
            trees.back()["root"] = root;
            trees.back()["compartments"] = nodes;
            continue;
        }
        if (count > 1)
            c.say("tree " + std::to_string(k) + ", root " + std::to_string(root) + ":");
        say_measures(c, m, nodes, a.how.space_step_um);
    }
    Json said = Json::array();
    for (const auto& n : notices)
        said.push_back(n.text);
    c.result({{"file", a.file},
              {"format", loaded.format},
              {"unit", std::string(cable::io::name(loaded.unit))},
              {"space_step_um", a.how.space_step_um},
              {"tree_count", count},
              {"trees", std::move(trees)},
              {"notices", std::move(said)}});
}

} // namespace

void CableFileArguments::declare(CLI::App& app)
{
    app.add_option("--unit", unit,
                   "length unit of the file: nm, um, mm, cm or m; else as it says, or its format's")
        ->type_name("U");
    radius_given =
        app.add_option("--radius", radius_um, "radius of points without one [um]")->type_name("UM");
    root_given =
        app.add_option("--root", root,
                       "number of the point that is the root (SWC: its id); else the file's")
            ->type_name("N");
    app.add_option("--space-step", space_step_um, "longest distance of two compartments [um]")
        ->type_name("UM")
        ->capture_default_str();
}

cable::io::Loaded CableFileArguments::read(Context& c, const std::string& file,
                                           const Progress& progress, bool several_trees,
                                           bool of_several) const
{
    need_positive("--space-step", space_step_um);
    cable::io::ReadOptions o;
    if (!unit.empty())
        o.unit = cable::io::unit_by_name(unit);
    if (radius_given->count() > 0) {
        need_positive("--radius", radius_um);
        o.radius_um = radius_um;
    }
    if (root_given->count() > 0)
        o.root = root;
    o.several_trees = several_trees;
    auto loaded = cable::io::read(file, o, progress);
    for (auto n : loaded.notices) {
        if (of_several)
            n.text = file + ": " + n.text;
        c.notice(n);
    }
    return loaded;
}

cable::Compartments CableFileArguments::cut(const cable::Morphology& m,
                                            const cable::Material& of) const
{
    constexpr double most = 50e6;
    const auto size = cable::measure(m);
    if (const double wanted = size.length_um / space_step_um + static_cast<double>(size.sections);
        wanted > most) {
        char text[120];
        std::snprintf(text, sizeof text,
                      "is %g um, of which %g um of cable have %.3g; a longer one is due",
                      space_step_um, size.length_um, wanted);
        throw InputError("--space-step", text);
    }
    return cable::discretise(m, {space_step_um, of, {}});
}

std::int32_t cable_kind(const std::string& option, const std::string& text)
{
    for (const auto& [word, kind] : {std::pair<const char*, std::int32_t>{"soma", 1},
                                     {"axon", 2},
                                     {"basal", 3},
                                     {"dendrite", 3},
                                     {"apical", 4}})
        if (text == word)
            return kind;
    std::int32_t kind = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), kind);
    if (error != std::errc() || end != text.data() + text.size() || kind < 0)
        throw InputError(option, "'" + text +
                                     "' is no kind of branch; soma, axon, basal, apical or SWC's "
                                     "number of it is due");
    return kind;
}

void declare_cable(const Declaration& d)
{
    auto* cable = d.app.add_subcommand("cable", "neurons and fibres as trees: info, run");
    cable->require_subcommand(1);
    auto a = std::make_shared<CableInfoArguments>();
    auto* sub = d.command(*cable, "info", "points, branches, length and membrane of a cable's file",
                          [a](Context& c) { cable_info(c, *a); });
    sub->add_option("file", a->file, "SWC, VTK lines, or a table of x y z radius parent")
        ->type_name("FILE")
        ->required();
    a->how.declare(*sub);
    declare_cable_run(d, *cable);
}

} // namespace tawara::cli
