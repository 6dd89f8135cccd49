// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/induction.hpp"

#include "engine/core/error.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/study/study_keys.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

namespace tawara::study {
namespace {

using Json = nlohmann::ordered_json;

std::optional<Vec3> point_of(const Json& v)
{
    if (!v.is_array() || v.size() != 3 ||
        !std::all_of(v.begin(), v.end(), [](const Json& x) { return x.is_number(); }))
        return {};
    return Vec3{v[0].get<double>(), v[1].get<double>(), v[2].get<double>()};
}

PacingSite of_segment(int segment)
{
    return {"AHA " + std::to_string(segment), segment, {}};
}

PacingSite site_of(const std::filesystem::path& file, const std::string& at, const Json& v,
                   std::size_t number)
{
    const auto wrong = [&](const std::string& where) -> InputError {
        return {file.string(), where,
                v.dump() + " must be an AHA segment from 1 to 17, [x, y, z] in mm, or {\"name\": "
                           "\"apex\", \"position_mm\": [x, y, z]}"};
    };
    if (v.is_number_integer() && v.get<double>() >= 1 && v.get<double>() <= aha_segments)
        return of_segment(v.get<int>());
    PacingSite s{"site " + std::to_string(number + 1), 0, point_of(v)};
    if (v.is_object()) {
        const StudyKeys o(file, at, v, {"name", "position_mm"});
        if (!o.has("position_mm") || (o.has("name") && !o["name"].is_string()))
            throw wrong(at);
        s.place_mm = point_of(o["position_mm"]);
        if (o.has("name"))
            s.name = o["name"].get<std::string>();
    }
    if (!s.place_mm)
        throw wrong(at);
    return s;
}

std::vector<PacingSite> sites_of(const std::filesystem::path& file, const StudyKeys& keys)
{
    std::vector<PacingSite> out;
    if (!keys.has("sites") || keys["sites"] == Json("aha")) {
        for (int k = 1; k <= aha_segments; ++k)
            out.push_back(of_segment(k));
        return out;
    }
    const auto& list = keys["sites"];
    if (!list.is_array() || list.empty())
        keys.fail("/sites", "must be \"aha\" (all 17 segments) or a list of sites");
    std::set<std::string> names;
    for (std::size_t k = 0; k < list.size(); ++k) {
        const auto at = "/sites/" + std::to_string(k);
        out.push_back(site_of(file, "/induction" + at, list[k], k));
        if (!names.insert(out.back().name).second)
            keys.fail(at, "'" + out.back().name + "' is there twice; give each site once");
    }
    return out;
}

} // namespace

Induction read_induction(const std::filesystem::path& file, const Json& o)
{
    constexpr double longest = 10000;
    const StudyKeys keys(file, "/induction", o,
                         {"sites", "s1", "extra", "first_coupling_ms", "decrement_ms",
                          "shortest_ms", "sustained_ms", "stimulus"});
    Induction out;
    out.sites = sites_of(file, keys);
    if (keys.has("s1")) {
        const StudyKeys s1(file, "/induction/s1", keys["s1"], {"cycle_ms", "count"});
        s1.number("cycle_ms", 50, longest, "ms", out.cycle_ms);
        s1.count("count", 1, 1000, out.count);
    }
    if (keys.has("stimulus")) {
        const StudyKeys s(file, "/induction/stimulus", keys["stimulus"],
                          {"radius_mm", "amplitude_pA_per_pF", "duration_ms"});
        s.number("radius_mm", 0.01, 100, "mm", out.radius_mm);
        s.number("amplitude_pA_per_pF", 0.01, 1e5, "pA/pF", out.amplitude_pA_per_pF);
        s.number("duration_ms", 0.01, 20, "ms", out.duration_ms);
    }
    keys.count("extra", 1, Induction::most_extra, out.extra);
    keys.number("shortest_ms", 1, longest, "ms", out.shortest_ms);
    keys.number("first_coupling_ms", 1, longest, "ms", out.first_coupling_ms);
    keys.number("decrement_ms", 0.1, 1000, "ms", out.decrement_ms);
    keys.number("sustained_ms", 200, 1e6, "ms", out.sustained_ms);
    if (out.first_coupling_ms < out.shortest_ms)
        keys.fail("/first_coupling_ms",
                  "must be at least shortest_ms, " + simulation::number_text(out.shortest_ms, 6));
    if (out.first_coupling_ms > out.cycle_ms)
        keys.fail("/first_coupling_ms",
                  "must be at most s1.cycle_ms, " + simulation::number_text(out.cycle_ms, 6));
    if (out.shortest_ms <= out.duration_ms)
        keys.fail("/shortest_ms", "must be longer than a pulse, " +
                                      simulation::number_text(out.duration_ms, 6) + " ms");
    return out;
}

Ablation read_ablation(const std::filesystem::path& file, const Json& o)
{
    const StudyKeys keys(file, "/ablation", o, {"points_mm", "radius_mm", "depth_mm", "label"});
    Ablation out;
    if (keys.has("label") == keys.has("points_mm"))
        keys.fail("", "wants one of points_mm (a line of points) and label (of the mesh)");
    if (keys.has("label")) {
        if (!keys["label"].is_number_integer())
            keys.fail("/label", keys["label"].dump() + " must be a label of the mesh");
        if (keys.has("radius_mm") || keys.has("depth_mm"))
            keys.fail("", "radius_mm and depth_mm are of points_mm; a label is ablated as it is");
        out.label = keys["label"].get<std::int32_t>();
        return out;
    }
    const auto& points = keys["points_mm"];
    if (!points.is_array() || points.empty())
        keys.fail("/points_mm", "must be a list of at least one point [x, y, z] in mm");
    for (std::size_t k = 0; k < points.size(); ++k) {
        const auto p = point_of(points[k]);
        if (!p)
            keys.fail("/points_mm/" + std::to_string(k),
                      points[k].dump() + " must be [x, y, z] in mm");
        out.points_mm.push_back(*p);
    }
    keys.number("radius_mm", 0.1, 100, "mm", out.radius_mm);
    if (keys.has("depth_mm") && keys["depth_mm"] != Json("transmural")) {
        double depth = 0;
        if (!keys["depth_mm"].is_number())
            keys.fail("/depth_mm",
                      keys["depth_mm"].dump() + " must be \"transmural\" or a depth in mm");
        keys.number("depth_mm", 0.1, 100, "mm", depth);
        out.depth_mm = depth;
    }
    return out;
}

} // namespace tawara::study
