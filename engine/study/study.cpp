// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/study.hpp"

#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"
#include "engine/core/json_size.hpp"
#include "engine/core/nearest.hpp"
#include "engine/core/utf8.hpp"
#include "engine/digest/sha256.hpp"
#include "engine/simulation/session/json_fault.hpp"
#include "engine/simulation/session/presets.hpp"
#include "engine/study/study_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

namespace tawara::study {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t most_runs = 1'000'000, most_settings = 10'000'000;

struct Axis
{
    std::string path;
    std::vector<std::string> values;
};

[[noreturn]] void fail(const fs::path& file, const std::string& where, const std::string& why)
{
    throw InputError(file.string(), where, why);
}

} // namespace

Json study_json(const std::string& text, const fs::path& file)
{
    if (const auto excess = json_excess(text, simulation::most_json_depth); !excess.empty())
        fail(file, "", excess + "; studies are not");
    try {
        return Json::parse(text, nullptr, true, true);
    } catch (const Json::parse_error& e) {
        const auto line =
            1 +
            std::count(text.begin(),
                       text.begin() + static_cast<std::ptrdiff_t>(std::min(e.byte, text.size())),
                       '\n');
        throw InputError(file.string(), static_cast<long>(line),
                         "this is no JSON; a study is an object as {\"schema\": 1, \"session\": "
                         "\"heart.json\", \"axes\": {\"time.dt_ms\": [0.01, 0.02]}}");
    } catch (const Json::out_of_range&) {
        fail(file, "", "holds a number that is too large; numbers go up to 1.8e308");
    }
}

