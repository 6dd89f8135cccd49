// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/export.hpp"

#include "engine/analysis/velocity.hpp"
#include "engine/core/error.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/mesh/io/provenance_field.hpp"
#include "engine/simulation/results/export_frames.hpp"
#include "engine/simulation/results/figures.hpp"
#include "engine/simulation/results/report_page.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace tawara::simulation {
namespace {

namespace fs = std::filesystem;

constexpr double never_dat = -1; // as CARP's tools write vertices that were not activated
constexpr std::size_t flush_bytes = 1 << 16;

constexpr std::array<ExportChoice, 14> choices{{
    {ExportKind::potential_vtu, "potential-vtu", ".vtu", "Potential now, on the mesh (VTU)"},
    {ExportKind::potential_dat, "potential-dat", ".dat", "Potential now, per vertex (CARP .dat)"},
    {ExportKind::maps_csv, "maps-csv", ".csv", "Activation and APD maps (CSV)"},
    {ExportKind::maps_vtu, "maps-vtu", ".vtu", "Activation and APD maps, on the mesh (VTU)"},
    {ExportKind::activation_dat, "activation-dat", ".dat", "Activation per vertex (CARP .dat)"},
    {ExportKind::repolarisation_dat, "repolarisation-dat", ".dat",
     "Repolarisation per vertex (CARP .dat)"},
    {ExportKind::apd90_dat, "apd90-dat", ".dat", "APD90 per vertex (CARP .dat)"},
    {ExportKind::traces_csv, "traces-csv", ".csv", "Action potentials of the probes (CSV)"},
    {ExportKind::beats_csv, "beats-csv", ".csv", "Beats of the probes (CSV)"},
    {ExportKind::restitution_csv, "restitution-csv", ".csv",
     "Restitution: APD90 over diastolic intervals (CSV)"},
    {ExportKind::ecg_csv, "ecg-csv", ".csv", "Electrocardiogram (CSV)"},
    {ExportKind::frames_pvd, "frames-pvd", ".pvd",
     "Recorded frames of the surface, ParaView (PVD)"},
    {ExportKind::frames_igb, "frames-igb", ".igb", "Recorded frames of the surface, CARP (IGB)"},
    {ExportKind::report_html, "report-html", ".html", "Report of one page (HTML)"},
}};

[[noreturn]] void lacks(const fs::path& file, const char* what)
{
    throw InputError(file.string(), what);
}

void need_maps(const ExportSource& s, const fs::path& file)
{
    if (s.maps.activation_ms.empty())
        lacks(file, "there are no maps; load a heart and run it first, on a device that has room "
                    "for them");
}

std::vector<double> apd90(const ExportSource& s)
{
    std::vector<double> out(s.maps.activation_ms.size());
    for (std::size_t u = 0; u < out.size(); ++u)
        out[u] = s.maps.apd90(u);
    return out;
}

mesh::io::Extra extra(const ExportSource& s, const char* name, std::span<const double> values)
{
    return {name, s.on_vertices ? mesh::Field::On::vertices : mesh::Field::On::tetrahedra,
            std::vector<float>(values.begin(), values.end())};
}

/// A table of maps: `at` gives a row's place, `values` what it shows, `text` what stands behind
/// that.
template <class Place, class Values, class Text>
void write_maps(const fs::path& file, std::string line, std::size_t rows, Place at, Values values,
                Text text)
{
    write_whole(file, [&](std::ostream& out) {
        for (std::size_t u = 0; u < rows; ++u) {
            line += std::to_string(u);
            for (double x : at(u)) {
                line += ',';
                append_number(line, x, 9);
            }
            for (double x : values(u)) {
                line += ',';
                append_number(line, x, 10);
            }
            line += text(u);
            line += '\n';
            if (line.size() > flush_bytes) {
                out << line;
                line.clear();
            }
        }
        out << line;
    });
}

/// The maps of the beat that is exported, or of first activations where there is none yet (without
/// periods): at the mesh's vertices either way, so that files of several times and beats can be
/// joined.
VolumeMaps maps_at_vertices(const ExportSource& s)
{
    if (!s.beat_label.empty())
        return s.beat;
    const auto& m = *s.scene->mesh;
    return {at_vertices(m, s.on_vertices, s.maps.activation_ms),
            at_vertices(m, s.on_vertices, s.maps.repolarisation_ms),
            at_vertices(m, s.on_vertices, apd90(s)),
            std::vector<float>(m.vertex_count(), std::numeric_limits<float>::quiet_NaN())};
}

/// Velocity of conduction [m/s] at the mesh's vertices; NaN as conduction_velocity() has it.
std::vector<float> velocity_at_vertices(const mesh::TetMesh& m, std::span<const float> activation)
{
    std::vector<std::int32_t> all(m.vertex_count());
    std::iota(all.begin(), all.end(), 0);
    std::vector<float> out;
    out.reserve(all.size());
    for (const auto& v : analysis::conduction_velocity(m, mesh::vertex_stars(m), activation, all))
        out.push_back(std::hypot(v[0], v[1], v[2])); // mm/ms are m/s
    return out;
}

/// The same columns in all tables. In every row stands which beat it is, and when in the run its
/// times are 0: the names of the columns are the first line.
void write_maps_csv(const ExportSource& s, const fs::path& file)
{
    constexpr double none = std::numeric_limits<double>::quiet_NaN(); // an empty field
    const auto& m = *s.scene->mesh;
    const bool of_beat = !s.beat_label.empty();
    const auto maps = maps_at_vertices(s);
    const auto velocity = velocity_at_vertices(m, maps.activation);
    const auto cells = cells_of_vertices(s.cells, m, s.on_vertices);
    const double beat = of_beat ? static_cast<double>(s.beat_span.number) : none;
    const double zero_ms = of_beat ? s.beat_span.zero_ms() : 0;
    write_maps(
        file,
        "id,x_mm,y_mm,z_mm,activation_ms,repolarisation_ms,apd90_ms,period_ms,velocity_m_per_s,"
        "beat,time_zero_ms" +
            std::string(cell_columns) + "\n",
        maps.activation.size(), [&](std::size_t v) { return m.vertex(v); },
        [&](std::size_t v) {
            return std::array{
                static_cast<double>(maps.activation[v]),
                static_cast<double>(maps.repolarisation[v]),
                static_cast<double>(maps.apd90[v]),
                static_cast<double>(maps.period[v]),
                static_cast<double>(velocity[v]),
                beat,
                zero_ms,
            };
        },
        [&](std::size_t v) { return cell_fields(s.cells, cells, v); });
}

/// Fields of the maps. Names say which beat they are of and from when its times count:
/// "activation_ms_beat_2_since_800"; of first activations "activation_ms".
std::vector<mesh::io::Extra> map_fields(const ExportSource& s)
{
    const bool of_beat = !s.beat_label.empty();
    const auto maps = maps_at_vertices(s);
    const std::string beat = of_beat ? "_ms_beat_" + std::to_string(s.beat_span.number) : "_ms";
    const std::string since = of_beat && (s.beat_span.pulse_ms || s.beat_span.turn_ms)
                                  ? beat + "_since_" + number_text(s.beat_span.zero_ms(), 7)
                                  : beat;
    const auto field = [](const std::string& name, const std::vector<float>& values) {
        return mesh::io::Extra{name, mesh::Field::On::vertices, values};
    };
    std::vector<mesh::io::Extra> fields{field("activation" + since, maps.activation),
                                        field("repolarisation" + since, maps.repolarisation),
                                        field("apd90" + beat, maps.apd90)};
    if (of_beat)
        fields.push_back(field("period" + beat, maps.period));
    const std::string of = of_beat ? "_beat_" + std::to_string(s.beat_span.number) : "";
    fields.push_back(
        field("velocity_m_per_s" + of, velocity_at_vertices(*s.scene->mesh, maps.activation)));
    return fields;
}

void write_ecg_csv(const Ecg& ecg, const fs::path& file)
{
    if (ecg.leads.empty() || ecg.time_ms.empty())
        lacks(file, "there is no electrocardiogram; place electrodes and run first");
    write_whole(file, [&](std::ostream& out) {
        std::string line = "time_ms";
        for (const auto& l : ecg.leads)
            line += "," + csv_field(l);
        line += "\n";
        for (std::size_t k = 0; k < ecg.time_ms.size(); ++k) {
            append_number(line, ecg.time_ms[k], 12);
            for (const auto& lead : ecg.mV) {
                line += ',';
                if (k < lead.size())
                    append_number(line, static_cast<double>(lead[k]), 8);
            }
            line += '\n';
            if (line.size() > flush_bytes) {
                out << line;
                line.clear();
            }
        }
        out << line;
    });
}

void write_now(const ExportSource& s, ExportKind kind, const fs::path& file)
{
    const auto& m = *s.scene->mesh;
    switch (kind) {
    case ExportKind::potential_vtu:
    case ExportKind::potential_dat:
        if (s.potential.empty())
            lacks(file, "there is no potential; load a heart first");
        if (kind == ExportKind::potential_vtu)
            return mesh::io::write_vtu(m, {extra(s, "V_mV", s.potential)}, file,
                                       provenance_of(s).text);
        return write_dat(at_vertices(m, s.on_vertices, s.potential), never_dat, file);
    case ExportKind::maps_csv:
        need_maps(s, file);
        return write_maps_csv(s, file);
    case ExportKind::maps_vtu:
        need_maps(s, file);
        return mesh::io::write_vtu(m, map_fields(s), file, provenance_of(s).text);
    case ExportKind::activation_dat:
        need_maps(s, file);
        return write_dat(maps_at_vertices(s).activation, never_dat, file);
    case ExportKind::repolarisation_dat:
        need_maps(s, file);
        return write_dat(maps_at_vertices(s).repolarisation, never_dat, file);
    case ExportKind::apd90_dat:
        need_maps(s, file);
        return write_dat(maps_at_vertices(s).apd90, never_dat, file);
    case ExportKind::traces_csv:
        if (s.traces.empty())
            lacks(file, "there are no probes; place one and run first");
        return write_traces_csv(s.traces, file);
    case ExportKind::beats_csv:
        if (s.traces.empty())
            lacks(file, "there are no probes; place one and run first");
        return write_beats_csv(s, file);
    case ExportKind::restitution_csv:
        if (s.traces.empty())
            lacks(file, "there are no probes; place one and run first");
        return write_restitution_csv(s, file);
    case ExportKind::ecg_csv:
        return write_ecg_csv(s.ecg, file);
    case ExportKind::report_html: {
        const std::string page = to_html(report_page(s));
        return write_whole(file, [&](std::ostream& out) { out << page; });
    }
    case ExportKind::frames_pvd:
    case ExportKind::frames_igb:
        break;
    }
}

} // namespace

