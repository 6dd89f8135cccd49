// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/induction_results.hpp"

#include "engine/core/error.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/study/done_runs.hpp"
#include "engine/study/site_page.hpp"
#include "engine/study/table_text.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tawara::study {
namespace {

using simulation::number_text;
using simulation::ReportPage;

std::size_t most_extras(std::span<const SearchedSite> sites)
{
    std::size_t most = 1;
    for (const auto& s : sites)
        for (const auto* r : {&s.record.before, s.record.after ? &*s.record.after : nullptr})
            if (r != nullptr)
                most = std::max({most, r->shortest_ms.size(), r->worst.couplings_ms.size()});
    return most;
}

std::vector<std::string> heads(std::size_t extras)
{
    std::vector<std::string> out;
    for (std::size_t k = 0; k < extras; ++k)
        out.push_back("s" + std::to_string(k + 2) + "_shortest_ms");
    out.insert(out.end(), {"outcome", "induced_by_ms", "class", "duration_ms", "cycle_length_ms",
                           "variability", "exit_segment", "exit_x_mm", "exit_y_mm", "exit_z_mm",
                           "core", "core_x_mm", "core_y_mm", "core_z_mm", "channel_x_mm",
                           "channel_y_mm", "channel_z_mm", "trials"});
    return out;
}

/// As heads() has them.
std::vector<std::string> cells(const SearchResult& r, int exit_segment, std::size_t extras)
{
    const auto& w = r.worst;
    const bool turns = w.active(), stays = w.outcome == Outcome::sustained;
    std::vector<std::string> out;
    const auto add = [&](bool there, double x) { out.push_back(there ? exact(x) : std::string()); };
    const auto add_place = [&](bool there, const Vec3& p) {
        for (const double x : p)
            add(there, x);
    };
    for (std::size_t k = 0; k < extras; ++k)
        add(k < r.shortest_ms.size(), k < r.shortest_ms.size() ? r.shortest_ms[k] : 0);
    out.emplace_back(w.outcome == Outcome::blocked ? name(Outcome::none) : name(w.outcome));
    out.push_back(turns ? couplings_text(w.couplings_ms) : "");
    out.emplace_back(!stays ? "" : w.reentry.monomorphic ? "monomorphic" : "polymorphic");
    add(turns, w.duration_ms);
    add(turns && w.reentry.cycle_length_ms > 0, w.reentry.cycle_length_ms);
    add(stays, w.reentry.variability);
    out.push_back(stays && exit_segment > 0 ? std::to_string(exit_segment) : "");
    add_place(stays, w.reentry.exit_mm);
    out.push_back(stays ? w.core.kind : "");
    add_place(stays && w.core.kind != "not found", w.core.place_mm);
    add_place(stays && w.reentry.slow_channel, w.reentry.channel_mm);
    out.push_back(std::to_string(r.trials));
    return out;
}

/// What a run differs by but for its site, which comes last.
std::string combination(const SearchedSite& s)
{
    std::string out;
    for (std::size_t k = 0; k + 1 < s.values.size(); ++k)
        if (!s.values[k].empty())
            out += (out.empty() ? "" : ", ") + plain(s.values[k]);
    return out;
}

/// A segment with several sites is as its worst one.
void keep_worse(const Outcome*& kept, const Outcome& o)
{
    if (kept == nullptr || *kept < o)
        kept = &o;
}

} // namespace

std::vector<SearchedSite> searched_sites(const Ledger& ledger, const std::filesystem::path& folder,
                                         Notices& left_out)
{
    std::vector<SearchedSite> out;
    for (auto& run : done_runs(ledger, folder, site_path)) {
        SearchedSite s;
        try {
            s.record = reported_site(run.report);
        } catch (const InputError& e) { // the others are as good as before
            left_out.push_back({Notice::Level::warning, run.name + " is left out: " + e.what()});
            continue;
        }
        s.run = std::move(run.name);
        s.values = std::move(run.values);
        out.push_back(std::move(s));
    }
    return out;
}