namespace {

Json parsed(const fs::path& file)
{
    constexpr std::uintmax_t most_bytes = 32U << 20;
    return study_json(file_content(file, most_bytes, "studies are some kB"), file);
}

void check_keys(const fs::path& file, const Json& o)
{
    const std::vector<std::string> known{"schema", "name",        "session",   "axes",
                                         "runs",   "keep",        "induction", "ablation",
                                         "doses",  "restitution", "population"};
    for (const auto& [key, value] : o.items())
        if (std::find(known.begin(), known.end(), key) == known.end())
            fail(file, "/" + key, "unknown key" + hint(key, known));
    if (o.contains("ablation") && !o.contains("induction"))
        fail(file, "/ablation", "wants induction: it is done where re-entry was induced");
    if (o.contains("restitution") && o.contains("induction"))
        fail(file, "/restitution", "goes not with induction; make a study of each");
    if (!o.contains("schema") || o["schema"] != Json(1))
        fail(file, "/schema", "must be 1");
    if (!o.contains("session"))
        fail(file, "/session", "is missing; it names a session file or is one");
}

std::vector<Axis> axes_of(const fs::path& file, const Json& o)
{
    std::vector<Axis> out;
    if (!o.contains("axes"))
        return out;
    if (!o["axes"].is_object())
        fail(file, "/axes", "must be an object of keys, each with a list of values");
    for (const auto& [path, values] : o["axes"].items()) {
        const auto where = "/axes/" + path;
        if (!values.is_array() || values.empty())
            fail(file, where, "must be a list of at least one value");
        Axis a{path, {}};
        std::set<std::string> given;
        for (const auto& v : values) {
            a.values.push_back(v.dump());
            if (!given.insert(a.values.back()).second)
                fail(file, where, a.values.back() + " is there twice; give each value once");
        }
        out.push_back(std::move(a));
    }
    return out;
}

std::vector<std::vector<Setting>> lists_of(const fs::path& file, const Json& o)
{
    if (!o.contains("runs"))
        return {{}};
    if (!o["runs"].is_array() || o["runs"].empty())
        fail(file, "/runs", "must be a list of objects, a run each");
    std::vector<std::vector<Setting>> out;
    for (const auto& run : o["runs"]) {
        if (!run.is_object())
            fail(file, "/runs/" + std::to_string(out.size()),
                 "must be an object of keys and their values");
        auto& settings = out.emplace_back();
        for (const auto& [path, value] : run.items())
            settings.emplace_back(path, value.dump());
    }
    return out;
}

void read_keep(const fs::path& file, const Json& o, Study& s)
{
    if (!o.contains("keep"))
        return;
    s.keep_all = false;
    constexpr std::array words{"activation", "ecg", "frames"};
    if (!o["keep"].is_array())
        fail(file, "/keep", "must be a list of activation, ecg, frames");
    for (const auto& word : o["keep"]) {
        const auto at = std::find(words.begin(), words.end(),
                                  word.is_string() ? word.get<std::string>() : std::string());
        if (at == words.end())
            fail(file, "/keep", word.dump() + " must be one of activation, ecg, frames");
        s.keep.insert(static_cast<Keep>(at - words.begin()));
    }
}

/// The session's text, and the file that it is named by.
void read_session_text(const fs::path& file, const Json& o, Study& s)
{
    const Json& session = o["session"];
    if (session.is_object()) {
        s.session = session.dump();
        s.session_file = file.string();
    } else if (session.is_string()) {
        const auto beside = (file.parent_path() / session.get<std::string>()).lexically_normal();
        s.session = file_content(beside, simulation::most_session_bytes,
                                 "this is not a session file of Tawara");
        s.session_file = beside.string();
    } else {
        fail(file, "/session", "must be the path of a session file, or a session");
    }
}

/// What each combination is run for once: each site, or each protocol.
struct Repeat
{
    std::optional<std::size_t> site;
    std::optional<PacingProtocol> protocol;
};
std::vector<Repeat> repeats_of(const Study& s)
{
    std::vector<Repeat> out;
    if (s.induction)
        for (std::size_t k = 0; k < s.induction->sites.size(); ++k)
            out.push_back({k, {}});
    if (s.restitution)
        for (const auto p : protocols_of(*s.restitution))
            out.push_back({{}, p});
    return out.empty() ? std::vector<Repeat>{{}} : out;
}

/// The members that each combination is run with; without `population` once, with none.
std::vector<std::optional<std::size_t>> members_of(const Study& s)
{
    if (!s.population)
        return {std::nullopt};
    std::vector<std::optional<std::size_t>> out;
    for (std::size_t k = 0; k < static_cast<std::size_t>(s.population->size); ++k)
        out.emplace_back(k);
    return out;
}

/// The doses that each combination is run with; without `doses` once, with none.
std::vector<std::optional<Dose>> doses_of(const Study& s)
{
    if (!s.doses)
        return {std::nullopt};
    std::vector<std::optional<Dose>> out;
    for (std::size_t d = 0; d < s.doses->drugs.size(); ++d)
        for (std::size_t v = 0; v < s.doses->values.size(); ++v)
            out.emplace_back(Dose{d, v});
    return out;
}

/// All combinations, the last axis fastest; then the same with the next one of the list.
void make_runs(const fs::path& file, const std::vector<Axis>& axes,
               const std::vector<std::vector<Setting>>& lists, Study& s)
{
    const auto repeats = repeats_of(s);
    const auto doses = doses_of(s);
    const auto members = members_of(s);
    std::size_t combinations = 1;
    const auto with_each = [&](std::size_t of_these, const char* where) {
        combinations *= of_these; // both have less than 32 bits
        if (combinations > most_runs)
            fail(file, where, "make more than " + std::to_string(most_runs) + " runs");
    };
    for (const auto n : {lists.size(), repeats.size(), doses.size(), members.size()})
        with_each(n, s.population ? "/population" : "/runs");
    for (const auto& a : axes) {
        with_each(a.values.size(), "/axes");
        s.paths.push_back(a.path);
    }
    if (combinations > most_settings / std::max<std::size_t>(axes.size(), 1))
        fail(file, "/axes",
             "set more than " + std::to_string(most_settings) + " values in all their runs");
    std::set<std::string> known(s.paths.begin(), s.paths.end());
    for (const auto& list : lists)
        for (const auto& [path, value] : list)
            if (known.insert(path).second)
                s.paths.push_back(path);
    if (known.size() > Study::most_paths)
        fail(file, "/runs",
             "set more than " + std::to_string(Study::most_paths) + " different keys");
    if (s.population)
        s.paths.emplace_back(member_path);
    if (s.doses)
        s.paths.insert(s.paths.end(), {drug_path, concentration_path(*s.doses)});
    if (s.induction)
        s.paths.emplace_back(site_path);
    if (s.restitution)
        s.paths.emplace_back(protocol_path);
    const int digits = static_cast<int>(std::to_string(combinations).size());
    for (const auto& list : lists)
        for (std::size_t k = 0; k < combinations / lists.size(); ++k) {
            PlannedRun r;
            r.number = static_cast<std::int64_t>(s.runs.size());
            char name[40];
            std::snprintf(name, sizeof name, "run-%0*lld", digits,
                          static_cast<long long>(r.number));
            r.name = name;
            std::size_t rest = k;
            const auto next = [&rest](const auto& among) {
                const auto at = rest % among.size();
                rest /= among.size();
                return among[at];
            };
            const auto repeat = next(repeats);
            r.site = repeat.site;
            r.protocol = repeat.protocol;
            r.dose = next(doses);
            r.member = next(members);
            for (auto a = axes.rbegin(); a != axes.rend(); rest /= a->values.size(), ++a)
                r.settings.insert(r.settings.begin(),
                                  {a->path, a->values[rest % a->values.size()]});
            r.settings.insert(r.settings.end(), list.begin(), list.end());
            s.runs.push_back(std::move(r));
        }
}

/// @param searched  text of induction, ablation, doses, restitution and population
std::string digest_of(const Study& s, std::span<const std::string> overrides,
                      const std::string& searched)
{
    std::vector<std::string_view> parts{s.session};
    parts.insert(parts.end(), overrides.begin(), overrides.end());
    for (const auto& r : s.runs)
        for (const auto& [path, value] : r.settings) {
            parts.emplace_back(path);
            parts.emplace_back(value);
        }
    if (!searched.empty())
        parts.emplace_back(searched);
    return sha256_of_parts(parts);
}

} // namespace

