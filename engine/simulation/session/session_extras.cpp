// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/session/session_extras.hpp"

#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"
#include "engine/simulation/session/presets.hpp"
#include "engine/simulation/session/session_bounds.hpp"
#include "engine/simulation/session/session_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace tawara::simulation {
namespace {

constexpr std::int64_t most_tetrahedra = std::numeric_limits<std::int32_t>::max();

Json labels_json(const std::vector<std::int32_t>& list)
{
    return list.size() == 1 ? Json(list[0]) : Json(list);
}

std::vector<std::string_view> layers()
{
    return session_key("/tissue/regions/#/where/layer").words_list();
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
        const std::size_t before = chosen.size();
        chosen.resize(before + static_cast<std::size_t>(last - first + 1));
        std::iota(chosen.begin() + static_cast<std::ptrdiff_t>(before), chosen.end(), first);
    }
    const bool ascending =
        std::adjacent_find(chosen.begin(), chosen.end(), std::greater_equal<>()) == chosen.end();
    if (!ascending) {
        std::sort(chosen.begin(), chosen.end());
        chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    }
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
    only_keys(n, "/ecg/frame");
    TorsoFrame f;
    f.origin_mm = need_key(n, "/ecg/frame/origin_mm").point();
    const std::pair<const char*, Vec3*> axes[]{{"/ecg/frame/left", &f.left},
                                               {"/ecg/frame/posterior", &f.posterior},
                                               {"/ecg/frame/superior", &f.superior}};
    for (const auto& [key, axis] : axes) {
        const auto at = need_key(n, key);
        const Vec3 v = at.point(session_key(key).also.needed);
        if (!(norm(v) > 1e-9))
            at.fail_value("a direction of some length");
        *axis = (1 / norm(v)) * v;
    }
    if (std::abs(dot(f.left, f.posterior)) > 1e-3 || std::abs(dot(f.left, f.superior)) > 1e-3 ||
        std::abs(dot(f.posterior, f.superior)) > 1e-3)
        n.fail("has axes that are not at right angles to each other");
    read_keys(n, "/ecg/frame", f);
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

Vec3 principal(const JsonNode& n)
{
    n.only({"fibre", "sheet", "normal"});
    const auto of = [&](const char* direction) {
        return n.at(direction, "the conductivity in S/m").positive("S/m");
    };
    return {of("fibre"), of("sheet"), of("normal")};
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

Sphere sphere_of(const JsonNode& n, std::string_view object)
{
    only_keys(n, object);
    Sphere s{need_key(n, std::string(object) + "/centre").point()};
    read_keys(n, object, s);
    return s;
}

Json sphere_json(const Sphere& s)
{
    return write_keys("/tissue/regions/#/where/sphere_mm", s, {{"centre", json_point(s.centre)}});
}

Where where_of(const JsonNode& n)
{
    only_keys(n, "/tissue/regions/#/where");
    if (n.keys().size() != 1)
        n.fail("names " + std::to_string(n.keys().size()) +
               " places; give one of \"label\", \"box_mm\", \"sphere_mm\", \"layer\", "
               "\"aha_segments\" and \"tetrahedra\"");
    if (const auto l = n.find("label"))
        return Label{labels_of(*l, false)};
    if (const auto b = n.find("box_mm"))
        return box_of(*b);
    if (const auto s = n.find("sphere_mm"))
        return sphere_of(*s, "/tissue/regions/#/where/sphere_mm");
    if (const auto l = n.find("layer"))
        return Layer{static_cast<Layer::Kind>(l->word(layers()))};
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
        Json operator()(const Sphere& s) const { return {{"sphere_mm", sphere_json(s)}}; }
        Json operator()(const Layer& l) const
        {
            return {{"layer", layers()[static_cast<std::size_t>(l.kind)]}};
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
    using Kind = Protocol::Kind;
    only_keys(n, "/stimuli/#/protocol");
    Protocol p;
    read_key(n, "/stimuli/#/protocol/kind", p);
    if (p.kind == Kind::single) {
        n.only({"kind"});
        return p;
    }
    if (const auto count = n.find("count"); count && p.kind != Kind::train)
        count->integer(1, Protocol::most_pulses);
    read_keys(n, "/stimuli/#/protocol", p);
    const auto need_longer = [&](const JsonNode& x, double ms) {
        if (ms <= duration_ms)
            x.fail_value("longer than the pulse (duration_ms)");
        return ms;
    };
    need_longer(*n.find("cycle_ms"), p.cycle_ms);
    if (p.kind == Kind::train) {
        n.only({"kind", "cycle_ms", "count"});
        return p;
    }
    if (p.kind == Kind::s1s2)
        for (const auto& x : need_key(n, "/stimuli/#/protocol/extra_ms")
                                 .items("a list of at least one interval in ms", 1))
            p.extra_ms.push_back(need_longer(x, x.positive("ms")));
    else if (const auto extra = n.find("extra_ms"))
        extra->fail_exclusive("is for kind \"s1s2\" alone; leave it out");
    if (const auto pause = n.find("pause_ms"))
        need_longer(*pause, p.pause_ms);
    return p;
}

Json protocol_json(const Protocol& p)
{
    using Kind = Protocol::Kind;
    Json extra = Json::array();
    for (double x : p.extra_ms)
        extra.push_back(json_number(x));
    Json out = write_keys("/stimuli/#/protocol", p, {{"extra_ms", extra}});
    if (p.kind != Kind::s1s2)
        out.erase("extra_ms");
    if (p.kind == Kind::single)
        return {{"kind", out["kind"]}};
    if (p.kind == Kind::train)
        return {{"kind", out["kind"]}, {"cycle_ms", out["cycle_ms"]}, {"count", out["count"]}};
    return out;
}

std::vector<std::pair<std::string, double>> factors_of(const JsonNode& n)
{
    std::vector<std::pair<std::string, double>> out;
    for (const auto& key : n.keys())
        out.emplace_back(key, key_number(n.at(key, ""), session_key("/drugs/#/factors/#")));
    return out;
}

std::vector<Drug> drugs_of(const JsonNode& n)
{
    std::vector<Drug> out;
    std::set<std::string> names;
    for (const auto& d : n.items("a list of drugs")) {
        only_keys(d, "/drugs/#");
        Drug drug;
        drug.name = name_of(need_key(d, "/drugs/#/name"), names);
        drug.factors = factors_of(need_key(d, "/drugs/#/factors"));
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
    only_keys(n, "/ecg");
    std::set<std::string> electrodes;
    if (const auto list = n.find("electrodes"))
        for (const auto& e : key_items(*list, "/ecg/electrodes", "a list of electrodes")) {
            only_keys(e, "/ecg/electrodes/#");
            Electrode x;
            x.name = name_of(need_key(e, "/ecg/electrodes/#/name"), electrodes);
            x.position_mm = need_key(e, "/ecg/electrodes/#/position_mm").point();
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
            for (const auto& l : key_items(*leads, "/ecg/leads",
                                           "\"none\", \"twelve_lead\" or a list of leads", 1)) {
                only_keys(l, "/ecg/leads/#");
                Lead lead;
                lead.name = name_of(need_key(l, "/ecg/leads/#/name"), names);
                const auto weights = need_key(l, "/ecg/leads/#/weights");
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
    read_keys(n, "/ecg", s);
    if (const auto x = n.find("source_conductivity_S_per_m"); x && x->is_text())
        s.source_conductivity_S_per_m = std::array{
            source_of_tissue, source_intracellular}[x->word({"tissue", "intracellular"})];
    else if (x) {
        const Vec3 sigma = principal(*x);
        s.source_conductivity_S_per_m = {sigma[0], sigma[1], sigma[2]};
    }
}

Json ecg_json(const Session& s)
{
    Json out = Json::object();
    if (const auto& c = s.source_conductivity_S_per_m)
        out["source_conductivity_S_per_m"] =
            write_keys("/tissue/regions/#/conductivity_S_per_m", *c);
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
    if (const auto& f = s.leads.frame)
        out["frame"] = write_keys("/ecg/frame", *f,
                                  {{"origin_mm", json_point(f->origin_mm)},
                                   {"left", json_point(f->left)},
                                   {"posterior", json_point(f->posterior)},
                                   {"superior", json_point(f->superior)}});
    return write_keys("/ecg", s, std::move(out));
}

} // namespace tawara::simulation
