// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/outputs.hpp"

#include "engine/core/error.hpp"
#include "engine/core/output_folder.hpp"
#include "engine/core/provenance.hpp"
#include "engine/core/room_for.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/digest/sha256.hpp"
#include "engine/mesh/io/provenance_field.hpp"
#include "engine/simulation/results/export.hpp"
#include "engine/simulation/results/output_digest.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace tawara::simulation {

namespace fs = std::filesystem;

namespace {

mesh::io::Extra extra(const Tissue& t, const char* name, std::vector<float> values)
{
    return {name, places(t), std::move(values)};
}

constexpr std::size_t longest_list = 32U << 20; ///< of a list of frames [bytes]

/// Of a frame, with such an extension.
bool is_numbered(std::string_view name, std::string_view after)
{
    constexpr std::string_view before = "frames/";
    constexpr std::size_t fewest = 9; // digits
    const auto digits = name.size() - std::min(name.size(), before.size() + after.size());
    return digits >= fewest && name.starts_with(before) && name.ends_with(after) &&
           std::all_of(name.begin() + before.size(), name.end() - after.size(),
                       [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

bool is_frame(std::string_view name)
{
    return is_numbered(name, ".vtu");
}

bool is_list_of_pieces(std::string_view name)
{
    return is_numbered(name, ".pvtu");
}

std::string frame_name(std::int64_t step)
{
    char name[40];
    std::snprintf(name, sizeof name, "frames/%09lld.vtu", static_cast<long long>(step));
    return name;
}

mesh::Field::On places(const Tissue& t)
{
    return t.on_vertices() ? mesh::Field::On::vertices : mesh::Field::On::tetrahedra;
}

std::vector<ListedFrame> listed_frames(const fs::path& pvd)
{
    std::istringstream in(read_plain_file(pvd, longest_list).value_or(""));
    std::vector<ListedFrame> out;
    const auto value = [](const std::string& line, const std::string& key) {
        const auto at = line.find(key + "=\"");
        if (at == std::string::npos)
            return std::string();
        const auto from = at + key.size() + 2;
        return line.substr(from, line.find('"', from) - from);
    };
    for (std::string line; std::getline(in, line);)
        if (line.find("<DataSet") != std::string::npos && !line.starts_with("<!--"))
            out.push_back({std::strtod(value(line, "timestep").c_str(), nullptr),
                           value(line, "file"), value(line, "sha256")});
    return out;
}

void write_pvd(const std::vector<ListedFrame>& frames, const Provenance& by, const fs::path& pvd)
{
    write_whole(pvd, [&](std::ostream& out) {
        out << "<?xml version=\"1.0\"?>\n"
            << xml_comment(by.text)
            << "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
               "<Collection>\n";
        for (const auto& f : frames) {
            out << "<DataSet timestep=\"" << number_text(f.time_ms, 12) << "\" part=\"0\" file=\""
                << f.file << "\"/>";
            if (!f.sha256.empty()) // for the run that goes on with these frames
                out << "<!-- V sha256=\"" << f.sha256 << "\" -->";
            out << "\n";
        }
        out << "</Collection>\n</VTKFile>\n";
    });
}

std::string checkpoint_name(double time_ms)
{
    char name[48];
    std::snprintf(name, sizeof name, "checkpoint-%012.3fms.tcp", time_ms);
    return name;
}

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

void write_activation_csv(const Tissue& t, const CellMap& cells, const device::Maps& maps,
                          const std::filesystem::path& file)
{
    write_whole(file, [&](std::ostream& out) {
        std::string line = "id,x_mm,y_mm,z_mm,activation_ms,repolarisation_ms,apd90_ms";
        line += cell_columns;
        line += '\n';
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
            line += cell_fields(cells, cells.of_unknown, u);
            line += '\n';
            if (line.size() > 1 << 16) {
                out << line;
                line.clear();
            }
        }
        out << line;
    });
}

void write_activation_vtu(const Tissue& t, const device::Maps& maps, const Provenance& by,
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
                        file, by.text);
}

bool FrameWriter::go_on(std::vector<ListedFrame> earlier, double first_ms)
{
    written_ = std::move(earlier);
    if (format_ != FrameFormat::igb) {
        if (!written_.empty()) // the run may end before its next frame
            write_pvd(written_, by_(), out_ / "frames.pvd");
        return !written_.empty();
    }
    auto files = left_parts(out_ / igb_file); // of a run that was killed
    if (is_plain_file(out_ / igb_file))
        files.insert(files.begin(), igb_file);
    for (const auto& file : files) {
        begin_igb(first_ms);
        if (igb_->go_on_from(out_ / file))
            return true;
        igb_.reset(); // it begins with the first frame
    }
    return false;
}

void FrameWriter::of_run(const std::string& fingerprint)
{
    constexpr std::size_t digits = 16; // the header has room for few words
    run_ = sha256(fingerprint).substr(0, digits);
}

void FrameWriter::begin_igb(double first_ms)
{
    igb_ = std::make_unique<IgbWriter>(out_ / igb_file, tissue_.mesh->vertex_count(), first_ms,
                                       every_ms_, "mV", run_);
}

void FrameWriter::finish()
{
    if (!igb_)
        return;
    igb_->finish();
    igb_.reset();
    igb_sha256_ = output_digest(out_, igb_file);
    mesh::io::write(*tissue_.mesh, out_ / "frames.pts");
    igb_mesh_ = true;
}

std::vector<std::string> FrameWriter::names() const
{
    if (format_ == FrameFormat::igb)
        return {igb_file, "frames.pts", "frames.elem", "frames.lon"};
    return {"frames.pvd"};
}

std::map<std::string, std::string> FrameWriter::digests() const
{
    std::map<std::string, std::string> out;
    if (!igb_sha256_.empty())
        out[igb_file] = igb_sha256_;
    for (const auto& f : written_)
        if (!f.sha256.empty())
            out[f.file] = f.sha256;
    return out;
}

std::vector<std::string> FrameWriter::files() const
{
    if (!igb_sha256_.empty())
        return igb_mesh_ ? names() : std::vector<std::string>{igb_file};
    std::vector<std::string> out;
    if (!written_.empty())
        out.push_back("frames.pvd");
    for (const auto& f : written_)
        out.push_back(f.file);
    return out;
}

void FrameWriter::write(std::int64_t step, double time_ms, std::span<const double> v)
{
    if (format_ == FrameFormat::igb) {
        if (!igb_)
            begin_igb(time_ms);
        return igb_->add(at_vertices(*tissue_.mesh, tissue_.on_vertices(), v));
    }
    const std::vector<float> values(v.begin(), v.end());
    ListedFrame frame{time_ms, frame_name(step), digest_of_values(values)};
    room_for(written_, 1); // what is there is listed
    vtu_.write(*tissue_.mesh, values, time_ms, out_ / frame.file);
    written_.push_back(std::move(frame));
    write_pvd(written_, by_(), out_ / "frames.pvd");
}

} // namespace tawara::simulation
