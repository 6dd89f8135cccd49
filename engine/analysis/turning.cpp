// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/turning.hpp"

#include <algorithm>
#include <limits>

namespace tawara::analysis {
namespace {

constexpr double core_mm_per_ms = 1; ///< no core moves faster than a wave
constexpr std::size_t most_points = 24;

/// Every so many-th, most_points at most.
template <class T>
std::vector<T> thinned(const std::vector<T>& of)
{
    const std::size_t every = (of.size() + most_points - 1) / most_points;
    std::vector<T> out;
    for (std::size_t k = 0; k < of.size(); k += every)
        out.push_back(of[k]);
    return out;
}

double distance_mm(const std::vector<Vec3>& a, const std::vector<Vec3>& b)
{
    double least = std::numeric_limits<double>::infinity();
    for (const auto& p : a)
        for (const auto& q : b)
            least = std::min(least, norm(p - q));
    return least;
}

} // namespace

TurnWatch::Followed* TurnWatch::find(const Centre& c, double t_ms,
                                     std::vector<const Followed*>& taken)
{
    Followed* best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (auto& f : followed_) {
        if (f.centre.obstacle != c.obstacle ||
            std::find(taken.begin(), taken.end(), &f) != taken.end())
            continue;
        if (c.obstacle >= 0) {
            best = &f;
            break;
        }
        const double d = distance_mm(f.centre.line, c.line);
        if (d < least && d <= reach_mm_ + core_mm_per_ms * (t_ms - f.seen_ms)) {
            least = d;
            best = &f;
        }
    }
    if (best != nullptr)
        taken.push_back(best);
    return best;
}

void TurnWatch::follow(Followed& f, double t_ms, std::span<const float> v, float middle_mV)
{
    std::size_t once = 0, twice = 0;
    for (auto& p : f.places) {
        const float now = v[static_cast<std::size_t>(p.vertex)];
        if (p.before < middle_mV && now >= middle_mV && t_ms - p.rose_ms >= blind_ms) {
            ++p.rises;
            p.rose_ms = t_ms;
        }
        p.before = now;
        once += p.rises >= 1 ? 1 : 0;
        twice += p.rises >= 2 ? 1 : 0;
    }
    if (3 * once >= 2 * f.places.size() && 10 * twice >= f.places.size() && twice > 0)
        f.turned = true;
}

std::vector<bool> TurnWatch::sample(double t_ms, std::span<const float> v, float middle_mV,
                                    std::span<const Centre> centres)
{
    for (auto& f : followed_)
        follow(f, t_ms, v, middle_mV);
    std::erase_if(followed_, [&](const Followed& f) {
        return t_ms < f.seen_ms || t_ms - f.seen_ms > lost_ms;
    });
    std::vector<bool> out;
    std::vector<const Followed*> taken;
    std::vector<Followed> fresh;
    for (const auto& c : centres) {
        if (auto* f = find(c, t_ms, taken)) {
            f->seen_ms = t_ms;
            f->centre.line = thinned(c.line);
            out.push_back(f->turned);
            continue;
        }
        Followed f;
        f.centre = {c.obstacle, thinned(c.line), {}};
        f.seen_ms = t_ms;
        for (const auto vertex : thinned(c.around))
            f.places.push_back({vertex, v[static_cast<std::size_t>(vertex)], 0, -blind_ms});
        fresh.push_back(std::move(f));
        out.push_back(false);
    }
    for (auto& f : fresh)
        followed_.push_back(std::move(f));
    return out;
}

} // namespace tawara::analysis
