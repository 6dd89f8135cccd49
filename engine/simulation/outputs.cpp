// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/outputs.hpp"

#include "engine/core/whole_file.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/simulation/csv.hpp"
#include "engine/simulation/export.hpp"

#include <cmath>

namespace tawara::simulation {
namespace {

mesh::io::Extra extra(const Tissue& t, const char* name, std::vector<float> values)
{
    return {name, t.on_vertices() ? mesh::Field::On::vertices : mesh::Field::On::tetrahedra,
            std::move(values)};
}

} // namespace

void write_probes_csv(const ProbeTable& table, const std::filesystem::path& file)
{
    write_whole(file, [&](std::ostream& out) {
        std::string line = "time_ms";
        for (const auto& n : table.names)
            line += "," + csv_field(n);
        line += "\n";
        const std::size_t columns = table.names.size();
        for (std::size_t k = 0; k < table.time_ms.size(); ++k) {
            append_number(line, table.time_ms[k], 12);
            for (std::size_t c = 0; c < columns; ++c) {
                line += ',';
                append_number(line, table.V_mV[k * columns + c], 10);
            }
            line += '\n';
            if (line.size() > 1 << 16) {
                out << line;
                line.clear();
            }
        }
        out << line;
    });
}

void write_activation_csv(const Tissue& t, const device::Maps& maps,
                          const std::filesystem::path& file)
{
    write_whole(file, [&](std::ostream& out) {
        std::string line = "id,x_mm,y_mm,z_mm,activation_ms,repolarisation_ms,apd90_ms\n";
        for (std::size_t u = 0; u < t.problem.size(); ++u) {
            line += std::to_string(u);
            for (double x : t.problem.position_mm[u]) {
                line += ',';
                append_number(line, x, 9);
            }
            for (double x : {maps.activation_ms[u], maps.repolarisation_ms[u], maps.apd90(u)}) {
                line += ',';
                append_number(line, x, 10);
            }
            line += '\n';
            if (line.size() > 1 << 16) {
                out << line;
                line.clear();
            }
        }
        out << line;
    });
}

void write_activation_vtu(const Tissue& t, const device::Maps& maps,
                          const std::filesystem::path& file)
{
    const std::size_t n = t.problem.size();
    std::vector<float> a(n), r(n), d(n);
    for (std::size_t u = 0; u < n; ++u) {
        a[u] = static_cast<float>(maps.activation_ms[u]);
        r[u] = static_cast<float>(maps.repolarisation_ms[u]);
        d[u] = static_cast<float>(maps.apd90(u));
    }
    mesh::io::write_vtu(*t.mesh,
                        {extra(t, "activation_ms", std::move(a)),
                         extra(t, "repolarisation_ms", std::move(r)),
                         extra(t, "apd90_ms", std::move(d))},
                        file);
}

void FrameWriter::finish()
{
    if (!igb_)
        return;
    mesh::io::write(*tissue_.mesh, out_ / "frames.pts");
    igb_->finish();
    igb_.reset();
}

void FrameWriter::write(std::int64_t step, double time_ms, std::span<const double> v)
{
    if (format_ == FrameFormat::igb) {
        if (!igb_)
            igb_ = std::make_unique<IgbWriter>(out_ / "frames.igb", tissue_.mesh->vertex_count(),
                                               time_ms, every_ms_, "mV");
        return igb_->add(at_vertices(*tissue_.mesh, tissue_.on_vertices(), v));
    }
    char name[32];
    std::snprintf(name, sizeof name, "frames/%09lld.vtu", static_cast<long long>(step));
    mesh::io::write_vtu(*tissue_.mesh, {extra(tissue_, "V_mV", {v.begin(), v.end()})}, out_ / name);
    written_.emplace_back(time_ms, name);
    write_whole(out_ / "frames.pvd", [&](std::ostream& out) {
        out << "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
               "byte_order=\"LittleEndian\">\n<Collection>\n";
        for (const auto& [time, file] : written_) {
            std::string t;
            append_number(t, time, 12);
            out << "<DataSet timestep=\"" << t << "\" part=\"0\" file=\"" << file << "\"/>\n";
        }
        out << "</Collection>\n</VTKFile>\n";
    });
}

} // namespace tawara::simulation
