// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of the Purkinje network.
#include "engine/simulation/session/session_purkinje.hpp"

#include "engine/cell/special_variables.hpp"
#include "engine/core/error.hpp"
#include "engine/simulation/session/session_bounds.hpp"
#include "engine/simulation/session/session_extras.hpp"
#include "engine/simulation/session/session_override.hpp"

#include <algorithm>
#include <set>

namespace tawara::simulation {
namespace {

void read_his(const JsonNode& n, PurkinjeKeys& p)
{
    constexpr const char* should = "a time of at least 0 ms, {\"start_ms\": .., \"protocol\": ..}, "
                                   "or \"none\"";
    if (n.is_text()) {
        if (n.text() != "none")
            n.fail_value(should);
        p.his = false;
        return;
    }
    if (n.is_number()) {
        p.his_ms = key_number(n, session_key("/purkinje/his_ms"));
        return;
    }
    if (!n.is_object())
        n.fail_value(should);
    only_keys(n, "/purkinje/his_ms");
    if (const auto start = n.find("start_ms"))
        p.his_ms = key_number(*start, session_key("/purkinje/his_ms/start_ms"));
    p.his_protocol =
        protocol_of(need_key(n, "/purkinje/his_ms/protocol"), PurkinjeKeys::his_duration_ms);
}

std::vector<std::string> read_cut(const JsonNode& n)
{
    constexpr const char* should = "a fascicle's name, e.g. \"left_bundle\", or a branch's number";
    std::vector<std::string> out;
    for (const auto& x : n.items("a list of branches, e.g. [\"left_bundle\"]")) {
        if (x.is_text())
            out.push_back(x.text());
        else if (x.is_number())
            out.push_back(std::to_string(x.integer(0, 1'000'000'000)));
        else
            x.fail_value(should);
    }
    return out;
}

std::vector<Probe> read_network_probes(const JsonNode& n)
{
    std::vector<Probe> out;
    std::set<std::string> names{"time_ms"};
    for (const auto& x : key_items(n, "/purkinje/probes", "a list of probes")) {
        only_keys(x, "/purkinje/probes/#");
        const auto name = need_key(x, "/purkinje/probes/#/name");
        const auto text = name.text();
        if (text.empty() || text.find_first_of("\"\n\r") != std::string::npos)
            name.fail_value("a name without quotes and line breaks, since it heads a column of "
                            "purkinje_probes.csv");
        if (!names.insert(text).second)
            name.fail_value("a name that no other probe has (nor \"time_ms\")");
        out.push_back({text, need_key(x, "/purkinje/probes/#/position_mm").point()});
    }
    return out;
}

void read_source(const JsonNode& n, PurkinjeKeys& p)
{
    const auto grow = n.find("grow");
    if (n.has("file") == grow.has_value())
        n.fail_exclusive(std::string(grow ? "has both \"file\" and \"grow\"" : "names no network") +
                             "; give either \"file\" or \"grow\" (e.g. \"grow\": {})",
                         {"file", "grow"});
    if (grow) {
        if (const auto unit = n.find("length_unit"))
            unit->fail_exclusive("is of a \"file\"; leave it out");
        read_keys(*grow, "/purkinje/grow", p.grow);
        return;
    }
    constexpr const char* should = "the path of a file, or a list of them";
    const auto file = n.at("file", should);
    if (file.is_text()) {
        p.files.push_back(file.text());
    } else {
        for (const auto& x : file.items(should, 1))
            p.files.push_back(x.text());
    }
    for (const auto& f : p.files)
        if (f.empty())
            file.fail_value(should);
    if (const auto unit = n.find("length_unit")) {
        constexpr LengthUnit units[]{LengthUnit::um, LengthUnit::mm, LengthUnit::cm, LengthUnit::m};
        p.unit = units[unit->word(session_key("/purkinje/length_unit").words_list())];
    }
}

} // namespace

void read_purkinje(const JsonNode& n, Session& s)
{
    PurkinjeKeys& p = *s.purkinje;
    p.wanted = true;
    read_keys(n, "/purkinje", p);
    read_source(n, p);
    if (const auto m = n.find("model")) {
        p.model = cell::model_key(p.model, std::filesystem::path(n.file()).parent_path());
        cell::model_info(p.model, n.file(), m->pointer());
    }
    if (const auto v = n.find("variant"))
        cell::make_cell_type(p.model, p.variant, {}, {}, n.file(), v->pointer());
    if (const auto x = n.find("his_ms"))
        read_his(*x, p);
    if (const auto x = n.find("cut"))
        p.cut = read_cut(*x);
    if (const auto x = n.find("probes"))
        p.probes = read_network_probes(*x);
    if (const auto x = n.find("junctions")) {
        read_keys(*x, "/purkinje/junctions", p);
        if (p.antegrade_ms > 0 && x->has("resistance_kOhm"))
            x->fail_exclusive("has both \"resistance_kOhm\" and \"antegrade_ms\", for which a "
                              "resistance is searched; give one of them",
                              {"resistance_kOhm", "antegrade_ms"});
    }
}

Json purkinje_json(const Session& s)
{
    const PurkinjeKeys& p = *s.purkinje;
    Json out = Json::object();
    if (p.files.empty())
        out["grow"] = write_keys("/purkinje/grow", p.grow);
    else
        out["file"] = p.files.size() == 1 ? Json(p.files[0]) : Json(p.files);
    if (p.unit)
        out["length_unit"] = std::string(name(*p.unit));
    out["model"] = cell::model_text(p.model, s.folder);
    if (!p.his)
        out["his_ms"] = "none";
    else if (p.his_protocol)
        out["his_ms"] =
            Json{{"start_ms", json_number(p.his_ms)}, {"protocol", protocol_json(*p.his_protocol)}};
    else
        out["his_ms"] = json_number(p.his_ms);
    out["junctions"] = write_keys("/purkinje/junctions", p);
    if (p.antegrade_ms > 0)
        out["junctions"].erase("resistance_kOhm");
    if (!p.cut.empty())
        out["cut"] = p.cut;
    if (!p.probes.empty()) {
        out["probes"] = Json::array();
        for (const auto& x : p.probes)
            out["probes"].push_back({{"name", x.name}, {"position_mm", json_point(x.position_mm)}});
    }
    return write_keys("/purkinje", p, std::move(out));
}

cable::GrowthParameters growth_of(std::span<const std::string> overrides)
{
    Json document = Json::object();
    for (const auto& o : overrides)
        apply_override(document, o);
    cable::GrowthParameters out;
    read_keys(JsonNode(document, "--set"), "/purkinje/grow", out);
    return out;
}

bool same_purkinje_tree(const Session& a, const Session& b)
{
    const auto tree = [](const Session& s) {
        Json all = purkinje_json(s);
        for (const char* key : {"his_ms", "probes", "cut"})
            all.erase(key);
        for (const char* key : {"resistance_kOhm", "antegrade_ms"})
            all["junctions"].erase(key);
        return all;
    };
    return a.purkinje->wanted == b.purkinje->wanted && (!a.purkinje->wanted || tree(a) == tree(b));
}

bool same_purkinje(const Session& a, const Session& b)
{
    return a.purkinje->wanted == b.purkinje->wanted &&
           (!a.purkinje->wanted || purkinje_json(a) == purkinje_json(b));
}

std::string purkinje_difference(const Session& before, const Session& now)
{
    const auto &a = *before.purkinje, &b = *now.purkinje;
    if (same_purkinje(before, now))
        return {};
    if (a.wanted != b.wanted)
        return b.wanted ? "Purkinje network added" : "Purkinje network removed";
    if (!same_purkinje_tree(before, now))
        return "another Purkinje network";
    std::string out;
    const auto add = [&out](const std::string& words) { out += (out.empty() ? "" : ", ") + words; };
    const auto without = [](const auto& list, const auto& other) {
        std::string names;
        for (const auto& x : list)
            if (std::find(other.begin(), other.end(), x) == other.end())
                names += (names.empty() ? "" : ", ") + x;
        return names;
    };
    if (const auto cut = without(b.cut, a.cut); !cut.empty())
        add(cut + " cut");
    if (const auto joined = without(a.cut, b.cut); !joined.empty())
        add(joined + " rejoined");
    if (a.resistance_kOhm != b.resistance_kOhm || a.antegrade_ms != b.antegrade_ms)
        add("junctions of the Purkinje network changed");
    const auto keys = [](const Session& s) { return purkinje_json(s)["his_ms"]; };
    if (keys(before) != keys(now))
        add("pulses of the His bundle changed");
    return out;
}

std::string purkinje_text(const Session& s)
{
    if (!s.purkinje->wanted)
        return {};
    Json all = purkinje_json(s);
    for (const char* key : {"his_ms", "probes"})
        all.erase(key);
    return all.dump();
}

} // namespace tawara::simulation
