// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a run: what was asked for (mesh, pacing, numerics).
#include "engine/mesh/measure.hpp"
#include "engine/mesh/region_names.hpp"
#include "engine/simulation/pacing/capture.hpp"
#include "engine/simulation/pacing/refractory.hpp"
#include "engine/simulation/results/report_tables.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/reaction_words.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation::page {

std::string count_text(std::int64_t n)
{
    std::string digits = std::to_string(n), out;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0)
            out += "\u202f"; // narrow space
        out += digits[i];
    }
    return out;
}

std::string with(double x, int digits, const char* unit)
{
    return std::isfinite(x) ? number_text(x, digits) + " " + unit : "–";
}

std::size_t lines(const std::string& text, std::size_t letters)
{
    return std::max<std::size_t>(1, (text.size() + letters - 1) / letters);
}

std::string and_more(std::size_t n)
{
    return "and " + std::to_string(n) + " more";
}

namespace {

constexpr std::size_t most_regions = 8; // of a mesh, by name; others are summed
// so that all of it stays one page
constexpr std::size_t pacing_lines = 12, few_sites = 4, most_failed = 4;
// letters in a line of the columns
constexpr std::size_t name_letters = 22, protocol_letters = 24, all_letters = 60;

/// "8 of 8 S1, 1 of 2 S2": how many of those given captured.
std::string captured_text(const PulseCount& c)
{
    std::string out;
    for (const auto& k : c.kinds) {
        const auto name = k.kind.empty() ? std::string() : " " + k.kind;
        out += out.empty() ? "" : ", ";
        if (k.not_known == k.given)
            out += count_text(k.given) + name + ", not known";
        else
            out += count_text(k.captured) + " of " + count_text(k.given) + name +
                   (k.not_known > 0 ? " (" + count_text(k.not_known) + " not known)" : "");
    }
    return out.empty() ? "none given" : out;
}

/// "S2 at 5310 ms (260 after the one before, V around -34 mV), ...": the first that failed.
std::string failed_text(const PulseCount& c, std::size_t most)
{
    std::string out;
    for (std::size_t k = 0; k < std::min(c.failed.size(), most); ++k) {
        const auto& p = c.failed[k];
        out += (out.empty() ? "" : ", ") + (p.kind.empty() ? "" : p.kind + " at ") +
               number_text(p.time_ms, 7) + " ms";
        std::string why;
        if (p.coupling_ms > 0)
            why = number_text(p.coupling_ms, 5) + " after the one before";
        if (std::isfinite(p.around_mV))
            why += (why.empty() ? "" : ", ") + ("V around " + number_text(p.around_mV, 2)) + " mV";
        if (p.overtaken)
            why += (why.empty() ? "" : ", ") + std::string("another wave came first");
        out += why.empty() ? "" : " (" + why + ")";
    }
    if (c.failed.size() > most)
        out += " " + and_more(c.failed.size() - most);
    return out;
}

/// What the site's pulses tell of its refractory period, beside the newest protocol that does.
std::string refractory_of(std::span<const SiteRefractory> found, const PulseCount& c)
{
    for (const auto& s : found)
        if (s.site == c.site && s.protocol == c.protocol)
            return "effective refractory period: " + refractory_text(s.found);
    return {};
}

std::string origin(const MeshSource& m)
{
    if (const auto* file = std::get_if<MeshFile>(&m))
        return std::filesystem::path(file->file).filename().string();
    if (const auto* slab = std::get_if<MeshSlab>(&m))
        return "slab, " + number_text(slab->size_mm[0], 4) + " × " +
               number_text(slab->size_mm[1], 4) + " × " + number_text(slab->size_mm[2], 4) +
               " mm, spacing " + with(slab->spacing_mm, 3, "mm");
    return std::holds_alternative<MeshHeart>(m) ? "heart by the generator" : "built-in heart";
}

std::string percent(double share)
{
    return number_text(100 * share, share < 0.1 ? 2 : 3) + " %";
}

} // namespace

