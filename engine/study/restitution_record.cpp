// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/restitution_record.hpp"

#include "engine/core/whole_file.hpp"
#include "engine/study/record_text.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <unordered_map>

namespace tawara::study {
namespace {

using Json = nlohmann::ordered_json;

/// Numbers of a beat that may be unknown, by their names.
constexpr std::pair<const char*, double RestitutionBeat::*> numbers[]{
    {"diastolic_ms", &RestitutionBeat::diastolic_ms},
    {"apd90_ms", &RestitutionBeat::apd90_ms},
    {"apd50_ms", &RestitutionBeat::apd50_ms},
    {"delay_ms", &RestitutionBeat::delay_ms},
    {"velocity_m_per_s", &RestitutionBeat::velocity_m_per_s},
    {"first_diastolic_ms", &RestitutionBeat::first_diastolic_ms}};

/// Slope of the line that is nearest to these points.
double least_squares(std::span<const std::pair<double, double>> p, double& mean_x)
{
    const auto n = static_cast<double>(p.size());
    double x = 0, y = 0, xx = 0, xy = 0;
    for (const auto& [a, b] : p)
        x += a / n, y += b / n;
    for (const auto& [a, b] : p)
        xx += (a - x) * (a - x), xy += (a - x) * (b - y);
    mean_x = x;
    return xy / xx;
}

/// The steepest window.
std::pair<double, double> steepest(const RestitutionCurve& slopes)
{
    std::pair out{RestitutionBeat::unknown, RestitutionBeat::unknown};
    for (const auto& s : slopes)
        if (std::isnan(out.second) || s.second > out.second)
            out = s;
    return out;
}

/// Where slopes fall to `level`, as the diastolic interval grows, for the last time.
double falls_to(const RestitutionCurve& slopes, double level)
{
    double out = RestitutionBeat::unknown;
    for (std::size_t k = 1; k < slopes.size(); ++k) {
        const auto [x0, s0] = slopes[k - 1];
        const auto [x1, s1] = slopes[k];
        if (s0 >= level && s1 < level)
            out = x0 + (x1 - x0) * (s0 - level) / (s0 - s1);
    }
    return out;
}

} // namespace

Json to_json(const RestitutionBeat& b)
{
    Json o{{"interval_ms", b.interval_ms},
           {"beat", b.beat},
           {"probe", b.probe},
           {"captured", b.captured}};
    for (const auto& [key, of] : numbers)
        if (std::isfinite(b.*of))
            o[key] = b.*of;
    return o;
}

RestitutionBeat restitution_beat(const Json& o)
{
    RestitutionBeat b;
    b.interval_ms = o.at("interval_ms").get<double>();
    b.beat = whole_number(o.at("beat"), std::numeric_limits<int>::max());
    b.probe = o.at("probe").get<std::string>();
    b.captured = o.at("captured").get<bool>();
    for (const auto& [key, to] : numbers)
        if (o.contains(key))
            b.*to = o[key].get<double>();
    return b;
}

RestitutionCurve sliding_slopes(RestitutionCurve points, double window_ms)
{
    constexpr std::ptrdiff_t least_points = 3;
    constexpr double hair_ms = 1e-6;
    std::sort(points.begin(), points.end());
    RestitutionCurve out;
    const std::size_t step = 1 + (std::max<std::size_t>(points.size(), 1) - 1) / most_windows;
    auto last = points.begin();
    for (std::size_t k = 0; k < points.size(); k += step) {
        const auto first = points.begin() + static_cast<std::ptrdiff_t>(k);
        const auto before = last;
        while (last != points.end() && last->first <= first->first + window_ms + hair_ms)
            ++last;
        if (first != points.begin() && last == before)
            continue; // no point more than the window before
        if (last - first < least_points || (last - 1)->first - first->first < window_ms / 2)
            continue;
        double at = 0;
        const double slope = least_squares({first, last}, at);
        out.emplace_back(at, slope);
    }
    return out;
}

RestitutionCurve apd_curve(std::span<const RestitutionBeat> beats, const std::string& probe)
{
    RestitutionCurve out;
    for (const auto& b : beats)
        if (b.probe == probe && std::isfinite(b.diastolic_ms) && std::isfinite(b.apd90_ms))
            out.emplace_back(b.diastolic_ms, b.apd90_ms);
    return out;
}

RestitutionCurve velocity_curve(std::span<const RestitutionBeat> beats, const std::string& probe)
{
    RestitutionCurve out;
    for (const auto& b : beats)
        if (b.probe == probe && std::isfinite(b.first_diastolic_ms) &&
            std::isfinite(b.velocity_m_per_s))
            out.emplace_back(b.first_diastolic_ms, b.velocity_m_per_s);
    return out;
}

std::vector<std::vector<RestitutionBeat>> by_probe(std::span<const RestitutionBeat> beats)
{
    std::vector<std::vector<RestitutionBeat>> out;
    std::unordered_map<std::string, std::size_t> at;
    for (const auto& b : beats) {
        const auto [probe, fresh] = at.try_emplace(b.probe, out.size());
        if (fresh)
            out.emplace_back();
        out[probe->second].push_back(b);
    }
    return out;
}

RestitutionSummary summary_of(std::span<const RestitutionBeat> beats, const std::string& probe)
{
    RestitutionSummary s;
    std::set<double> lost; // intervals
    const RestitutionBeat* before = nullptr;
    for (const auto& b : beats) {
        if (b.probe != probe)
            continue;
        ++(b.captured ? s.beats : s.lost);
        if (!b.captured)
            lost.insert(b.interval_ms), s.block_ms = std::fmax(s.block_ms, b.interval_ms);
        if (before != nullptr && before->interval_ms == b.interval_ms)
            if (const double change = std::abs(b.apd90_ms - before->apd90_ms);
                change > s.alternans_ms || (std::isnan(s.alternans_ms) && std::isfinite(change)))
                s.alternans_ms = change, s.alternans_at_ms = b.interval_ms;
        before = &b;
    }
    for (const auto& b : beats)
        if (b.probe == probe && !lost.contains(b.interval_ms))
            s.shortest_ms = std::fmin(s.shortest_ms, b.interval_ms);
    const auto slopes = sliding_slopes(apd_curve(beats, probe));
    std::tie(s.slope_at_ms, s.slope) = steepest(slopes);
    s.slope_1_ms = falls_to(slopes, 1);
    constexpr double per_ms = 100;
    s.velocity_slope = per_ms * steepest(sliding_slopes(velocity_curve(beats, probe))).second;
    return s;
}

Json to_json(const RestitutionSummary& s)
{
    Json o{{"beats", s.beats}, {"lost", s.lost}};
    for (const auto& [key, x] : {std::pair("shortest_ms", s.shortest_ms),
                                 {"block_ms", s.block_ms},
                                 {"slope", s.slope},
                                 {"slope_at_diastolic_ms", s.slope_at_ms},
                                 {"diastolic_at_slope_1_ms", s.slope_1_ms},
                                 {"velocity_slope_m_per_s_per_100_ms", s.velocity_slope},
                                 {"alternans_ms", s.alternans_ms},
                                 {"alternans_at_ms", s.alternans_at_ms}})
        if (std::isfinite(x))
            o[key] = x;
    return o;
}

RestitutionStore::RestitutionStore(std::filesystem::path file) : file_(std::move(file))
{
    std::error_code none;
    if (!std::filesystem::exists(file_, none))
        return;
    use_of_record(file_,
                  "this is no list of beats; remove the file, and the beats are measured anew",
                  [&](const Json& all) {
                      for (const auto& b : all)
                          beats_.push_back(restitution_beat(b));
                  });
}

bool RestitutionStore::has(double interval_ms) const
{
    return std::any_of(beats_.begin(), beats_.end(),
                       [&](const auto& b) { return b.interval_ms == interval_ms; });
}

void RestitutionStore::add(std::span<const RestitutionBeat> beats)
{
    beats_.insert(beats_.end(), beats.begin(), beats.end());
    Json all = Json::array();
    for (const auto& b : beats_)
        all.push_back(to_json(b));
    write_whole(file_, [&](std::ostream& out) { out << all.dump(1) << '\n'; });
}

void RestitutionStore::keep_only(std::span<const double> intervals_ms)
{
    std::erase_if(beats_, [&](const auto& b) {
        return std::find(intervals_ms.begin(), intervals_ms.end(), b.interval_ms) ==
               intervals_ms.end();
    });
}

} // namespace tawara::study
