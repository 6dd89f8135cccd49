// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/wave_age.hpp"

#include <algorithm>
#include <vector>

namespace tawara::analysis {
namespace {

/// The newest activation of a place, and when its wave began [ms].
struct Newest
{
    static constexpr float never_ms = -1e30F;
    float time_ms = never_ms, begun_ms = 0;
};

class Waves
{
  public:
    Waves(std::size_t places, const Neighbours& n, double cycle_ms)
        : n_(n), cycle_ms_(static_cast<float>(cycle_ms)), newest_(places)
    {
    }

    /// @return when the wave that activates the place began [ms]
    float activate(const Activation& a)
    {
        Newest from;
        auto& here = newest_[static_cast<std::size_t>(a.place)];
        const float longest_ms = here.time_ms > Newest::never_ms
                                     ? std::min(cycle_ms_, a.time_ms - here.time_ms) / 2
                                     : cycle_ms_ / 2;
        const auto near_enough = [&] { return from.time_ms >= a.time_ms - longest_ms; };
        look_around(a.place, from);
        if (!near_enough())
            each_neighbour(a.place, [&](std::int32_t q) { look_around(q, from, a.place); });
        here = {a.time_ms, near_enough() ? from.begun_ms : a.time_ms};
        return here.begun_ms;
    }

  private:
    template <class F>
    void each_neighbour(std::int32_t place, F f) const
    {
        const auto p = static_cast<std::size_t>(place);
        for (auto k = n_.first[p]; k < n_.first[p + 1]; ++k)
            f(n_.place[static_cast<std::size_t>(k)]);
    }
    void look_around(std::int32_t place, Newest& from, std::int32_t except = -1) const
    {
        each_neighbour(place, [&](std::int32_t q) {
            if (const auto& there = newest_[static_cast<std::size_t>(q)];
                q != except && there.time_ms > from.time_ms)
                from = there;
        });
    }

    Neighbours n_;
    float cycle_ms_;
    std::vector<Newest> newest_;
};

} // namespace

double share_of_old_waves(const ActivatedPlaces& of, const Neighbours& n, double cycle_ms,
                          double before_ms)
{
    std::vector<Activation> events(of.activations.begin(), of.activations.end());
    std::stable_sort(events.begin(), events.end(),
                     [](const auto& a, const auto& b) { return a.time_ms < b.time_ms; });
    if (events.empty())
        return 0;
    Waves waves(of.volume.size(), n, cycle_ms);
    const double last_cycle = static_cast<double>(events.back().time_ms) - cycle_ms;
    double all = 0, old = 0;
    for (const auto& e : events) {
        const double begun = static_cast<double>(waves.activate(e));
        if (static_cast<double>(e.time_ms) <= last_cycle)
            continue;
        const double volume = of.volume[static_cast<std::size_t>(e.place)];
        all += volume;
        if (begun < before_ms)
            old += volume;
    }
    return all > 0 ? old / all : 0;
}

} // namespace tawara::analysis
