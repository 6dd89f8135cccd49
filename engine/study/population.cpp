// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/population.hpp"

#include "engine/core/error.hpp"
#include "engine/core/random.hpp"
#include "engine/study/study_keys.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace tawara::study {
namespace {

using PopulationJson = nlohmann::ordered_json;

constexpr double largest_factor = 1000;

/// Purposes of random numbers.
enum Stream : std::uint16_t { of_value = 1, of_order = 2 };

/// Two numbers that ascend.
std::pair<double, double> limits_of(const StudyKeys& keys, const std::string& key,
                                    const PopulationJson& v, double least)
{
    const auto number = [&](std::size_t k) { return v.at(k).get<double>(); };
    if (!v.is_array() || v.size() != 2 || !v[0].is_number() || !v[1].is_number() ||
        !(number(0) < number(1)) || !(number(0) >= least))
        keys.fail(key, v.dump() + " must be two numbers, the smaller one first" +
                           (least >= 0 ? ", from 0 on" : ""));
    return {number(0), number(1)};
}

Vary vary_of(const std::filesystem::path& file, const std::string& parameter,
             const PopulationJson& v)
{
    const StudyKeys o(file, "/population/vary/" + parameter, v,
                      {"range", "log_range", "lognormal_sd"});
    if (v.size() != 1)
        o.fail("", "wants one of range, log_range and lognormal_sd, e.g. {\"range\": [0.5, 2]}");
    Vary out;
    out.parameter = parameter;
    for (const auto& [key, kind] :
         {std::pair("range", Vary::Kind::range), {"log_range", Vary::Kind::log_range}})
        if (o.has(key)) {
            const auto where = std::string("/") + key;
            out.kind = kind;
            std::tie(out.low, out.high) = limits_of(o, where, o[key], 0);
            if (kind == Vary::Kind::log_range && out.low <= 0)
                o.fail(where, "must begin above 0");
            if (out.high > largest_factor)
                o.fail(where, "must end at 1000 or below");
        }
    if (o.has("lognormal_sd")) {
        out.kind = Vary::Kind::lognormal;
        o.number("lognormal_sd", 1e-6, 2, "", out.sd);
    }
    return out;
}

/// FNV-1a, folded to the 40 bits that a place has.
std::uint64_t number_of(const std::string& name)
{
    std::uint64_t h = 14695981039346656037ULL;
    for (const char c : name)
        h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    constexpr int bits = 40;
    return (h ^ h >> bits) & ((std::uint64_t{1} << bits) - 1);
}

double uniform(const Population& p, const Vary& v, std::size_t member, Stream stream)
{
    const auto w = random_words(
        {static_cast<std::uint64_t>(p.seed), member, number_of(v.parameter), stream}, 0);
    return uniform_of(w[0], w[1]);
}

/// Which part of a Latin hypercube each member lies in.
std::vector<std::size_t> parts_of(const Population& p, const Vary& v)
{
    std::vector<std::size_t> out(static_cast<std::size_t>(p.size));
    std::iota(out.begin(), out.end(), std::size_t{0});
    for (std::size_t k = out.size(); k > 1; --k)
        std::swap(
            out[k - 1],
            out[static_cast<std::size_t>(uniform(p, v, k, of_order) * static_cast<double>(k))]);
    return out;
}

double factor_of(const Vary& v, double u)
{
    switch (v.kind) {
    case Vary::Kind::range:
        return v.low + u * (v.high - v.low);
    case Vary::Kind::log_range:
        return v.low * std::pow(v.high / v.low, u);
    case Vary::Kind::lognormal:
        break;
    }
    return std::exp(v.sd * normal_quantile(u));
}

} // namespace

double normal_quantile(double u)
{
    constexpr double widest = 39; // beyond it erfc is 0
    const bool above = u > 0.5;
    const double tail = above ? 1 - u : u; // where erfc is exact
    double low = -widest, high = 0;
    for (double middle = low / 2; middle > low && middle < high; middle = (low + high) / 2)
        (std::erfc(-middle / std::sqrt(2.0)) / 2 < tail ? low : high) = middle;
    return above ? -high : high;
}