std::span<const ExportChoice> export_choices()
{
    return choices;
}

std::optional<ExportKind> export_kind(std::string_view name)
{
    for (const auto& c : choices)
        if (c.name == name)
            return c.kind;
    return std::nullopt;
}

Provenance provenance_of(const ExportSource& s)
{
    return s.by ? *s.by : provenance_of(*s.scene);
}

std::vector<float> at_vertices(const mesh::TetMesh& m, bool on_vertices,
                               std::span<const double> values)
{
    if (on_vertices)
        return {values.begin(), values.end()};
    const std::size_t n = m.vertex_count();
    std::vector<double> sum(n, 0.0), weight(n, 0.0);
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        if (!std::isfinite(values[t]))
            continue;
        const Vec3 centre = m.centroid(t);
        for (auto c : m.corners(t)) {
            const auto v = static_cast<std::size_t>(c);
            const double w = 1 / std::max(norm(centre - m.vertex(v)), 1e-9);
            sum[v] += w * values[t];
            weight[v] += w;
        }
    }
    std::vector<float> out(n, std::numeric_limits<float>::quiet_NaN());
    for (std::size_t v = 0; v < n; ++v)
        if (weight[v] > 0)
            out[v] = static_cast<float>(sum[v] / weight[v]);
    return out;
}

