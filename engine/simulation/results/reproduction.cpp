// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/reproduction.hpp"

#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"
#include "engine/simulation/results/checkpoint_stream.hpp"
#include "engine/simulation/results/output_digest.hpp"
#include "engine/simulation/results/report_record.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/session_json.hpp"
#include "engine/simulation/session/session_paths.hpp"

#include <cmath>

namespace tawara::simulation {
namespace {

using report::Json;
namespace fs = std::filesystem;

constexpr const char* key = report::record_key;
constexpr std::uintmax_t most_bytes = 64U << 20;

/// A text of it. @throws InputError
std::string text(const Json& record, const char* name, const std::string& file)
{
    if (!record.contains(name) || !record[name].is_string())
        throw InputError(file, std::string("/") + key + "/" + name,
                         "is missing; it should be a "
                         "text");
    return record[name].get<std::string>();
}

double number_of(const Json& record, const char* name, const std::string& file)
{
    if (!record.contains(name) || !record[name].is_number())
        throw InputError(file, std::string("/") + key + "/" + name,
                         "is missing; it should be a "
                         "number");
    return record[name].get<double>();
}

unsigned threads_of(const Json& record, const std::string& file)
{
    constexpr double most = 1024;
    const double n = number_of(record, "threads", file);
    if (!(n >= 0 && n <= most) || n != std::floor(n))
        throw InputError(file, std::string("/") + key + "/threads",
                         "is " + number_text(n, 6) +
                             "; it should be a whole number from 0 (as many as pay) to 1024");
    return static_cast<unsigned>(n);
}

Precision precision_of(const std::string& word, const std::string& file)
{
    for (const auto p : {Precision::double_, Precision::mixed, Precision::single})
        if (name(p) == word)
            return p;
    throw InputError(file, std::string("/") + key + "/precision",
                     "is '" + word + "'; it should be double, mixed or single");
}

/// Where a path of a run lies whose results were in one folder then and are in another now, as it
/// did seen from there; empty where that is not known.
fs::path moved(const fs::path& recorded, const fs::path& then, const fs::path& now)
{
    if (recorded.empty() || then.empty() || then == now)
        return {};
    const auto there = (now / recorded.lexically_relative(then)).lexically_normal();
    return there.has_filename() ? there
                                : there.parent_path(); // of a folder: "../" is left at its end
}

void say_moved(const fs::path& recorded, const fs::path& now, Notices& notices)
{
    notices.push_back(
        {Notice::Level::warning, recorded.string() + " is not there any more; " + now.string() +
                                     " is taken, which lies as it did seen from the report"});
}

/// A report's session in a folder, which its files are relative to.
/// @throws InputError where it is no good, or one of its files is not there
Session session_in(const fs::path& folder, const std::string& text, const std::string& name,
                   const fs::path& report)
{
    auto s = parse_session(text, (folder / name).string()); // files of models are read at once
    s.folder = folder;
    std::error_code none;
    for (const auto& file : files_named(s))
        if (const auto whole = folder / file; !fs::exists(whole, none))
            throw InputError(whole.string(), "is not there any more; the session of " +
                                                 report.string() +
                                                 " takes it. Move results and files together, or "
                                                 "put it back");
    return s;
}

/// The session where it was, else where it lies now seen from the report.
/// @throws InputError as session_in(), of where it was
void find_session(const std::string& text, const fs::path& recorded, const fs::path& then,
                  const fs::path& report, RecordedRun& out)
{
    const auto name = recorded.filename().string();
    auto folder = recorded.parent_path();
    try {
        out.session = session_in(folder, text, name, report);
    } catch (const InputError&) {
        const auto there = moved(folder, then, report.parent_path());
        if (there.empty())
            throw;
        const auto first = std::current_exception();
        try {
            out.session = session_in(there, text, name, report);
        } catch (const InputError&) {
            std::rethrow_exception(first);
        }
        say_moved(folder, there, out.notices);
        folder = there;
    }
    out.options.session_file = name.empty() ? "" : (folder / name).string();
}

} // namespace

RecordedRun read_report(const fs::path& report)
{
    const auto file = report.string();
    RecordedRun out;
    out.json = file_content(report, most_bytes, "reports are some kB");
    const auto j = report::parsed(out.json, file);
    const auto r = report::record_of(j, file);
    auto& o = out.options;
    if (!r.contains("session"))
        throw InputError(file, std::string("/") + key + "/session", "is missing");
    report::check_session(r, file);
    report::check_files(r, file);
    std::error_code none;
    const auto then = r.contains("folder") ? text(r, "folder", file) : std::string();
    const auto now = fs::weakly_canonical(report, none);
    find_session(r["session"].dump(), text(r, "session_path", file), then, now, out);
    o.until_ms = number_of(r, "until_ms", file);
    o.device.devices = device::Devices(text(r, "devices", file));
    o.device.precision = precision_of(text(r, "precision", file), file);
    o.device.threads = threads_of(r, file);
    if (r.contains("activation_maps") && !r["activation_maps"].is_boolean())
        throw InputError(file, std::string("/") + key + "/activation_maps",
                         "should be true or false; it says whether maps were kept");
    o.device.maps = r.value("activation_maps", true);
    if (r.contains("resume")) {
        o.resume = text(r, "resume", file);
        const auto there = moved(o.resume, then, now.parent_path());
        if (!fs::exists(o.resume, none) && !there.empty() && fs::exists(there, none)) {
            say_moved(o.resume, there, out.notices);
            o.resume = there;
        }
        if (r.contains("branch") && !r["branch"].is_boolean())
            throw InputError(file, std::string("/") + key + "/branch",
                             "should be true or false; it says whether the run branched off");
        o.branch = r.value("branch", false);
        if (!fs::exists(o.resume, none))
            throw InputError(o.resume.string(),
                             "is not there any more" +
                                 (there.empty() ? "" : ", nor is " + there.string()) +
                                 "; the run of " + file + " went on from it");
        (void)CheckpointReader(o.resume); // what is no checkpoint is not read to its end
        if (sha256_of_file(o.resume) != text(r, "resume_sha256", file))
            throw InputError(o.resume.string(),
                             "has other bytes than when the run of " + file + " went on from it");
    }
    return out;
}

} // namespace tawara::simulation
