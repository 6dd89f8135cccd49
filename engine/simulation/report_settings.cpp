// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a run: what was asked for (mesh, tissue, pacing, numerics).
#include "engine/mesh/measure.hpp"
#include "engine/mesh/region_names.hpp"
#include "engine/simulation/csv.hpp"
#include "engine/simulation/report_tables.hpp"

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

namespace {

constexpr std::size_t most_regions = 12; // of a mesh, by name; others are summed

std::string model_text(const Region& r)
{
    std::string out = r.inherits() ? "as beneath" : r.model;
    if (!r.variant.empty())
        out += ", " + r.variant;
    if (!r.inherits()) {
        const auto& c = r.conductivity_S_per_m;
        out += "; " + number_text(c.fibre, 4) + " / " + number_text(c.sheet, 4) + " / " +
               number_text(c.normal, 4) + " S/m (fibre / sheet / normal)";
    }
    if (r.conductivity_scale != 1)
        out += "; conductivities × " + number_text(r.conductivity_scale, 4);
    for (const auto& [name, value] : r.parameters)
        out += "; " + name + " = " + number_text(value, 5);
    for (const auto& [name, value] : r.scale)
        out += "; " + name + " × " + number_text(value, 4);
    return out;
}

std::string region_title(const Region& r, const std::vector<mesh::RegionName>& names)
{
    if (!r.name.empty())
        return r.name;
    if (r.where)
        return r.kind.empty() ? "region" : r.kind;
    if (r.labels.empty())
        return "all tissue";
    return mesh::text_of(names, r.labels);
}

std::string stimulus_text(const Stimulus& s)
{
    if (!s.on)
        return "off";
    std::string out = number_text(s.amplitude_pA_per_pF, 4) + " pA/pF for " +
                      number_text(s.duration_ms, 4) + " ms from " + number_text(s.start_ms, 6) +
                      " ms";
    if (s.protocol)
        switch (s.protocol->kind) {
        case Protocol::Kind::single:
            break;
        case Protocol::Kind::train:
            out += ", train every " + number_text(s.protocol->cycle_ms, 5) + " ms";
            break;
        case Protocol::Kind::s1s2:
            out += ", S1 every " + number_text(s.protocol->cycle_ms, 5) + " ms";
            for (std::size_t k = 0; k < s.protocol->extra_ms.size(); ++k)
                out += ", S" + std::to_string(k + 2) + " after " +
                       number_text(s.protocol->extra_ms[k], 5) + " ms";
            break;
        case Protocol::Kind::burst:
            out += ", burst every " + number_text(s.protocol->cycle_ms, 5) + " ms";
            break;
        }
    else if (s.period_ms > 0)
        out += ", every " + number_text(s.period_ms, 5) + " ms";
    return out;
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

ReportPage::Table tissue(const ExportSource& s)
{
    const auto& session = s.scene->session;
    const auto names = mesh::region_names(*s.scene->mesh);
    ReportPage::Table t{"Tissue and pacing", {}, {}, {}};
    for (const auto& r : session.regions)
        t.rows.push_back({region_title(r, names), model_text(r)});
    t.rows.push_back(
        {"Surface to volume, capacitance", with(session.surface_to_volume_per_mm, 5, "/mm") + ", " +
                                               with(session.capacitance_uF_per_cm2, 4, "µF/cm²")});
    for (const auto& d : session.drugs) {
        std::string text;
        for (const auto& [name, factor] : d.factors)
            text += (text.empty() ? "" : ", ") + name + " × " + number_text(factor, 4);
        t.rows.push_back({"Drug: " + d.name, text});
    }
    for (const auto& x : session.stimuli)
        t.rows.push_back({x.name.empty() ? "Stimulus" : "Stimulus " + x.name, stimulus_text(x)});
    if (session.stimuli.empty())
        t.rows.push_back({"Stimuli", "none in the session"});
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
    for (std::size_t k = 0; k < names.size(); ++k) {
        const auto& r = names[k];
        if (k >= most_regions)
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
    ReportPage::Table t{"Numerics", {}, {}, {}};
    t.rows = {
        {"Diffusion", std::string(diffusion::name(session.scheme)) +
                          (session.scheme == diffusion::Scheme::p1
                               ? ", " + std::string(diffusion::name(session.mass)) + " mass"
                               : std::string()) +
                          (session.splitting == Splitting::strang ? ", Strang" : ", Godunov") +
                          (s.scene->substeps.empty() ? "" : "; " + s.scene->substeps)},
        {"Reaction", std::string(cell::name(session.reaction))},
        {"Time step", with(s.scene->dt_ms, 6, "ms")},
        {"Unknowns", count_text(s.scene->unknowns)},
        {"Activation threshold", with(session.activation_threshold_mV, 4, "mV")}};
    return t;
}

} // namespace tawara::simulation::page