ReportPage::Table pacing(const ExportSource& s)
{
    auto sites = counted(s.pulses);
    for (const auto& x : s.scene->session.stimuli) // those that have given none yet, too
        if (x.on && std::none_of(sites.begin(), sites.end(),
                                 [&](const PulseCount& c) { return !c.click && c.site == x.name; }))
            sites.push_back({false, x.name, protocol_text(x), {}, {}});
    ReportPage::Table t{"Pacing", {}, {}, {}};
    if (sites.empty()) {
        t.note = "No stimuli in the session, and no click on the wall gave a pulse.";
        return t;
    }
    t.head = {"site", "pulses", "captured"};
    const std::size_t failed = sites.size() > few_sites ? 1 : most_failed;
    if (sites.size() > few_sites) // what failed is not among those left out
        std::stable_sort(sites.begin(), sites.end(), [](const PulseCount& a, const PulseCount& b) {
            return a.failed.size() > b.failed.size();
        });
    const auto& edits = s.scene->tissue_edits;
    const auto found = refractory(s.pulses, edits.empty() ? 0 : edits.back().time_ms);
    std::size_t used = 0, shown = 0;
    for (const auto& c : sites) {
        const std::string site = c.click          ? "clicks on the wall"
                                 : c.site.empty() ? "stimulus"
                                                  : c.site;
        const std::string of_failed =
            c.failed.empty() ? std::string() : "not captured: " + failed_text(c, failed);
        const std::string period = c.click ? std::string() : refractory_of(found, c);
        used += std::max(lines(site, name_letters), lines(c.protocol, protocol_letters)) +
                (of_failed.empty() ? 0 : lines(of_failed, all_letters)) +
                (period.empty() ? 0 : lines(period, all_letters));
        if (shown > 0 && used > pacing_lines)
            break;
        ++shown;
        t.rows.push_back({site, c.protocol, captured_text(c)});
        if (!of_failed.empty())
            t.rows.push_back({of_failed}); // over the whole width
        if (!period.empty())
            t.rows.push_back({period});
    }
    if (shown < sites.size())
        t.rows.push_back({and_more(sites.size() - shown), "in the window's Pacing panel", ""});
    t.note = "Captured, out of the pulses given: the tissue at the site fired before the tissue "
             "around it, and the wave left the site within " +
             number_text(CaptureWatch::window_ms, 3) + " ms (V above " +
             number_text(static_cast<double>(CaptureWatch::threshold_mV), 3) + " mV).";
    return t;
}

ReportPage::Table mesh_table(const ExportSource& s)
{
    const auto& m = *s.scene->mesh;
    const auto names = mesh::region_names(m);
    double volume = 0;
    Vec3 low{m.x[0], m.y[0], m.z[0]}, high = low;
    for (std::size_t v = 0; v < m.vertex_count(); ++v)
        for (std::size_t k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], m.vertex(v)[k]);
            high[k] = std::max(high[k], m.vertex(v)[k]);
        }
    for (const auto& r : names)
        volume += r.volume_mm3;
    ReportPage::Table t{"Mesh", {}, {}, {}};
    t.rows = {{"Mesh", origin(s.scene->session.mesh)},
              {"Nodes, cells", count_text(static_cast<std::int64_t>(m.vertex_count())) + ", " +
                                   count_text(static_cast<std::int64_t>(m.tetrahedron_count())) +
                                   " tetrahedra"},
              {"Volume, mean edge",
               with(volume / 1000, 4, "cm³") + ", " + with(mesh::mean_edge_mm(m), 3, "mm")},
              {"Size", number_text(high[0] - low[0], 3) + " × " + number_text(high[1] - low[1], 3) +
                           " × " + number_text(high[2] - low[2], 3) + " mm"},
              {"Fibres", m.fibre.empty()   ? "none"
                         : m.sheet.empty() ? "yes"
                                           : "yes, with sheets"}};
    double others = 0;
    // a row for a single one more is the one's own
    const std::size_t listed = names.size() == most_regions + 1 ? names.size() : most_regions;
    for (std::size_t k = 0; k < names.size(); ++k) {
        const auto& r = names[k];
        if (k >= listed)
            others += r.share;
        else
            t.rows.push_back({k == 0 ? (names.size() == 1 ? "Label" : "Labels") : "",
                              std::to_string(r.label) + (r.name.empty() ? "" : " " + r.name) +
                                  ", " + percent(r.share)});
    }
    if (others > 0)
        t.rows.push_back(
            {"", std::to_string(names.size() - most_regions) + " more, " + percent(others)});
    return t;
}

ReportPage::Table numerics(const ExportSource& s)
{
    const auto& session = s.scene->session;
    const bool newton = session.stepping == Stepping::newton;
    ReportPage::Table t{"Numerics", {}, {}, {}};
    t.rows = {
        {"Diffusion",
         std::string(diffusion::name(session.scheme)) +
             (session.scheme == diffusion::Scheme::p1
                  ? ", " + std::string(diffusion::name(session.mass)) + " mass"
                  : std::string()) +
             (session.currents == IonicCurrents::interpolated ? ", interpolated currents" : "") +
             (newton                                   ? ""
              : session.splitting == Splitting::strang ? ", Strang"
                                                       : ", Godunov") +
             (s.scene->substeps.empty() ? "" : "; " + s.scene->substeps)},
        {"Reaction", newton ? "backward Euler, at once with diffusion" : reaction_words(session)},
        {"Time step", with(s.scene->dt_ms, 6, "ms")},
        {"Unknowns", count_text(s.scene->unknowns)},
        {"Activation threshold", with(session.activation_threshold_mV, 4, "mV")}};
    return t;
}

} // namespace tawara::simulation::page
