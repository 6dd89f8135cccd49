// SPDX-License-Identifier: GPL-3.0-or-later
// What earlier runs have left in a folder, and what becomes of it.
#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"
#include "engine/core/json_size.hpp"
#include "engine/core/output_folder.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/simulation/results/files_there.hpp"
#include "engine/simulation/results/output_digest.hpp"
#include "engine/simulation/results/outputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

namespace tawara::simulation {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longest_list = 32U << 20; ///< of a report [bytes]
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

/// "frames/000000050" of "frames/000000050.pvtu".
std::string stem_of(const std::string& list)
{
    return fs::path(list).replace_extension().generic_string();
}

std::vector<std::string> listed_outputs(const fs::path& out, FilesThere& there)
{
    auto listed = reported_files(out, there);
    for (auto& f : listed_frames(out / "frames.pvd")) {
        if (is_list_of_pieces(f.file))
            for (auto& piece : pieces_there(out, stem_of(f.file)))
                listed.push_back(std::move(piece));
        else if (!is_frame(f.file))
            continue;
        listed.push_back(std::move(f.file));
        listed.emplace_back("frames.pvd");
    }
    std::sort(listed.begin(), listed.end());
    listed.erase(std::unique(listed.begin(), listed.end()), listed.end());
    return listed;
}

/// @param what  the run writes into it @throws InputError
void need_folder(const fs::path& folder, const char* what)
{
    std::error_code none;
    const auto type = fs::symlink_status(folder, none).type();
    if (type == fs::file_type::symlink)
        throw InputError(folder.string(), "is a symbolic link; results are written into no folder "
                                          "but the one named; remove the link, or choose another "
                                          "folder");
    if (type != fs::file_type::directory && type != fs::file_type::not_found)
        throw InputError(folder.string(), std::string("is no folder, and the run writes its ") +
                                              what +
                                              " into one; move it, or choose another folder");
}

void remove_empty_folder(const fs::path& folder)
{
    std::error_code none;
    if (fs::symlink_status(folder, none).type() == fs::file_type::directory &&
        fs::is_empty(folder, none) && !none)
        fs::remove(folder, none);
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

bool ComingOutputs::has_frame(const std::string& name) const
{
    if (frame_every == 0 || !name.starts_with("frames/"))
        return false;
    const auto step = std::strtoll(name.c_str() + name.find('/') + 1, nullptr, 10);
    if (step < first_step || step > end_step || step % frame_every != 0)
        return false;
    if (pieces == 0)
        return name == frame_name(step);
    const auto stem = stem_of(frame_name(step));
    bool out = name == stem + ".pvtu";
    for (int rank = 0; rank < pieces && !out; ++rank)
        out = name == piece_name(stem, rank);
    return out;
}

bool ComingOutputs::has_checkpoint(const std::string& name) const
{
    double time_ms = 0;
    if (checkpoint_every == 0 || std::sscanf(name.c_str(), "checkpoint-%lfms", &time_ms) != 1)
        return false;
    const auto every_ms = static_cast<double>(checkpoint_every) * dt_ms;
    if (!(std::abs(time_ms) <= static_cast<double>(end_step) * dt_ms + every_ms))
        return false; // the step of a longer time may be no number
    const auto step = std::llround(time_ms / every_ms) * checkpoint_every;
    return step > first_step && step <= end_step &&
           name == (pieces == 0 ? checkpoint_name(static_cast<double>(step) * dt_ms)
                                : piece_of_checkpoint(
                                      checkpoint_name(static_cast<double>(step) * dt_ms), 0, pieces)
                                      .string());
}

void need_places(const fs::path& out, const ComingOutputs& coming)
{
    std::error_code none;
    for (const auto& name : coming.files) {
        const auto type = fs::symlink_status(out / name, none).type();
        using Type = fs::file_type;
        if (type == Type::regular || type == Type::symlink || type == Type::not_found ||
            type == Type::none || type == Type::unknown)
            continue; // replaced, or what opening it says
        throw InputError(
            (out / name).string(),
            std::string(type == Type::directory ? "is a folder" : "is a device or a pipe") +
                ", and the run writes a file of that name; move it, or choose another "
                "folder");
    }
    if (coming.pieces > 0)
        need_folder(out / "activation", "maps");
    if (coming.frame_every <= 0)
        return;
    need_folder(out / "frames", "frames");
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
        if (entry.path().extension() == ".tcp" &&
            first_piece_of(entry.path().filename().string()).empty()) // one of a checkpoint counts
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

Notices what_was_swept(int files, const fs::path& out)
{
    if (files == 0)
        return {};
    return {{Notice::Level::info, "removed " + std::to_string(files) +
                                      (files > 1 ? " files" : " file") + " in " + out.string() +
                                      " that a run which was killed had not finished"}};
}

std::vector<ListedFrame> remove_earlier_outputs(const fs::path& out, double from_ms,
                                                FrameFormat format, bool in_pieces)
{
    FilesThere there(out);
    auto files = reported_files(out, there);
    std::vector<ListedFrame> kept;
    std::set<std::string> names;     // of those
    std::set<std::string> of_pieces; // folders
    bool listed = false;
    for (auto& f : listed_frames(out / "frames.pvd")) {
        const bool list = is_list_of_pieces(f.file);
        if (!list && !is_frame(f.file))
            continue;
        const auto pieces = list ? pieces_there(out, stem_of(f.file)) : std::vector<std::string>();
        if (format == FrameFormat::vtu && f.time_ms < from_ms && list == in_pieces) {
            names.insert(f.file);
            names.insert(pieces.begin(), pieces.end());
            kept.push_back(f);
        } else if (there.has(f.file)) {
            files.push_back(f.file);
            files.insert(files.end(), pieces.begin(), pieces.end());
        }
        listed = true;
    }
    if (listed && kept.empty()) // of a run that did not come to its report
        files.push_back("frames.pvd");
    for (const auto& f : files) {
        if (format == FrameFormat::igb && from_ms > 0 && f == igb_file)
            continue;
        if (names.contains(f) || (f == "frames.pvd" && !kept.empty()))
            continue;
        if (const auto folder = fs::path(f).parent_path().generic_string();
            folder == "activation" || is_list_of_pieces(folder + ".pvtu"))
            of_pieces.insert(folder);
        try {
            remove_plain_file(out / f);
        } catch (const InputError& e) {
            throw InputError(e.file, "of an earlier run " + e.reason + "; choose another folder");
        }
    }
    for (const auto& folder : of_pieces)
        remove_empty_folder(out / folder);
    remove_empty_folder(out / "frames");
    return kept;
}

} // namespace tawara::simulation