void write_dat(std::span<const float> values, double missing, const fs::path& file)
{
    write_whole(file, [&](std::ostream& out) {
        std::string text;
        for (float v : values) {
            append_number(text, std::isfinite(v) ? static_cast<double>(v) : missing, 9);
            text += '\n';
            if (text.size() > flush_bytes) {
                out << text;
                text.clear();
            }
        }
        out << text;
    });
}

void write_traces_csv(std::span<const Trace> traces, const fs::path& file)
{
    write_whole(file, [&](std::ostream& out) {
        std::string line = "time_ms";
        for (const auto& t : traces)
            line += "," + csv_field(t.name);
        line += "\n";
        // probes have the same clock but may have been placed at different times: merge
        std::vector<std::size_t> at(traces.size(), 0);
        for (;;) {
            double time = std::numeric_limits<double>::infinity();
            for (std::size_t p = 0; p < traces.size(); ++p)
                if (at[p] < traces[p].time_ms.size())
                    time = std::min(time, traces[p].time_ms[at[p]]);
            if (!std::isfinite(time))
                break;
            append_number(line, time, 12);
            for (std::size_t p = 0; p < traces.size(); ++p) {
                line += ',';
                if (at[p] < traces[p].time_ms.size() && traces[p].time_ms[at[p]] <= time + 1e-9)
                    append_number(line, static_cast<double>(traces[p].V_mV[at[p]++]), 8);
            }
            line += '\n';
            if (line.size() > flush_bytes) {
                out << line;
                line.clear();
            }
        }
        out << line;
    });
}

