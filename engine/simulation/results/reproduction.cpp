// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/reproduction.hpp"

#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"
#include "engine/digest/sha256.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/session_json.hpp"
#include "engine/simulation/session/session_paths.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

namespace tawara::simulation {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* key = "reproduction";
constexpr std::uintmax_t most_bytes = 64U << 20;

/// A report as it stands. @throws InputError also where it is nested as no report is
Json parsed_report(const std::string& text, const std::string& file)
{
    try {
        return parse_json(text, file);
    } catch (const InputError&) {
        throw InputError(file, "is no JSON that a report can be; give the report.json that "
                               "tawara-cli run has written");
    }
}

/// A report's part about its run. @throws InputError
Json record_of(const Json& report, const std::string& file)
{
    if (!report.is_object() || report.value("program", Json()) != "tawara")
        throw InputError(file, "is no report of a run; give the report.json that tawara-cli run "
                               "has written");
    if (!report.contains(key) || !report[key].is_object())
        throw InputError(file, "holds no session (it was written by an older program, or of a mesh "
                               "in parts); run the session itself");
    return report[key];
}

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

/// The digests of its tables, by their names. @throws InputError
Json digests_of_tables(const Json& record, const std::string& file)
{
    constexpr const char* tables = "tables_sha256";
    const auto out = record.value(tables, Json::object());
    if (!out.is_object())
        throw InputError(file, std::string("/") + key + "/" + tables,
                         "should be an object of names and digests");
    return out;
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

/// Activation times of a run's folder by id; nothing where it has none.
std::optional<std::vector<double>> activation_in(const fs::path& folder)
{
    std::error_code none;
    const auto file = folder / "activation.csv";
    if (!fs::exists(file, none))
        return {};
    std::istringstream in(file_content(file));
    std::vector<double> out;
    std::string line;
    std::getline(in, line); // its head
    while (std::getline(in, line)) {
        std::size_t at = 0;
        for (int comma = 0; comma < 4 && at != std::string::npos; ++comma)
            at = line.find(',', at) == std::string::npos ? at : line.find(',', at) + 1;
        char* end = nullptr;
        const double ms = std::strtod(line.c_str() + at, &end);
        out.push_back(end == line.c_str() + at ? std::numeric_limits<double>::quiet_NaN() : ms);
    }
    return out;
}

/// "RMS 0.1 ms, at most 0.4 ms; 3 places were activated in one run alone".
std::string activation_words(const fs::path& before, const fs::path& now)
{
    const auto a = activation_in(before), b = activation_in(now);
    if (!a || !b)
        return "by how much is not known: activation.csv is not in both folders";
    if (a->size() != b->size())
        return "by how much is not known: there were " +
               number_text(static_cast<double>(a->size()), 12) + " unknowns, and are " +
               number_text(static_cast<double>(b->size()), 12) + " now";
    double sum = 0, most = 0, n = 0, alone = 0;
    for (std::size_t k = 0; k < a->size(); ++k) {
        const double d = (*a)[k] - (*b)[k];
        if (std::isnan((*a)[k]) != std::isnan((*b)[k]))
            ++alone;
        if (std::isnan(d))
            continue;
        sum += d * d, most = std::max(most, std::abs(d)), ++n;
    }
    std::string out = n == 0 ? "no place was activated in both"
                             : "RMS " + number_text(std::sqrt(sum / n), 3) + " ms, at most " +
                                   number_text(most, 3) + " ms";
    if (alone > 0)
        out += "; " + number_text(alone, 6) + " places were activated in one run alone";
    return out;
}

} // namespace

RecordedRun read_report(const fs::path& report)
{
    const auto file = report.string();
    RecordedRun out;
    out.json = file_content(report, most_bytes, "reports are some kB");
    const auto j = parsed_report(out.json, file);
    const auto r = record_of(j, file);
    auto& o = out.options;
    if (!r.contains("session"))
        throw InputError(file, std::string("/") + key + "/session", "is missing");
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
        if (sha256(file_content(o.resume)) != text(r, "resume_sha256", file))
            throw InputError(o.resume.string(),
                             "has other bytes than when the run of " + file + " went on from it");
    }
    return out;
}

bool RunComparison::same() const
{
    return std::all_of(results.begin(), results.end(), [](const Compared& c) { return c.same; });
}

RunComparison compare_reports(const std::string& before_json, const fs::path& before_folder,
                              const std::string& now_json, const fs::path& now_folder)
{
    const auto before_file = (before_folder / "report.json").string(),
               now_file = (now_folder / "report.json").string();
    const auto a = parsed_report(before_json, before_file), b = parsed_report(now_json, now_file);
    const auto x = record_of(a, before_file), y = record_of(b, now_file);
    RunComparison out;
    const auto digests = [&](const char* what, const char* of) {
        const auto p = x.value(of, Json()), q = y.value(of, Json());
        out.results.push_back({what, !p.is_null() && p == q});
        return out.results.back().same;
    };
    digests("mesh", "mesh_sha256");
    digests("V at the end", "end_sha256");
    if (!x.value("activation_maps", true) || !y.value("activation_maps", true)) {
        out.remarks.push_back("activation and repolarisation: not compared, since one of the runs "
                              "kept no maps");
    } else {
        if (!digests("activation", "activation_sha256"))
            out.results.back().how = activation_words(before_folder, now_folder);
        digests("repolarisation", "repolarisation_sha256");
    }
    const auto tables = digests_of_tables(x, before_file), there = digests_of_tables(y, now_file);
    for (const auto& [file, digest] : tables.items())
        out.results.push_back({file, there.value(file, Json()) == digest,
                               there.contains(file) ? "" : "was not written now"});
    const auto remark = [&](const char* what, const Json& p, const Json& q) {
        if (p != q)
            out.remarks.push_back(std::string(what) + ": " + p.dump() + " before, " + q.dump() +
                                  " now");
    };
    remark("version", a.value("version", Json()), b.value("version", Json()));
    remark("built from", x.value("built_from", Json()), y.value("built_from", Json()));
    remark("devices", a.value("devices", Json()), b.value("devices", Json()));
    remark("precision", a.value("precision", Json()), b.value("precision", Json()));
    return out;
}

} // namespace tawara::simulation
