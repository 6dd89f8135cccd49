// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/session/session_extras.hpp"

#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"
#include "engine/simulation/session/presets.hpp"
#include "engine/simulation/session/session_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace tawara::simulation {
namespace {

constexpr std::int64_t most_tetrahedra = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t most_pulses = 1'000'000;

Json labels_json(const std::vector<std::int32_t>& list)
{
    return list.size() == 1 ? Json(list[0]) : Json(list);
}

Tetrahedra tetrahedra_of(const JsonNode& n)
{
    std::vector<std::int64_t> chosen;
    const auto need_room = [&](std::int64_t more) {
        if (static_cast<std::int64_t>(chosen.size()) + more > most_named_tetrahedra)
            n.fail("names more than " + std::to_string(most_named_tetrahedra) +
                   " tetrahedra; give a label or a shape");
    };
    for (const auto& item : n.items("a list of tetrahedra's numbers and runs [first, last]", 1)) {
        if (item.is_number()) {
            need_room(1);
            chosen.push_back(item.integer(0, most_tetrahedra));
            continue;
        }
        const auto ends = item.items("a number, or a run [first, last]", 2);
        if (ends.size() != 2)
            item.fail_value("a number, or a run [first, last]");
        const auto first = ends[0].integer(0, most_tetrahedra);
        const auto last = ends[1].integer(first, most_tetrahedra);
        need_room(last - first + 1);
        for (auto t = first; t <= last; ++t)
            chosen.push_back(t);
    }
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return {std::move(chosen)};
}

Json tetrahedra_json(std::vector<std::int64_t> list)
{
    std::sort(list.begin(), list.end());
    Json out = Json::array();
    for (std::size_t i = 0; i < list.size();) {
        std::size_t j = i;
        while (j + 1 < list.size() && list[j + 1] == list[j] + 1)
            ++j;
        if (j >= i + 2) {
            out.push_back({list[i], list[j]});
        } else {
            for (auto k = i; k <= j; ++k)
                out.push_back(list[k]);
        }
        i = j + 1;
    }
    return out;
}

TorsoFrame frame_of(const JsonNode& n)
{
    n.only({"origin_mm", "left", "posterior", "superior", "scale"});
    TorsoFrame f;
    f.origin_mm = n.at("origin_mm", "the centre of the ventricles, [x, y, z] in mm").point();
    const char* axis = "a direction, [x, y, z]";
    struct
    {
        const char* key;
        Vec3 TorsoFrame::*value;
    } axes[]{{"left", &TorsoFrame::left},
             {"posterior", &TorsoFrame::posterior},
             {"superior", &TorsoFrame::superior}};
    for (const auto& a : axes) {
        const auto at = n.at(a.key, axis);
        const Vec3 v = at.point(axis);
        if (!(norm(v) > 1e-9))
            at.fail_value("a direction of some length");
        f.*a.value = (1 / norm(v)) * v;
    }
    if (std::abs(dot(f.left, f.posterior)) > 1e-3 || std::abs(dot(f.left, f.superior)) > 1e-3 ||
        std::abs(dot(f.posterior, f.superior)) > 1e-3)
        n.fail("has axes that are not at right angles to each other");
    if (const auto s = n.find("scale"))
        f.scale = s->within(0.01, 100, "");
    return f;
}

std::string name_of(const JsonNode& n, std::set<std::string>& taken)
{
    const auto text = n.text();
    if (text.empty() ||
        std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 32 || c == '"'; }))
        n.fail_value("a name without quotes and line breaks");
    if (!taken.insert(text).second)
        n.fail_value("a name that no other one in this list has");
    return text;
}

} // namespace

Json json_number(double v)
{
    if (std::floor(v) == v && std::abs(v) < 1e15)
        return static_cast<std::int64_t>(v);
    return v;
}

Json json_point(const Vec3& p)
{
    return Json::array({json_number(p[0]), json_number(p[1]), json_number(p[2])});
}

