// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/site_record.hpp"

#include "engine/core/whole_file.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/study/record_text.hpp"

#include <limits>
#include <nlohmann/json.hpp>

namespace tawara::study {
namespace {

using Json = nlohmann::ordered_json;

Outcome outcome_of(const std::string& word)
{
    for (const auto o :
         {Outcome::blocked, Outcome::none, Outcome::focal, Outcome::transient, Outcome::sustained})
        if (word == name(o))
            return o;
    throw Json::other_error::create(501, "'" + word + "' is no outcome of a trial", nullptr);
}

Json of_search(const SearchResult& r, int exit_segment)
{
    return {{"inducible", r.worst.outcome == Outcome::sustained ? 1 : 0},
            {"shortest_captured_ms", r.shortest_ms},
            {"trials", r.trials},
            {"exit_segment", exit_segment},
            {"worst", to_json(r.worst)}};
}

/// Of the extrastimuli of one trial.
std::vector<double> extras_of(const Json& o)
{
    auto out = o.get<std::vector<double>>();
    if (out.size() > Induction::most_extra)
        no_record("more extrastimuli than a study has");
    return out;
}

SearchResult search_of(const Json& o)
{
    return {extras_of(o.at("shortest_captured_ms")), trial_of(o.at("worst")),
            whole_number<std::size_t>(o.at("trials"), std::numeric_limits<std::int64_t>::max())};
}

} // namespace

Json to_json(const Trial& t)
{
    Json o{{"couplings_ms", t.couplings_ms}, {"outcome", name(t.outcome)}};
    if (!t.active())
        return o;
    o["duration_ms"] = t.duration_ms;
    o["cycle_length_ms"] = t.reentry.cycle_length_ms;
    o["variability"] = t.reentry.variability;
    o["drift"] = t.reentry.drift;
    o["periods"] = t.reentry.periods;
    o["monomorphic"] = t.reentry.monomorphic;
    o["exit_mm"] = t.reentry.exit_mm;
    o["exit_spread_mm"] = t.reentry.exit_spread_mm;
    if (t.reentry.slow_channel)
        o["slow_channel_mm"] = t.reentry.channel_mm;
    if (!t.core.kind.empty())
        o["core"] = {
            {"kind", t.core.kind}, {"place_mm", t.core.place_mm}, {"spread_mm", t.core.spread_mm}};
    return o;
}

Trial trial_of(const Json& o)
{
    Trial t;
    t.couplings_ms = extras_of(o.at("couplings_ms"));
    t.outcome = outcome_of(o.at("outcome").get<std::string>());
    if (!o.contains("duration_ms"))
        return t;
    t.duration_ms = o.at("duration_ms").get<double>();
    auto& r = t.reentry;
    r.cycle_length_ms = o.at("cycle_length_ms").get<double>();
    r.variability = o.at("variability").get<double>();
    if (o.contains("drift")) // older programs did not look at it
        r.drift = o["drift"].get<double>();
    r.periods = whole_number(o.at("periods"), std::numeric_limits<int>::max());
    r.monomorphic = o.at("monomorphic").get<bool>();
    r.exit_mm = o.at("exit_mm").get<Vec3>();
    r.exit_spread_mm = o.at("exit_spread_mm").get<double>();
    r.slow_channel = o.contains("slow_channel_mm");
    if (r.slow_channel)
        r.channel_mm = o.at("slow_channel_mm").get<Vec3>();
    if (o.contains("core"))
        t.core = {o["core"].at("kind").get<std::string>(), o["core"].at("place_mm").get<Vec3>(),
                  o["core"].at("spread_mm").get<double>()};
    return t;
}

Json to_json(const SiteRecord& r)
{
    Json o{{"site", r.site}, {"segment", r.segment}, {"place_mm", r.place_mm}};
    o["before"] = of_search(r.before, r.exit_segment);
    if (r.after)
        o["after"] = of_search(*r.after, r.exit_segment_after);
    return o;
}

SiteRecord site_record(const Json& o)
{
    SiteRecord r;
    r.site = o.at("site").get<std::string>();
    r.segment = whole_number(o.at("segment"), aha_segments);
    r.place_mm = o.at("place_mm").get<Vec3>();
    r.before = search_of(o.at("before"));
    r.exit_segment = whole_number(o.at("before").at("exit_segment"), aha_segments);
    if (o.contains("after")) {
        r.after = search_of(o["after"]);
        r.exit_segment_after = whole_number(o["after"].at("exit_segment"), aha_segments);
    }
    return r;
}

SiteRecord reported_site(const std::filesystem::path& report)
{
    return use_of_record(report, "this is no report of a site that was searched",
                         [](const Json& o) { return site_record(o.at("induction")); });
}

std::string intervals_text(double cycle_ms, const Trial& t)
{
    auto all = t.couplings_ms;
    all.insert(all.begin(), cycle_ms);
    return couplings_text(all);
}

TrialStore::TrialStore(std::filesystem::path file) : file_(std::move(file))
{
    std::error_code none;
    if (!std::filesystem::exists(file_, none))
        return;
    use_of_record(file_,
                  "this is no list of trials; remove the file, and the site is searched anew",
                  [&](const Json& o) {
                      for (const auto& [key, to] :
                           {std::pair("before", &before_), std::pair("after", &after_)})
                          for (const auto& trial : o.at(key)) {
                              auto t = trial_of(trial);
                              to->emplace(t.couplings_ms, std::move(t));
                          }
                  });
}

SiteSearch::Known TrialStore::known(bool with_lesion) const
{
    return with_lesion ? after_ : before_;
}

void TrialStore::add(bool with_lesion, const Trial& t)
{
    (with_lesion ? after_ : before_)[t.couplings_ms] = t;
    Json o{{"before", Json::array()}, {"after", Json::array()}};
    for (const auto& [key, of] : {std::pair("before", &before_), std::pair("after", &after_)})
        for (const auto& [couplings, trial] : *of)
            o[key].push_back(to_json(trial));
    write_whole(file_, [&](std::ostream& out) { out << o.dump(1) << '\n'; });
}

} // namespace tawara::study
