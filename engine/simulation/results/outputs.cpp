// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/outputs.hpp"

#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"
#include "engine/core/json_size.hpp"
#include "engine/core/output_folder.hpp"
#include "engine/core/provenance.hpp"
#include "engine/core/room_for.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/mesh/io/provenance_field.hpp"
#include "engine/simulation/results/export.hpp"
#include "engine/simulation/results/files_there.hpp"
#include "engine/simulation/results/output_digest.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string_view>

namespace tawara::simulation {

namespace fs = std::filesystem;

namespace {

mesh::io::Extra extra(const Tissue& t, const char* name, std::vector<float> values)
{
    return {name, places(t), std::move(values)};
}

constexpr std::size_t longest_list = 32U << 20; ///< of a report or a list of frames [bytes]
constexpr std::size_t deepest_report = 32;      ///< of lists within lists; none has as many

/// The report of a run in this folder. Null where there is none that a run has written: a plain
/// file of JSON, no longer and no deeper than a report is.
template <class Json>
Json report_in(const fs::path& out)
{
    try {
        const auto text = read_plain_file(out / "report.json", longest_list).value_or("");
        if (!json_excess(text, deepest_report).empty())
            return nullptr;
        auto report = Json::parse(text);
        const bool ours = report.is_object() && report.contains("program") &&
                          report["program"] == "tawara" && report.contains("files") &&
                          report["files"].is_array();
        return ours ? report : Json(nullptr);
    } catch (const std::exception&) {
        return nullptr;
    }
}

/// The files that the report of a run in this folder lists, once each: of those that are plain
/// files within.
std::vector<std::string> reported_files(const fs::path& out, FilesThere& there)
{
    const auto report = report_in<nlohmann::json>(out);
    if (report.is_null())
        return {};
    std::set<std::string> files;
    for (const auto& f : report["files"])
        if (const auto* name = f.get_ptr<const std::string*>();
            name != nullptr && is_below(*name) && there.has(*name))
            files.insert(fs::path(*name).lexically_normal().string());
    return {files.begin(), files.end()};
}

std::vector<std::string> listed_outputs(const fs::path& out, FilesThere& there)
{
    auto listed = reported_files(out, there);
    for (auto& f : listed_frames(out / "frames.pvd"))
        if (is_frame(f.file)) {
            listed.push_back(std::move(f.file));
            listed.emplace_back("frames.pvd");
        }
    std::sort(listed.begin(), listed.end());
    listed.erase(std::unique(listed.begin(), listed.end()), listed.end());
    return listed;
}

constexpr std::size_t largest_page = 256U << 20; ///< with all its pictures [bytes]

/// Whether a file is a report for people (to_html()).
bool is_report(const fs::path& html)
try {
    return file_content(html, largest_page).find("for research; not a medical device") !=
           std::string::npos;
} catch (const InputError&) {
    return false;
}

/// Where a file has other bytes now than the run wrote. @return whether its digest was taken out
bool forget_digest(nlohmann::ordered_json& report, const fs::path& folder, const std::string& file)
{
    const nlohmann::ordered_json::json_pointer at(std::string("/reproduction/") +
                                                  digest_key(digest_of(file)));
    if (!report.contains(at) || !report[at].is_object() || !report[at].contains(file) ||
        report[at][file] == output_digest(folder, file))
        return false;
    return report[at].erase(file) > 0;
}

} // namespace

bool is_frame(std::string_view name)
{
    constexpr std::string_view before = "frames/", after = ".vtu";
    constexpr std::size_t fewest = 9; // digits
    const auto digits = name.size() - std::min(name.size(), before.size() + after.size());
    return digits >= fewest && name.starts_with(before) && name.ends_with(after) &&
           std::all_of(name.begin() + before.size(), name.end() - after.size(),
                       [](char c) { return c >= '0' && c <= '9'; });
}

std::string frame_name(std::int64_t step)
{
    char name[40];
    std::snprintf(name, sizeof name, "frames/%09lld.vtu", static_cast<long long>(step));
    return name;
}

std::vector<std::string> listed_outputs(const fs::path& out)
{
    FilesThere there(out);
    return listed_outputs(out, there);
}

bool add_to_report(const fs::path& folder, const std::string& file)
{
    auto report = report_in<nlohmann::ordered_json>(folder);
    if (report.is_null())
        return false;
    auto& files = report["files"];
    const bool listed = std::find(files.begin(), files.end(), file) != files.end();
    if (!listed)
        files.push_back(file);
    if (!forget_digest(report, folder, file) && listed)
        return true;
    write_whole(folder / "report.json", [&](std::ostream& text) {
        text << report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
             << '\n';
    });
    return true;
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

bool ComingOutputs::has_frame(const std::string& name) const
{
    if (frame_every == 0 || !is_frame(name))
        return false;
    const auto step = std::strtoll(name.c_str() + name.find('/') + 1, nullptr, 10);
    return step >= first_step && step <= end_step && step % frame_every == 0 &&
           name == frame_name(step);
}

bool ComingOutputs::has_checkpoint(const std::string& name) const
{
    double time_ms = 0;
    if (checkpoint_every == 0 || std::sscanf(name.c_str(), "checkpoint-%lfms.tcp", &time_ms) != 1)
        return false;
    const auto every_ms = static_cast<double>(checkpoint_every) * dt_ms;
    if (!(std::abs(time_ms) <= static_cast<double>(end_step) * dt_ms + every_ms))
        return false; // the step of a longer time may be no number
    const auto step = std::llround(time_ms / every_ms) * checkpoint_every;
    return step > first_step && step <= end_step &&
           name == checkpoint_name(static_cast<double>(step) * dt_ms);
}

void need_places(const fs::path& out, const ComingOutputs& coming)
{
    std::error_code none;
    for (const auto& name : coming.files)
        if (fs::symlink_status(out / name, none).type() == fs::file_type::directory)
            throw InputError((out / name).string(), "is a folder, and the run writes a file of "
                                                    "that name; move it, or choose another folder");
    if (coming.frame_every <= 0)
        return;
    const auto frames = out / "frames";
    const auto type = fs::symlink_status(frames, none).type();
    if (type == fs::file_type::symlink)
        throw InputError(frames.string(), "is a symbolic link; results are written into no folder "
                                          "but the one named; remove the link, or choose another "
                                          "folder");
    if (type != fs::file_type::directory && type != fs::file_type::not_found)
        throw InputError(frames.string(), "is no folder, and the run writes its frames into one; "
                                          "move it, or choose another folder");
}

Notices what_folder_holds(const fs::path& out, const ComingOutputs& coming, RunBegins begins)
{
    constexpr std::size_t most_named = 8;
    const bool fresh = begins == RunBegins::anew;
    Notices said;
    FilesThere there(out);
    const auto listed = listed_outputs(out, there);
    std::vector<std::string> others;
    std::error_code none;
    for (const auto& name : coming.files)
        if (is_taken(out / name))
            others.push_back(name);
    std::size_t stay = 0, replaced = 0;
    for (const auto& entry : fs::directory_iterator(out, none))
        if (entry.path().extension() == ".tcp")
            ++(coming.has_checkpoint(entry.path().filename().string()) ? replaced : stay);
    const auto fixed = static_cast<std::ptrdiff_t>(others.size());
    // else the run has made what frames there are, though it was killed before it could list them
    if (begins != RunBegins::at_own_checkpoint)
        for (const auto& entry : fs::directory_iterator(out / "frames", none))
            if (auto name = "frames/" + entry.path().filename().string(); coming.has_frame(name))
                others.push_back(std::move(name));
    std::sort(others.begin() + fixed, others.end());
    std::erase_if(others, [&](const std::string& name) {
        return std::binary_search(listed.begin(), listed.end(), name);
    });
    std::string names;
    for (std::size_t k = 0; k < std::min(others.size(), most_named); ++k)
        names += (k > 0 ? ", " : "") + others[k];
    if (others.size() > most_named)
        names += " and " + std::to_string(others.size() - most_named) + " more";
    if (!names.empty())
        said.push_back(
            {Notice::Level::warning,
             out.string() + ": will be replaced, although no report.json lists them: " + names});
    if (fs::is_regular_file(coming.html, none) && !is_report(coming.html))
        said.push_back({Notice::Level::warning,
                        coming.html.string() + ": is not a report of a run, and will be replaced"});
    const auto checkpoints = [](std::size_t n) {
        return std::to_string(n) + (n > 1 ? " checkpoints" : " checkpoint");
    };
    const auto earlier = std::count_if(listed.begin(), listed.end(),
                                       [&](const std::string& name) { return there.has(name); });
    if (fresh && earlier > 0)
        said.push_back({Notice::Level::info, "replaces the " + std::to_string(earlier) +
                                                 " files of an earlier run in " + out.string()});
    if (fresh && replaced > 0)
        said.push_back({Notice::Level::info, checkpoints(replaced) + " of an earlier run in " +
                                                 out.string() + " will be replaced"});
    if (fresh && stay > 0)
        said.push_back({Notice::Level::info,
                        checkpoints(stay) + " of an earlier run stayed in " + out.string()});
    return said;
}

std::vector<ListedFrame> remove_earlier_outputs(const fs::path& out, double from_ms,
                                                FrameFormat format)
{
    FilesThere there(out);
    auto files = reported_files(out, there);
    std::vector<ListedFrame> kept;
    std::set<std::string> names; // of those
    bool listed = false;
    for (auto& f : listed_frames(out / "frames.pvd")) {
        if (!is_frame(f.file))
            continue;
        if (format == FrameFormat::vtu && f.time_ms < from_ms) {
            names.insert(f.file);
            kept.push_back(f);
        } else if (there.has(f.file))
            files.push_back(f.file);
        listed = true;
    }
    if (listed && kept.empty()) // of a run that did not come to its report
        files.push_back("frames.pvd");
    for (const auto& f : files) {
        if (format == FrameFormat::igb && from_ms > 0 && f == igb_file)
            continue;
        if (names.contains(f))
            continue;
        try {
            remove_plain_file(out / f);
        } catch (const InputError& e) {
            throw InputError(e.file, "of an earlier run " + e.reason + "; choose another folder");
        }
    }
    std::error_code none;
    const auto frames = out / "frames";
    if (fs::symlink_status(frames, none).type() == fs::file_type::directory &&
        fs::is_empty(frames, none) && !none)
        fs::remove(frames, none);
    return kept;
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
    if (format_ != FrameFormat::igb)
        return !written_.empty();
    if (!is_plain_file(out_ / igb_file))
        return false;
    begin_igb(first_ms);
    if (igb_->go_on_from(out_ / igb_file))
        return true;
    igb_.reset(); // it begins with the first frame
    return false;
}

void FrameWriter::begin_igb(double first_ms)
{
    igb_ = std::make_unique<IgbWriter>(out_ / igb_file, tissue_.mesh->vertex_count(), first_ms,
                                       every_ms_, "mV");
}

void FrameWriter::finish()
{
    if (!igb_)
        return;
    mesh::io::write(*tissue_.mesh, out_ / "frames.pts");
    igb_->finish();
    igb_.reset();
    igb_sha256_ = output_digest(out_, igb_file);
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
        return names();
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
