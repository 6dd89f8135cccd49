// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a run: its tissue.
#include "engine/mesh/region_names.hpp"
#include "engine/simulation/results/report_tables.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>

namespace tawara::simulation::page {
namespace {

constexpr std::size_t most_rows = 40; // of regions
constexpr std::size_t most_drugs = 3, most_changes = 6;

using Names = std::vector<mesh::RegionName>;

std::string point_text(const Vec3& p)
{
    return "(" + number_text(p[0], 4) + ", " + number_text(p[1], 4) + ", " + number_text(p[2], 4) +
           ")";
}

/// Where a region is, in words.
struct PlaceText
{
    const Names& names;
    std::string operator()(const Label& l) const { return mesh::short_text(names, l.labels); }
    std::string operator()(const Box& b) const
    {
        return "box from " + point_text(b.low) + " to " + point_text(b.high) + " mm";
    }
    std::string operator()(const Sphere& s) const
    {
        return "ball around " + point_text(s.centre) + ", radius " + with(s.radius, 4, "mm");
    }
    std::string operator()(const Layer& l) const
    {
        return l.kind == Layer::Kind::endo  ? "endocardial layer"
               : l.kind == Layer::Kind::mid ? "mid-wall"
                                            : "epicardial layer";
    }
    std::string operator()(const Segments& s) const
    {
        std::string out = s.segments.size() == 1 ? "AHA segment" : "AHA segments";
        for (std::size_t k = 0; k < s.segments.size(); ++k)
            out += (k > 0 ? ", " : " ") + std::to_string(s.segments[k]);
        return out;
    }
    std::string operator()(const Tetrahedra& t) const
    {
        return "painted, " + count_text(static_cast<std::int64_t>(t.tetrahedra.size())) +
               " tetrahedra";
    }
};

/// "border_zone" as "border zone".
std::string kind_text(const Region& r)
{
    std::string out = r.kind;
    std::replace(out.begin(), out.end(), '_', ' ');
    return out;
}

std::string place_text(const Region& r, const Names& names)
{
    const std::string place = r.where            ? std::visit(PlaceText{names}, *r.where)
                              : r.labels.empty() ? "all tissue"
                                                 : mesh::short_text(names, r.labels);
    return r.kind.empty() ? place : kind_text(r) + ", " + place;
}

std::string conductivity_text(const Region& r, const TunedRegion* tuned)
{
    std::string out;
    if (r.insulating)
        return "none: insulating";
    if (!r.inherits()) {
        const auto& c =
            tuned != nullptr ? tuned->found.conductivity_S_per_m : r.conductivity_S_per_m;
        out = number_text(c.fibre, 4) + " / " + number_text(c.sheet, 4) + " / " +
              number_text(c.normal, 4);
    }
    if (r.velocity_m_per_s)
        out += " (tuned to " + velocity_text(*r.velocity_m_per_s) + " m/s)";
    const auto& scale = r.conductivity_scale;
    if (scale == 1)
        return out;
    out += (out.empty() ? "× " : " × ") + number_text(scale.fibre, 4);
    if (!scale.even())
        out += " / " + number_text(scale.sheet, 4) + " / " + number_text(scale.normal, 4);
    return out;
}

std::string changes_text(const Region& r)
{
    std::vector<std::string> all;
    for (const auto& [name, value] : r.parameters)
        all.push_back(name + " = " + number_text(value, 5));
    for (const auto& [name, factor] : r.scale)
        all.push_back(name + " × " + number_text(factor, 4));
    for (const auto& [name, value] : r.initial)
        all.push_back(name + " = " + number_text(value, 5) + " at the start");
    std::string out;
    for (std::size_t k = 0; k < std::min(all.size(), most_changes); ++k)
        out += (k > 0 ? "; " : "") + all[k];
    return all.size() > most_changes ? out + "; " + and_more(all.size() - most_changes) : out;
}

/// How many unknowns are of the session's region, and APD90 there: "287 (265 to 301)".
void add_apd(std::vector<std::string>& row, std::size_t region, const CellMap& cells,
             std::span<const double> apd90_ms, std::span<const std::int32_t> of)
{
    const auto here = [&](std::int32_t k) {
        return k >= 0 && cells.regions[static_cast<std::size_t>(k)].region == region;
    };
    row.push_back(
        count_text(std::count_if(cells.of_unknown.begin(), cells.of_unknown.end(), here)));
    const auto apd = spread_where(apd90_ms, of, here);
    row.push_back(apd.count == 0 ? "–"
                                 : number_text(apd.at[2], 3) + " (" + number_text(apd.at[1], 3) +
                                       " to " + number_text(apd.at[3], 3) + ")");
}

} // namespace

ReportPage::Table regions(const ExportSource& s, std::span<const double> apd90_ms,
                          std::span<const std::int32_t> of)
{
    const bool known = !s.cells.regions.empty() && of.size() == apd90_ms.size();
    const auto& list = s.scene->session.regions;
    const auto names = mesh::region_names(*s.scene->mesh);
    ReportPage::Table t{"Regions",
                        {"region", "kind, place", "model", "variant", "S/m, fibre / sheet / normal",
                         "changed parameters"},
                        {},
                        {}};
    for (std::size_t k = 0; k < std::min(list.size(), most_rows); ++k) {
        const auto& r = list[k];
        const auto& all = s.scene->tuned;
        const auto tuned = std::find_if(all.begin(), all.end(),
                                        [&](const TunedRegion& x) { return x.region == k; });
        t.rows.push_back({r.name.empty() ? "region " + std::to_string(k + 1) : r.name,
                          place_text(r, names),
                          r.insulating   ? "no cells"
                          : r.inherits() ? "as beneath"
                                         : r.model,
                          r.variant, conductivity_text(r, tuned == all.end() ? nullptr : &*tuned),
                          changes_text(r)});
        if (known)
            add_apd(t.rows.back(), k, s.cells, apd90_ms, of);
    }
    if (known)
        for (const char* name : {"unknowns", "APD90 ms, median (5 to 95 %)"})
            t.head.emplace_back(name);
    if (list.size() > most_rows)
        t.rows.push_back({and_more(list.size() - most_rows), "in the session's \"tissue\""});
    if (list.size() > 1)
        t.note = "Where regions overlap, the last one counts. \"as beneath\" keeps the model and "
                 "conductivities of the region below.";
    if (known && list.size() > 1)
        t.note += " Unknowns and APD90 count only where the region lies on top.";
    return t;
}

ReportPage::Table tissue(const ExportSource& s)
{
    const auto& session = s.scene->session;
    ReportPage::Table t{"Tissue", {}, {}, {}};
    t.rows.push_back(
        {"Surface to volume, capacitance", with(session.surface_to_volume_per_mm, 5, "/mm") + ", " +
                                               with(session.capacitance_uF_per_cm2, 4, "µF/cm²")});
    if (const auto& p = session.prepacing; p.beats > 0)
        t.rows.push_back(
            {"Cells paced alone before", (p.until_steady ? "until steady, at most " : "") +
                                             std::to_string(p.beats) + " beats every " +
                                             with(p.cycle_length_ms, 5, "ms")});
    for (std::size_t k = 0; k < std::min(session.drugs.size(), most_drugs); ++k) {
        const auto& d = session.drugs[k];
        std::string text;
        for (const auto& [name, factor] : d.factors)
            text += (text.empty() ? "" : ", ") + name + " × " + number_text(factor, 4);
        t.rows.push_back({"Drug: " + d.name, text});
    }
    if (session.drugs.size() > most_drugs)
        t.rows.push_back({and_more(session.drugs.size() - most_drugs) + " drugs", ""});
    return t;
}

} // namespace tawara::simulation::page