void write_beats_csv(const ExportSource& s, const fs::path& file)
{
    write_whole(file, [&](std::ostream& out) {
        out << beats_csv_head();
        for (const auto& t : s.traces)
            out << beats_csv_rows(t.name, t.time_ms, t.V_mV, s.scene->tissue_edits,
                                  switch_times_of(s.switched_ms, t.probe), s.pulses, t.position_mm,
                                  t.driven);
    });
}

void write_restitution_csv(const ExportSource& s, const fs::path& file)
{
    std::string rows;
    for (const auto& t : s.traces)
        rows +=
            restitution_csv_rows(t.name, t.time_ms, t.V_mV, s.scene->tissue_edits,
                                 switch_times_of(s.switched_ms, t.probe), s.pulses, t.position_mm);
    if (rows.empty())
        lacks(file, "no probe has a whole beat after another one yet; let the simulation run on");
    write_whole(file, [&](std::ostream& out) { out << restitution_csv_head() << rows; });
}

std::vector<fs::path> export_results(const ExportSource& source, ExportKind kind,
                                     const fs::path& file, const Progress& progress)
{
    if (!source.scene || !source.scene->mesh || !source.scene->surface)
        lacks(file, "nothing is loaded; open a heart first");
    if (kind == ExportKind::frames_pvd)
        return write_recorded_pvd(source, file, progress);
    if (kind == ExportKind::frames_igb)
        return write_recorded_igb(source, file, progress);
    progress.at(0, "writing");
    write_now(source, kind, file);
    if (file.extension() != ".csv" && file.extension() != ".dat")
        return {file};
    return {file, write_provenance_beside(file, provenance_of(source).text)};
}

} // namespace tawara::simulation
