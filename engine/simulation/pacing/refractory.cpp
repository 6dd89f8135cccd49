// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/pacing/refractory.hpp"

#include "engine/simulation/pacing/pulse_log.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <span>
#include <utility>

namespace tawara::simulation {
namespace {

constexpr double hair_ms = 1e-3;

bool searches(const Stimulus& s)
{
    return s.protocol && s.protocol->kind == Protocol::Kind::s1s2 && !s.protocol->extra_ms.empty();
}

/// Values as bytes: those of equal ones are equal.
struct KeyBytes
{
    std::string text;

    void numbers(std::span<const double> list)
    {
        for (double x : list) {
            x += 0.0; // -0 is 0
            text.append(reinterpret_cast<const char*>(&x), sizeof x);
        }
    }
    void numbers(std::initializer_list<double> list) { numbers(std::span(list)); }
    void operator()(const Box& b) { numbers(b.low), numbers(b.high); }
    void operator()(const Sphere& b) { numbers(b.centre), numbers({b.radius}); }
    void operator()(const SurfaceRegion& r) { numbers({static_cast<double>(r.wall)}); }
    void operator()(const Label& l)
    {
        for (auto label : l.labels)
            numbers({static_cast<double>(label)});
    }
    void operator()(const Nodes& n)
    {
        for (auto node : n.nodes)
            numbers({static_cast<double>(node)});
    }
};

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

std::string search_key(const Stimulus& s)
{
    if (!searches(s))
        return {};
    const Protocol& p = *s.protocol; // of extra_ms the last, decrement, repeats and pause aside
    KeyBytes key;
    key.numbers({s.duration_ms, s.amplitude_pA_per_pF, p.cycle_ms, static_cast<double>(p.count),
                 static_cast<double>(p.extra_ms.size())});
    key.numbers(std::span(p.extra_ms).first(p.extra_ms.size() - 1));
    key.numbers({static_cast<double>(s.name.size()), static_cast<double>(s.region.index())});
    key.text += s.name;
    std::visit(key, s.region);
    return std::move(key.text);
}

bool same_search(const Stimulus& a, const Stimulus& b)
{
    const auto key = search_key(a);
    return !key.empty() && key == search_key(b);
}

std::vector<SiteRefractory> refractory(std::span<const Pulse> pulses, double since_ms)
{
    const Captured captured(pulses);
    struct Series
    {
        double newest_ms = 0;
        SiteRefractory of;
    };
    std::vector<Series> all;
    std::map<std::pair<std::string, std::uint64_t>, std::size_t> place_of;
    for (const auto& p : pulses) {
        const double before = p.time_ms - p.coupling_ms;
        if (!p.searches || !p.captured || p.overtaken || !(p.coupling_ms > 0) ||
            before < since_ms - hair_ms || !captured.at(p.site, before) ||
            captured.between(before, p.time_ms))
            continue;
        const auto [at, fresh] = place_of.try_emplace({p.site, p.series}, all.size());
        if (fresh)
            all.push_back({p.time_ms, {p.site, p.protocol, {}}});
        auto& s = all[at->second];
        if (p.time_ms > s.newest_ms)
            s.newest_ms = p.time_ms, s.of.protocol = p.protocol;
        s.of.found.add(p.kind, p.coupling_ms, *p.captured);
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