std::vector<std::int32_t> labels_of(const JsonNode& n, bool all_allowed)
{
    const std::string should = all_allowed ? "a region label, a list of them, or \"*\""
                                           : "a region label or a list of them";
    const auto one = [](const JsonNode& x) {
        return static_cast<std::int32_t>(x.integer(std::numeric_limits<std::int32_t>::min(),
                                                   std::numeric_limits<std::int32_t>::max()));
    };
    if (all_allowed && n.is_text() && n.text() == "*")
        return {};
    if (n.is_number())
        return {one(n)};
    std::vector<std::int32_t> out;
    for (const auto& x : n.items(should, 1))
        out.push_back(one(x));
    return out;
}

Box box_of(const JsonNode& n)
{
    const char* should = "two corners in mm, [[x, y, z], [x, y, z]]";
    const auto corners = n.items(should, 2);
    if (corners.size() != 2)
        n.fail_value(should);
    const Box b{corners[0].point(), corners[1].point()};
    for (std::size_t k = 0; k < 3; ++k)
        if (!(b.low[k] <= b.high[k]))
            n.fail(std::string("the first corner's ") + "xyz"[k] +
                   " is above the second's; give the low corner first");
    return b;
}

Sphere sphere_of(const JsonNode& n)
{
    n.only({"centre", "radius"});
    return Sphere{n.at("centre", "[x, y, z] in mm").point(),
                  n.at("radius", "a length in mm").positive("mm")};
}

Where where_of(const JsonNode& n)
{
    n.only({"label", "box_mm", "sphere_mm", "layer", "aha_segments", "tetrahedra"});
    if (n.keys().size() != 1)
        n.fail("names " + std::to_string(n.keys().size()) +
               " places; give one of \"label\", \"box_mm\", \"sphere_mm\", \"layer\", "
               "\"aha_segments\" and \"tetrahedra\"");
    if (const auto l = n.find("label"))
        return Label{labels_of(*l, false)};
    if (const auto b = n.find("box_mm"))
        return box_of(*b);
    if (const auto s = n.find("sphere_mm"))
        return sphere_of(*s);
    if (const auto l = n.find("layer"))
        return Layer{static_cast<Layer::Kind>(l->word({"endo", "mid", "epi"}))};
    if (const auto a = n.find("aha_segments")) {
        Segments out;
        for (const auto& x : a->items("a list of AHA segments, 1 to 17", 1))
            out.segments.push_back(static_cast<int>(x.integer(1, 17)));
        return out;
    }
    return tetrahedra_of(n.at("tetrahedra", ""));
}

Json where_json(const Where& w)
{
    struct Write
    {
        Json operator()(const Label& l) const { return {{"label", labels_json(l.labels)}}; }
        Json operator()(const Box& b) const
        {
            return {{"box_mm", Json::array({json_point(b.low), json_point(b.high)})}};
        }
        Json operator()(const Sphere& s) const
        {
            return {{"sphere_mm",
                     {{"centre", json_point(s.centre)}, {"radius", json_number(s.radius)}}}};
        }
        Json operator()(const Layer& l) const
        {
            constexpr const char* names[]{"endo", "mid", "epi"};
            return {{"layer", names[static_cast<int>(l.kind)]}};
        }
        Json operator()(const Segments& s) const { return {{"aha_segments", s.segments}}; }
        Json operator()(const Tetrahedra& t) const
        {
            return {{"tetrahedra", tetrahedra_json(t.tetrahedra)}};
        }
    };
    return std::visit(Write{}, w);
}

