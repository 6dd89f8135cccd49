// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/provenance_read.hpp"

#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"
#include "engine/core/provenance.hpp"
#include "engine/digest/sha256.hpp"
#include "engine/mesh/io/provenance_field.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/session/session_json.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace tawara::simulation {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 30; // of a movie
constexpr std::string_view head = "{\"program\":\"tawara\"";

/// As HTML has it, back to text.
std::string unescaped(std::string text)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> all{
        {{"&quot;", "\""}, {"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}}};
    for (const auto& [from, to] : all)
        for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + 1))
            text.replace(at, from.size(), to);
    return text;
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

/// Between a file's other bytes.
std::string within(const std::string& bytes)
{
    if (const auto at = bytes.find(head); at != std::string::npos)
        return object_at(std::string_view(bytes).substr(at));
    constexpr std::string_view in_html = "content=\"{&quot;program&quot;:&quot;tawara&quot;";
    const auto at = bytes.find(in_html);
    if (at == std::string::npos)
        return {};
    const auto from = at + in_html.find('{');
    return unescaped(bytes.substr(from, bytes.find('"', from) - from));
}

/// What the report in a file's folder says of it; empty where it says nothing.
std::string by_report(const fs::path& file)
{
    std::error_code none;
    const auto report = file.parent_path() / "report.json";
    if (!fs::exists(report, none))
        return {};
    const auto j = parse_json(file_content(report, most_bytes), report.string());
    if (!j.is_object() || j.value("program", Json()) != "tawara")
        return {};
    const auto files = j.value("files", Json::array());
    if (std::find(files.begin(), files.end(), file.filename().string()) == files.end())
        return {};
    Json out;
    for (const char* key : {"program", "version", "built_from"})
        out[key] = j.value(key, Json());
    const auto run = j.value("reproduction", Json::object());
    const auto digests = run.value("tables_sha256", Json::object());
    if (const auto of = digests.value(file.filename().string(), Json());
        of.is_string() && of != sha256(file_content(file, most_bytes)))
        throw InputError(file.string(), "has other bytes than the run of " + report.string() +
                                            " wrote: it was changed since");
    for (const char* key : {"session_sha256", "mesh_sha256"})
        out[key] = run.value(key, Json());
    const auto devices = j.value("devices", Json::array());
    out["device"] = devices.empty() ? Json() : devices.front();
    out["precision"] = j.value("precision", Json());
    Json options;
    for (const char* key : {"devices", "threads", "resume", "branch"})
        if (run.contains(key))
            options[key] = run[key];
    out["options"] = options;
    out["session"] = run.value("session", Json());
    out["said_by"] = report.string();
    return out.dump();
}

/// Where it has a place of its own.
/// @param why_not  is told why it cannot be read
std::string in_its_format(const fs::path& file, std::string& why_not)
{
    try {
        if (file.extension() == ".tcp")
            return read_checkpoint(file).provenance;
        if (file.extension() == ".vtu")
            return mesh::io::provenance_of_vtu(file);
    } catch (const InputError& e) { // of another program, or damaged: its bytes may say something
        why_not = e.reason;
    }
    return {};
}

} // namespace

std::string provenance_in(const fs::path& file)
{
    auto beside = file;
    beside += ".provenance.json";
    std::error_code none;
    if (!fs::exists(file, none))
        throw InputError(file.string(), "is not there");
    std::string why_not;
    auto text = in_its_format(file, why_not);
    if (text.empty() && fs::exists(beside, none))
        text = within(file_content(beside, most_bytes));
    if (text.empty())
        try {
            text = by_report(file);
        } catch (const Json::exception&) { // its members are of other types
            throw InputError((file.parent_path() / "report.json").string(),
                             "is no report that tawara-cli run has written");
        }
    if (text.empty())
        text = within(file_content(file, most_bytes, "results are smaller"));
    if (text.empty() && !why_not.empty())
        throw InputError(file.string(), "cannot be read (" + why_not +
                                            "), so that nothing says "
                                            "what made it");
    if (text.empty())
        throw InputError(file.string(),
                         "says nothing of what made it, and neither does a report.json or " +
                             beside.filename().string() + " beside it");
    return text;
}

} // namespace tawara::simulation
