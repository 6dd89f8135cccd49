// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/pacing/refractory.hpp"

#include "engine/simulation/pacing/pulse_log.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation {
namespace {

constexpr double hair_ms = 1e-3;

bool searches(const Stimulus& s)
{
    return s.protocol && s.protocol->kind == Protocol::Kind::s1s2 && !s.protocol->extra_ms.empty();
}

struct Search
{
    double start_ms = 0, coupling_ms = 0;
};
/// The pulses with which its protocol searches, in order of time.
std::vector<Search> searches_of(const Stimulus& s)
{
    std::vector<Search> out;
    if (!searches(s))
        return out;
    const auto block = 1 + s.protocol->extra_ms.size();
    const auto runs = pulse_runs(s);
    for (std::size_t r = block - 1; r < runs.size(); r += block) {
        const auto& before = runs[r - 1];
        out.push_back(
            {runs[r].start_ms, runs[r].start_ms - before.start_ms -
                                   static_cast<double>(before.count - 1) * before.period_ms});
    }
    return out;
}

/// All pulses that captured, by time.
class Captured
{
  public:
    explicit Captured(std::span<const Pulse> pulses)
    {
        for (const auto& p : pulses)
            if (p.captured.value_or(false))
                sorted_.push_back(&p);
        std::sort(sorted_.begin(), sorted_.end(),
                  [](const Pulse* a, const Pulse* b) { return a->time_ms < b->time_ms; });
    }
    /// Whether one of that site did at that time.
    bool at(const std::string& site, double ms) const
    {
        for (auto p = from(ms - hair_ms); p != sorted_.end() && (*p)->time_ms <= ms + hair_ms; ++p)
            if (!(*p)->click && (*p)->site == site)
                return true;
        return false;
    }
    /// Whether any did after the one and before the other.
    bool between(double from_ms, double to_ms) const
    {
        const auto p = from(from_ms + hair_ms);
        return p != sorted_.end() && (*p)->time_ms < to_ms - hair_ms;
    }

  private:
    std::vector<const Pulse*>::const_iterator from(double ms) const
    {
        return std::partition_point(sorted_.begin(), sorted_.end(),
                                    [ms](const Pulse* p) { return p->time_ms < ms; });
    }
    std::vector<const Pulse*> sorted_;
};

} // namespace

void Refractory::add(const std::string& of_kind, double coupling_ms, bool captured)
{
    kind = of_kind;
    if (captured)
        captured_ms = captured_ms > 0 ? std::min(captured_ms, coupling_ms) : coupling_ms;
    else
        failed_ms = std::max(failed_ms, coupling_ms);
}

bool Refractory::contradicts() const
{
    return captured_ms > 0 && failed_ms > 0 && captured_ms <= failed_ms + hair_ms;
}

std::optional<double> Refractory::effective_ms() const
{
    if (captured_ms > 0 && failed_ms > 0 && !contradicts())
        return failed_ms;
    return std::nullopt;
}

std::string searched_kind(const Stimulus& s)
{
    return searches(s) ? "S" + std::to_string(1 + s.protocol->extra_ms.size()) : std::string();
}

std::optional<double> searched_coupling(const Stimulus& s, double time_ms)
{
    for (const auto& search : searches_of(s))
        if (std::fabs(search.start_ms - time_ms) < hair_ms)
            return search.coupling_ms;
    return std::nullopt;
}

bool searches_between(const Stimulus& s, double from_ms, double longer_ms, double shorter_ms)
{
    const auto all = searches_of(s);
    return std::any_of(all.begin(), all.end(), [&](const Search& x) {
        return x.start_ms >= from_ms && x.coupling_ms > longer_ms && x.coupling_ms < shorter_ms;
    });
}

bool same_search(const Stimulus& a, const Stimulus& b)
{
    if (!searches(a) || !searches(b) || a.name != b.name || !(a.region == b.region) ||
        a.duration_ms != b.duration_ms || a.amplitude_pA_per_pF != b.amplitude_pA_per_pF)
        return false;
    const auto settled = [](Protocol p) {
        p.extra_ms.back() = p.decrement_ms = p.pause_ms = 0;
        p.repeats = 1;
        return p;
    };
    return settled(*a.protocol) == settled(*b.protocol);
}

std::vector<SiteRefractory> refractory(std::span<const Pulse> pulses, double since_ms)
{
    const Captured captured(pulses);
    struct Series
    {
        std::uint64_t number = 0;
        double newest_ms = 0;
        SiteRefractory of;
    };
    std::vector<Series> all;
    for (const auto& p : pulses) {
        const double before = p.time_ms - p.coupling_ms;
        if (!p.searches || !p.captured || p.overtaken || !(p.coupling_ms > 0) ||
            before < since_ms - hair_ms || !captured.at(p.site, before) ||
            captured.between(before, p.time_ms))
            continue;
        auto s = std::find_if(all.begin(), all.end(), [&](const Series& x) {
            return x.of.site == p.site && x.number == p.series;
        });
        if (s == all.end())
            s = all.insert(all.end(), {p.series, p.time_ms, {p.site, p.protocol, {}}});
        if (p.time_ms > s->newest_ms)
            s->newest_ms = p.time_ms, s->of.protocol = p.protocol;
        s->of.found.add(p.kind, p.coupling_ms, *p.captured);
    }
    std::vector<SiteRefractory> out;
    for (auto& s : all)
        out.push_back(std::move(s.of));
    return out;
}

std::string refractory_text(const Refractory& r)
{
    const auto at = [](double ms) { return " at " + number_text(ms, 5) + " ms"; };
    if (r.contradicts())
        return "not the same each time (" + r.kind + at(r.captured_ms) + " captured," +
               at(r.failed_ms) + " not)";
    if (const auto period = r.effective_ms())
        return number_text(*period, 5) + " ms (" + r.kind + at(r.captured_ms) + " captured," +
               at(r.failed_ms) + " not)";
    if (r.captured_ms > 0)
        return "below " + number_text(r.captured_ms, 5) + " ms (" + r.kind + at(r.captured_ms) +
               " captured)";
    if (r.failed_ms > 0)
        return number_text(r.failed_ms, 5) + " ms or longer (" + r.kind + at(r.failed_ms) +
               " did not capture)";
    return {};
}

Notices refractory_notices(std::span<const Pulse> pulses, double since_ms)
{
    Notices out;
    for (const auto& s : refractory(pulses, since_ms))
        out.push_back({Notice::Level::info, "site '" + s.site + "': effective refractory period " +
                                                refractory_text(s.found)});
    return out;
}

} // namespace tawara::simulation