Protocol protocol_of(const JsonNode& n, double duration_ms)
{
    n.only({"kind", "cycle_ms", "count", "extra_ms", "decrement_ms", "repeats", "pause_ms"});
    Protocol p;
    p.kind =
        static_cast<Protocol::Kind>(n.at("kind", "\"single\", \"train\", \"s1s2\" or \"burst\"")
                                        .word({"single", "train", "s1s2", "burst"}));
    const bool train = p.kind == Protocol::Kind::train, s1s2 = p.kind == Protocol::Kind::s1s2;
    const auto longer = [&](const JsonNode& x) {
        const double v = x.positive("ms");
        if (v <= duration_ms)
            x.fail_value("longer than the pulse (duration_ms)");
        return v;
    };
    if (p.kind == Protocol::Kind::single) {
        n.only({"kind"});
        return p;
    }
    p.cycle_ms = longer(n.at("cycle_ms", "the time between two pulses in ms"));
    if (const auto c = n.find("count"))
        p.count = static_cast<int>(c->integer(train ? 0 : 1, most_pulses));
    if (train) {
        n.only({"kind", "cycle_ms", "count"});
        return p;
    }
    if (s1s2)
        for (const auto& x : n.at("extra_ms", "the coupling intervals of S2, S3, .. in ms")
                                 .items("a list of at least one interval in ms", 1))
            p.extra_ms.push_back(longer(x));
    else if (const auto extra = n.find("extra_ms"))
        extra->fail_exclusive("is for kind \"s1s2\" alone; leave it out");
    if (const auto d = n.find("decrement_ms"))
        p.decrement_ms = d->not_negative("ms");
    if (const auto r = n.find("repeats"))
        p.repeats = static_cast<int>(r->integer(1, most_pulses));
    if (const auto pause = n.find("pause_ms"))
        p.pause_ms = longer(*pause);
    return p;
}

Json protocol_json(const Protocol& p)
{
    constexpr const char* names[]{"single", "train", "s1s2", "burst"};
    Json out{{"kind", names[static_cast<int>(p.kind)]}};
    if (p.kind == Protocol::Kind::single)
        return out;
    out["cycle_ms"] = json_number(p.cycle_ms);
    out["count"] = p.count;
    if (p.kind == Protocol::Kind::train)
        return out;
    if (p.kind == Protocol::Kind::s1s2) {
        out["extra_ms"] = Json::array();
        for (double x : p.extra_ms)
            out["extra_ms"].push_back(json_number(x));
    }
    out["decrement_ms"] = json_number(p.decrement_ms);
    out["repeats"] = p.repeats;
    out["pause_ms"] = json_number(p.pause_ms);
    return out;
}

std::vector<std::pair<std::string, double>> factors_of(const JsonNode& n)
{
    std::vector<std::pair<std::string, double>> out;
    for (const auto& key : n.keys())
        out.emplace_back(key, n.at(key, "").within(0, 1000, ""));
    return out;
}

std::vector<Drug> drugs_of(const JsonNode& n)
{
    std::vector<Drug> out;
    std::set<std::string> names;
    for (const auto& d : n.items("a list of drugs")) {
        d.only({"name", "factors"});
        Drug drug;
        drug.name = name_of(d.at("name", "the drug's name"), names);
        drug.factors = factors_of(d.at("factors", "factors, e.g. {\"g_Kr\": 0.5}"));
        out.push_back(std::move(drug));
    }
    return out;
}

void check_factor_names(const JsonNode& n, const Session& s)
{
    const auto check = [&](const JsonNode& owner, const char* key) {
        if (const auto factors = owner.find(key))
            for (const auto& name : factors->keys())
                need_factor_name(name, s.regions, n.file(), factors->at(name, "").pointer());
    };
    for (const auto& region : n.at("tissue", "").at("regions", "").items(""))
        check(region, "scale");
    if (const auto drugs = n.find("drugs"))
        for (const auto& drug : drugs->items(""))
            check(drug, "factors");
}

Json drugs_json(const std::vector<Drug>& drugs)
{
    Json out = Json::array();
    for (const auto& d : drugs) {
        Json factors = Json::object();
        for (const auto& [name, f] : d.factors)
            factors[name] = json_number(f);
        out.push_back({{"name", d.name}, {"factors", factors}});
    }
    return out;
}