std::vector<double> sampled_factors(const Population& p)
{
    const auto size = static_cast<std::size_t>(p.size), count = p.vary.size();
    constexpr double half_bit = 0x1p-54; // so that u is not 0
    std::vector<double> out(size * count);
    for (std::size_t k = 0; k < count; ++k) {
        const auto& v = p.vary[k];
        const auto part = p.latin_hypercube ? parts_of(p, v) : std::vector<std::size_t>();
        for (std::size_t m = 0; m < size; ++m) {
            const double u = uniform(p, v, m, of_value) + half_bit;
            out[m * count + k] = factor_of(v, part.empty() ? u
                                                           : (static_cast<double>(part[m]) + u) /
                                                                 static_cast<double>(size));
        }
    }
    return out;
}

Population read_population(const std::filesystem::path& file, const PopulationJson& o)
{
    const StudyKeys keys(file, "/population", o, {"size", "seed", "sampling", "vary", "calibrate"});
    Population p;
    if (!keys.has("size"))
        keys.fail("/size", "is missing: how many members there are");
    keys.count("size", 1, Population::most, p.size);
    int seed = 1;
    keys.count("seed", 0, std::numeric_limits<int>::max(), seed);
    p.seed = seed;
    if (keys.has("sampling")) {
        const auto& word = keys["sampling"];
        p.latin_hypercube = word == PopulationJson("latin_hypercube");
        if (!p.latin_hypercube && word != PopulationJson("independent"))
            keys.fail("/sampling", word.dump() + " must be latin_hypercube or independent");
    }
    if (!keys.has("vary") || !keys["vary"].is_object() || keys["vary"].empty())
        keys.fail("/vary", "must say what differs: {\"g_Kr\": {\"range\": [0.5, 2]}}");
    for (const auto& [parameter, how] : keys["vary"].items())
        p.vary.push_back(vary_of(file, parameter, how));
    if (p.vary.size() * static_cast<std::size_t>(p.size) > Population::most_factors)
        keys.fail("/vary", "makes more than " + std::to_string(Population::most_factors) +
                               " factors of all members; vary fewer parameters, or draw fewer "
                               "members");
    if (keys.has("calibrate")) {
        const auto& all = keys["calibrate"];
        if (!all.is_object() || all.empty())
            keys.fail("/calibrate", "must be results with two limits each: "
                                    "{\"apd90_ms.median\": [250, 350]}");
        for (const auto& [result, limits] : all.items()) {
            const auto [low, high] = limits_of(keys, "/calibrate/" + result, limits, -INFINITY);
            p.calibrate.push_back({result, low, high});
        }
    }
    p.factors = sampled_factors(p);
    return p;
}

simulation::Drug member_of(const Population& p, std::size_t member)
{
    simulation::Drug out;
    out.name = "member " + std::to_string(member);
    for (std::size_t k = 0; k < p.vary.size(); ++k)
        out.factors.emplace_back(p.vary[k].parameter, p.factors.at(member * p.vary.size() + k));
    return out;
}

std::map<std::string, double> member_results(const Population& p, std::size_t member)
{
    std::map<std::string, double> out;
    for (const auto& [parameter, factor] : member_of(p, member).factors)
        out["population.factor." + parameter] = factor;
    return out;
}

std::string to_text(const Calibration& c)
{
    PopulationJson o = PopulationJson::object();
    for (const auto& l : c)
        o[l.result] = {l.low, l.high};
    return o.dump();
}

Calibration calibration_of(const std::string& text)
{
    Calibration out;
    const auto o = PopulationJson::parse(text);
    for (const auto& [result, limits] : o.items())
        out.push_back({result, limits.at(0).get<double>(), limits.at(1).get<double>()});
    return out;
}

bool within(const Calibration& c, const std::map<std::string, double>& results)
{
    return std::all_of(c.begin(), c.end(), [&](const Limits& l) {
        const auto at = results.find(l.result);
        return at != results.end() && at->second >= l.low && at->second <= l.high;
    });
}

} // namespace tawara::study
