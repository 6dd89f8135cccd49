// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/provenance_read.hpp"

#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"
#include "engine/core/provenance.hpp"
#include "engine/mesh/io/provenance_field.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/results/output_digest.hpp"
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/results/png_text.hpp"
#include "engine/simulation/results/report_record.hpp"
#include "engine/simulation/session/session_json.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

namespace tawara::simulation {
namespace {

namespace fs = std::filesystem;
using report::Json;

constexpr std::size_t most_report = 32U << 20; // bytes, as of what other files say
constexpr std::string_view head = "{\"program\":\"tawara\"";

/// As HTML has it, back to text.
std::string unescaped(const std::string& text)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> all{
        {{"&quot;", "\""}, {"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}}};
    std::string out;
    for (std::size_t k = 0; k < text.size();) {
        const auto rest = std::string_view(text).substr(k);
        const auto* of = std::find_if(all.begin(), all.end(),
                                      [&](const auto& x) { return rest.starts_with(x.first); });
        out += of == all.end() ? rest.substr(0, 1) : of->second;
        k += of == all.end() ? 1 : of->first.size();
    }
    return out;
}

/// The object that begins at the text's first byte; empty where it has no end.
std::string object_at(std::string_view text)
{
    int depth = 0;
    bool quoted = false;
    for (std::size_t k = 0; k < text.size(); ++k) {
        const char c = text[k];
        if (quoted && c == '\\')
            ++k;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && c == '{')
            ++depth;
        else if (!quoted && c == '}' && --depth == 0)
            return std::string(text.substr(0, k + 1));
    }
    return {};
}

/// Where a file has a text for the first time; nothing: nowhere. It is read piece by piece.
std::optional<std::streamoff> first_place(std::ifstream& in, std::string_view text)
{
    constexpr std::size_t piece = 1U << 18;
    std::string bytes(piece, '\0');
    std::streamoff begin = 0; // of the piece in the file
    std::size_t kept = 0;     // of the piece before, in which the text may begin
    in.clear();
    in.seekg(0);
    while (in) {
        in.read(bytes.data() + kept, static_cast<std::streamsize>(piece - kept));
        const auto size = kept + static_cast<std::size_t>(in.gcount());
        if (const auto at = std::string_view(bytes.data(), size).find(text);
            at != std::string_view::npos)
            return begin + static_cast<std::streamoff>(at);
        kept = std::min(size, text.size() - 1);
        bytes.replace(0, kept, bytes.substr(size - kept, kept));
        begin += static_cast<std::streamoff>(size - kept);
    }
    return {};
}

/// Between a file's other bytes.
std::string within(const fs::path& file)
{
    if (const auto why = no_plain_file(file); !why.empty())
        throw InputError(file.string(), why);
    errno = 0;
    std::ifstream in(file, std::ios::binary);
    const auto from = [&](std::streamoff at) {
        in.clear();
        in.seekg(0, std::ios::end);
        const auto left = std::max<std::streamoff>(0, in.tellg() - at);
        std::string text(std::min(most_report, static_cast<std::size_t>(left)), '\0');
        in.seekg(at);
        in.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<std::size_t>(in.gcount()));
        return text;
    };
    if (const auto text = png_text(file, provenance_name, most_report); !text.empty())
        return object_at(text);
    if (const auto at = first_place(in, head))
        return object_at(from(*at));
    constexpr std::string_view in_html = "content=\"{&quot;program&quot;:&quot;tawara&quot;";
    const auto at = first_place(in, in_html);
    if (!at && !in.eof())
        throw InputError(file.string(),
                         std::string("cannot be read: ") + std::strerror(errno ? errno : EIO));
    if (!at)
        return {};
    const auto text = from(*at + static_cast<std::streamoff>(in_html.find('{')));
    return unescaped(text.substr(0, text.find('"')));
}

/// Of the run that wrote a file: what the report in its folder says, or in the folder above it
/// (of a frame).
struct Reported
{
    fs::path report, folder;
    std::string name; ///< of the file, relative to the folder
    Json json;
};

/// Nothing: no report there lists it.
std::optional<Reported> reported(const fs::path& file)
{
    const auto whole = fs::absolute(file).lexically_normal();
    auto folder = whole.parent_path();
    auto name = whole.filename().string();
    if (is_frame("frames/" + name) && folder.filename() == "frames") {
        name = "frames/" + name;
        folder = folder.parent_path();
    }
    const auto report =
        file.parent_path() / (name.starts_with("frames/") ? "../report.json" : "report.json");
    std::error_code none;
    if (!fs::exists(report, none))
        return {};
    const auto shown = report.lexically_normal();
    Reported out{shown, folder, name,
                 parse_json(file_content(report, most_report), shown.string())};
    const auto& j = out.json;
    if (!j.is_object() || j.value("program", Json()) != "tawara")
        return {};
    const auto files = j.value("files", Json::array());
    if (std::find(files.begin(), files.end(), name) == files.end())
        return {};
    return out;
}

/// What it says of the run.
std::string by_report(const Reported& of)
{
    const auto& j = of.json;
    Json out;
    for (const char* key : {"program", "version", "built_from"})
        out[key] = j.value(key, Json());
    const auto run = j.value(report::record_key, Json::object());
    report::check_session(run, of.report.string());
    for (const char* key : {"session_sha256", "models_sha256", "mesh_sha256"})
        if (run.contains(key))
            out[key] = run[key];
    const auto devices = j.value("devices", Json::array());
    out["device"] = devices.empty() ? Json() : devices.front();
    out["precision"] = j.value("precision", Json());
    Json options;
    for (const char* key : {"devices", "threads", "resume", "branch"})
        if (run.contains(key))
            options[key] = run[key];
    if (run.contains("asked_until_ms"))
        options["until_ms"] = run["asked_until_ms"];
    out["options"] = options;
    for (const char* key : {"written", "processor"})
        if (j.contains(key))
            out[key] = j[key];
    out["ended"] = j.value("ended", Json());
    out["reached_ms"] = j.value("time_ms", Json());
    out["session"] = run.value("session", Json());
    out["said_by"] = of.report.string();
    return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A file of JSON that this program has written whole: a run's report, a verification table.
std::string by_itself(const fs::path& file)
{
    if (file.extension() != ".json")
        return {};
    const auto j =
        parse_json(file_content(file, most_report, "what a run writes is smaller"), file.string());
    if (!j.is_object() || j.value("program", Json()) != "tawara")
        return {};
    if (j.contains(report::record_key))
        return by_report({file, file.parent_path(), file.filename().string(), j});
    Json out;
    for (const char* key :
         {"program", "version", "built_from", "begun", "form", "only", "machine", "devices"})
        if (j.contains(key))
            out[key] = j[key];
    return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Of a mesh as text: "Tawara 0.1.0 (5c71577c)" among its first lines.
std::string by_title(const fs::path& file)
{
    constexpr std::size_t looked_at = 4096;
    std::ifstream in(file, std::ios::binary);
    std::string text(looked_at, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
    constexpr std::string_view name = "Tawara ";
    const auto at = text.find(name);
    if (at == std::string::npos)
        return {};
    const auto from = at + name.size(), blank = text.find(' ', from), end = text.find(')', from);
    if (blank == std::string::npos || end == std::string::npos || text[blank + 1] != '(' ||
        end < blank || end - from > 80)
        return {};
    return Json{{"program", "tawara"},
                {"version", text.substr(from, blank - from)},
                {"built_from", text.substr(blank + 2, end - blank - 2)}}
        .dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Whether the file is as its run left it. @throws InputError where it is not
bool is_unchanged(const fs::path& file, const Reported& of)
{
    const auto kind = digest_of(of.name);
    const auto known = report::digests_in(of.json.value(report::record_key, Json::object()),
                                          digest_key(kind), of.report.string())
                           .value(of.name, Json());
    if (!known.is_string())
        return false;
    if (known != output_digest(of.folder, of.name))
        throw InputError(file.string(), std::string("has other ") +
                                            (kind == DigestOf::values ? "values" : "bytes") +
                                            " than the run of " + of.report.string() +
                                            " wrote: it was changed since");
    return true;
}

/// Whether a file is as what lies beside it says. @throws InputError where it is not
bool is_as_said(const fs::path& file, const std::string& text, const fs::path& beside)
{
    if (text.empty())
        return false;
    const auto digest = parse_json(text, beside.string()).value("file_sha256", Json());
    if (!digest.is_string())
        return false;
    if (digest != sha256_of_file(file))
        throw InputError(file.string(), "has other bytes than when " + beside.string() +
                                            " was written: it was changed since");
    return true;
}

/// Where it has a place of its own.
/// @param why_not  is told why it cannot be read
std::string in_its_format(const fs::path& file, std::string& why_not)
{
    try {
        if (file.extension() == ".tcp")
            return provenance_of_checkpoint(file);
        if (file.extension() == ".vtu")
            return mesh::io::provenance_of_vtu(file);
    } catch (const InputError& e) { // of another program, or damaged: its bytes may say something
        why_not = e.reason;
    }
    return {};
}

} // namespace

bool is_provenance(const std::string& text)
try {
    const auto j = parse_json(text, "");
    return j.is_object() && j.value("program", Json()) == "tawara";
} catch (const InputError&) {
    return false;
}

FoundProvenance find_provenance(const fs::path& file)
try {
    auto beside = file;
    beside += ".provenance.json";
    std::error_code none;
    if (!fs::exists(file, none))
        throw InputError(file.string(), "is not there");
    FoundProvenance out;
    std::optional<Reported> run;
    std::string why_not;
    try {
        if (file.filename() != "report.json")
            run = reported(file);
    } catch (const InputError& e) { // which may not matter: files say it themselves
        why_not = out.why_not_known = e.what();
    }
    if (run && is_unchanged(file, *run)) {
        out.unchanged_by = run->report;
        out.values_alone = digest_of(run->name) == DigestOf::values;
    }
    /// @return why not; empty: it was taken, or there is none
    const auto take = [&](std::string text, const std::string& whose) -> std::string { // anybody's
        if (text.empty() || is_provenance(text)) {
            out.text = std::move(text);
            return {};
        }
        const auto why = whose + " is no provenance of this program";
        if (why_not.empty())
            why_not = why;
        return why;
    };
    const std::string carried = "what it carries";
    take(in_its_format(file, why_not), carried);
    if (out.text.empty() && fs::exists(beside, none)) {
        const auto why = take(within(beside), "what " + beside.filename().string() + " says");
        if (out.why_not_known.empty())
            out.why_not_known = why;
        if (is_as_said(file, out.text, beside))
            out.unchanged_by = beside;
    }
    if (out.text.empty() && run)
        out.text = by_report(*run);
    if (out.text.empty())
        out.text = by_itself(file);
    if (out.text.empty())
        take(within(file), carried);
    if (out.text.empty())
        out.text = by_title(file);
    if (out.text.empty() && !why_not.empty())
        throw InputError(file.string(), "nothing tells what made it (" + why_not + ")");
    if (out.text.empty())
        throw InputError(file.string(),
                         "says nothing of what made it, and neither does a report.json or " +
                             beside.filename().string() + " beside it");
    return out;
} catch (const Json::exception&) { // members of other types
    throw InputError(file.string(), "what is said of it, here or in a report.json, is not as "
                                    "tawara-cli run has written it");
}

std::string changed_since(const fs::path& file)
try {
    std::error_code none;
    std::optional<Reported> run;
    try {
        run = reported(file);
    } catch (const InputError&) { // which tells nothing of the file
    }
    if (run && fs::exists(file, none))
        is_unchanged(file, *run);
    return {};
} catch (const InputError& e) {
    return e.what();
} catch (const Json::exception&) {
    return {};
}

} // namespace tawara::simulation