void read_ecg(const JsonNode& n, Session& s)
{
    n.only({"electrodes", "leads", "conductor", "frame", "every_ms", "bath_conductivity_S_per_m",
            "source_conductivity_S_per_m"});
    std::set<std::string> electrodes;
    if (const auto list = n.find("electrodes"))
        for (const auto& e : list->items("a list of electrodes")) {
            e.only({"name", "position_mm"});
            Electrode x;
            x.name = name_of(e.at("name", "the electrode's name"), electrodes);
            x.position_mm = e.at("position_mm", "[x, y, z] in mm").point();
            s.electrodes.push_back(std::move(x));
        }
    if (const auto frame = n.find("frame"))
        s.leads.frame = frame_of(*frame);
    if (const auto leads = n.find("leads")) {
        if (leads->is_text()) {
            s.leads.kind =
                leads->word({"none", "twelve_lead"}) ? Leads::Kind::twelve_lead : Leads::Kind::none;
        } else {
            s.leads.kind = Leads::Kind::list;
            std::set<std::string> names{"time_ms"};
            for (const auto& l : leads->items("\"none\", \"twelve_lead\" or a list of leads", 1)) {
                l.only({"name", "weights"});
                Lead lead;
                lead.name = name_of(l.at("name", "the lead's name"), names);
                const auto weights = l.at("weights", "e.g. {\"LA\": 1, \"RA\": -1}");
                for (const auto& key : weights.keys()) {
                    const auto at = weights.at(key, "");
                    if (!electrodes.count(key))
                        at.fail("names no electrode of \"electrodes\"" +
                                hint(key, std::vector(electrodes.begin(), electrodes.end())));
                    lead.weights.emplace_back(key, at.number());
                }
                if (lead.weights.empty())
                    weights.fail("is empty; give weights of electrodes, e.g. {\"LA\": 1}");
                s.leads.list.push_back(std::move(lead));
            }
        }
    }
    if (const auto x = n.find("every_ms"))
        s.ecg_every_ms = x->positive("ms");
    if (const auto x = n.find("bath_conductivity_S_per_m"))
        s.bath_conductivity_S_per_m = x->positive("S/m");
    if (const auto x = n.find("conductor"))
        s.leads.conductor = std::array{Leads::Conductor::torso, Leads::Conductor::unbounded}
            [x->word({"torso", "unbounded"})];
    if (const auto x = n.find("source_conductivity_S_per_m"); x && x->is_text())
        s.source_conductivity_S_per_m =
            std::array{source_of_tissue, source_intracellular}[x->word({"tissue", "intracellular"})];
    else if (x) {
        x->only({"fibre", "sheet", "normal"});
        const auto of = [&](const char* direction) {
            return x->at(direction, "the conductivity in S/m").positive("S/m");
        };
        s.source_conductivity_S_per_m = {of("fibre"), of("sheet"), of("normal")};
    }
}

Json ecg_json(const Session& s)
{
    Json out;
    if (const auto& c = s.source_conductivity_S_per_m)
        out["source_conductivity_S_per_m"] = {{"fibre", json_number(c->fibre)},
                                              {"sheet", json_number(c->sheet)},
                                              {"normal", json_number(c->normal)}};
    if (!s.has_ecg())
        return out;
    out["electrodes"] = Json::array();
    for (const auto& e : s.electrodes)
        out["electrodes"].push_back({{"name", e.name}, {"position_mm", json_point(e.position_mm)}});
    if (s.leads.kind == Leads::Kind::list) {
        out["leads"] = Json::array();
        for (const auto& l : s.leads.list) {
            Json weights = Json::object();
            for (const auto& [name, w] : l.weights)
                weights[name] = json_number(w);
            out["leads"].push_back({{"name", l.name}, {"weights", weights}});
        }
    } else {
        out["leads"] = s.leads.kind == Leads::Kind::twelve_lead ? "twelve_lead" : "none";
    }
    if (s.leads.conductor != Leads::Conductor::usual)
        out["conductor"] = s.leads.conductor == Leads::Conductor::torso ? "torso" : "unbounded";
    if (const auto& f = s.leads.frame)
        out["frame"] = {{"origin_mm", json_point(f->origin_mm)},
                        {"left", json_point(f->left)},
                        {"posterior", json_point(f->posterior)},
                        {"superior", json_point(f->superior)},
                        {"scale", json_number(f->scale)}};
    out["every_ms"] = json_number(s.ecg_every_ms);
    out["bath_conductivity_S_per_m"] = json_number(s.bath_conductivity_S_per_m);
    return out;
}

} // namespace tawara::simulation