void write_induction_csv(std::span<const SearchedSite> sites, std::span<const std::string> paths,
                         const std::filesystem::path& file)
{
    const auto extras = most_extras(sites);
    const bool ablated = std::any_of(sites.begin(), sites.end(),
                                     [](const auto& s) { return s.record.after.has_value(); });
    write_whole(file, [&](std::ostream& out) {
        out << "run,site,segment,x_mm,y_mm,z_mm";
        for (const auto& path : paths)
            if (path != site_path)
                out << ',' << field(path);
        const auto names = heads(extras);
        for (const auto& name : names)
            out << ',' << name;
        for (const auto& name : names)
            if (ablated)
                out << ",after_" << name;
        out << '\n';
        for (const auto& s : sites) {
            const auto& r = s.record;
            out << s.run << ',' << field(r.site) << ','
                << (r.segment > 0 ? std::to_string(r.segment) : std::string());
            for (const double x : r.place_mm)
                out << ',' << exact(x);
            for (std::size_t k = 0; k + 1 < s.values.size(); ++k)
                out << ',' << field(plain(s.values[k]));
            for (const auto& cell : cells(r.before, r.exit_segment, extras))
                out << ',' << cell;
            if (r.after)
                for (const auto& cell : cells(*r.after, r.exit_segment_after, extras))
                    out << ',' << cell;
            else if (ablated)
                out << std::string(names.size(), ',');
            out << '\n';
        }
    });
}

void add_sites(std::span<const SearchedSite> sites, ReportPage& page)
{
    std::map<std::string, std::pair<BullsEye, BullsEye>> eyes;
    std::size_t induced = 0, after = 0, repeated = 0;
    const auto extras = most_extras(sites);
    ReportPage::Table table{"Sites", {"site", "run"}, {}, "All columns are in induction.csv."};
    for (std::size_t k = 0; k < extras; ++k)
        table.head.push_back("S" + std::to_string(k + 2) + " [ms]");
    table.head.insert(table.head.end(), {"re-entry", "by [ms]", "class", "cycle [ms]", "exit",
                                         "turns around", "after ablation"});
    for (const auto& s : sites) {
        const auto& r = s.record;
        const bool here = r.before.worst.outcome == Outcome::sustained;
        induced += here;
        repeated += r.after.has_value();
        after += r.after && r.after->worst.outcome == Outcome::sustained;
        auto& [first, second] = eyes[combination(s)];
        if (r.segment > 0) {
            const auto at = static_cast<std::size_t>(r.segment - 1);
            keep_worse(first.of[at], r.before.worst.outcome);
            keep_worse(second.of[at], (r.after ? *r.after : r.before).worst.outcome);
        }
        const auto c = cells(r.before, r.exit_segment, extras);
        std::vector<std::string> row{r.site, s.run};
        for (std::size_t k = 0; k < extras; ++k)
            row.push_back(c[k]);
        row.insert(
            row.end(),
            {c[extras], c[extras + 1], c[extras + 2],
             c[extras + 4].empty() ? "" : number_text(r.before.worst.reentry.cycle_length_ms, 4),
             !here                   ? ""
             : c[extras + 6].empty() ? "see table"
                                     : "AHA " + c[extras + 6],
             c[extras + 10], r.after ? name(r.after->worst.outcome) : ""});
        table.rows.push_back(std::move(row));
    }
    page.key.push_back({std::to_string(induced) + " of " + std::to_string(sites.size()),
                        "sites inducible",
                        repeated > 0 ? std::to_string(after) + " after ablation" : ""});
    std::vector<BullsEye> shown;
    for (auto& [of, both] : eyes) {
        auto& [first, second] = both;
        if (std::all_of(first.of.begin(), first.of.end(), [](auto* o) { return o == nullptr; }))
            continue;
        first.caption = of;
        second.caption = of + (of.empty() ? "after ablation" : ", after ablation");
        shown.push_back(first);
        if (repeated > 0)
            shown.push_back(second);
    }
    if (!shown.empty())
        page.sections.push_back({"Inducibility by AHA segment", bulls_eyes(shown), {}});
    page.wide.push_back(std::move(table));
}

} // namespace tawara::study