Study read_study(const fs::path& file, std::span<const std::string> overrides)
{
    const Json o = parsed(file);
    if (!o.is_object())
        fail(file, "", "a study is a JSON object");
    check_keys(file, o);
    Study s;
    s.file = file.string();
    s.name = o.contains("name") && o["name"].is_string() ? o["name"].get<std::string>()
                                                         : file.stem().string();
    read_session_text(file, o, s);
    read_keep(file, o, s);
    std::string searched;
    if (o.contains("induction")) {
        s.induction = read_induction(file, o["induction"]);
        searched = o["induction"].dump();
    }
    if (o.contains("ablation")) {
        s.ablation = read_ablation(file, o["ablation"]);
        searched += o["ablation"].dump();
    }
    if (o.contains("doses")) {
        s.doses = read_doses(file, o["doses"]);
        searched += o["doses"].dump();
    }
    if (o.contains("restitution")) {
        s.restitution = read_restitution(file, o["restitution"]);
        searched += o["restitution"].dump();
    }
    if (o.contains("population")) {
        s.population = read_population(file, o["population"]);
        searched += o["population"].dump();
        if (s.doses && !s.population->calibrate.empty() &&
            std::count(s.doses->values.begin(), s.doses->values.end(), 0.0) == 0)
            fail(file, "/population/calibrate",
                 "is of members without a drug, so that doses need a concentration of 0");
    }
    make_runs(file, axes_of(file, o), lists_of(file, o), s);
    s.digest = digest_of(s, overrides, searched);
    for (auto& r : s.runs)
        for (const auto& text : overrides) {
            const auto equals = text.find('=');
            if (equals == std::string::npos || !is_utf8(text))
                throw InputError("--set", "is '" + readable(text) + "'; want PATH=VALUE in UTF-8");
            const auto path = text.substr(0, equals);
            if (std::find(s.paths.begin(), s.paths.end(), path) != s.paths.end())
                throw InputError("--set", path + " is what the study's runs differ by; take it "
                                                 "out of one of both");
            r.settings.insert(r.settings.begin(), {path, text.substr(equals + 1)});
        }
    return s;
}

simulation::Session session_of(const Study& s, const PlannedRun& run)
{
    std::vector<std::string> settings;
    for (const auto& [path, value] : run.settings)
        settings.push_back(path + "=" + value);
    try {
        auto session = simulation::parse_session(s.session, s.session_file, settings);
        session.folder = std::filesystem::path(s.session_file).parent_path();
        session.name = s.name + ", " + run.name;
        const auto add = [&](simulation::Drug drug, const char* where) {
            for (const auto& [parameter, factor] : drug.factors)
                simulation::need_factor_name(parameter, session.regions, s.file, where);
            session.drugs.push_back(std::move(drug));
        };
        if (run.member)
            add(member_of(*s.population, *run.member), "/population/vary");
        if (run.dose)
            add(drug_of(*s.doses, *run.dose), "/doses/drugs");
        if (run.protocol)
            (void)pulse_of(session, *s.restitution, s.file);
        return session;
    } catch (const InputError& e) {
        constexpr std::size_t longest = 200, most = 600; // of one, and of all
        std::string of;
        for (const auto& text : settings) {
            const bool room = of.size() < most;
            of += of.empty() ? " (" + run.name + ": " : ", ";
            of += room ? shortened(text, longest) : "...";
            if (!room)
                break;
        }
        throw InputError(e.file, e.where, e.reason + of + (of.empty() ? "" : ")"));
    }
}

std::vector<Setting> differences(const Study& s, const PlannedRun& run)
{
    auto out = run.settings;
    if (run.member)
        out.emplace_back(member_path, std::to_string(*run.member));
    if (run.dose) {
        const auto& all = *s.doses;
        out.emplace_back(drug_path, nlohmann::json(all.drugs.at(run.dose->drug).name).dump());
        out.emplace_back(concentration_path(all),
                         nlohmann::json(all.values[run.dose->value]).dump());
    }
    if (run.site)
        out.emplace_back(site_path, nlohmann::json(s.induction->sites.at(*run.site).name).dump());
    if (run.protocol)
        out.emplace_back(protocol_path, nlohmann::json(name(*run.protocol)).dump());
    return out;
}

std::string setting_of(const PlannedRun& run, const std::string& path)
{
    for (const auto& [at, value] : run.settings)
        if (at == path)
            return value;
    return {};
}

} // namespace tawara::study
