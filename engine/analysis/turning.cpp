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
        if (f.obstacle != c.obstacle || std::find(taken.begin(), taken.end(), &f) != taken.end())
            continue;
        if (c.obstacle >= 0) {
            best = &f;
            break;
        }
        const double d = distance_mm(f.line, c.line);
        if (d < least && d <= reach_mm_ + core_mm_per_ms * (t_ms - f.seen_ms)) {
            least = d;
            best = &f;
        }
    }
    if (best != nullptr)
        taken.push_back(best);
    return best;
}

void TurnWatch::clear()
{
    followed_.clear();
    before_.clear();
    rises_.clear();
}

void TurnWatch::note_rises(double t_ms, std::span<const float> v, float middle_mV)
{
    rises_.resize(v.size());
    for (std::size_t k = 0; k < before_.size(); ++k)
        if (before_[k] < middle_mV && v[k] >= middle_mV && t_ms - rises_[k].last_ms >= blind_ms)
            rises_[k] = {t_ms, rises_[k].last_ms};
    before_.assign(v.begin(), v.end());
}

bool TurnWatch::came_back(const Followed& f, std::span<const std::int32_t> around) const
{
    std::size_t once = 0, twice = 0;
    for (const auto vertex : around) {
        const auto& r = rises_[static_cast<std::size_t>(vertex)];
        once += r.last_ms > f.first_ms ? 1 : 0;
        twice += r.before_ms > f.first_ms ? 1 : 0;
    }
    return 3 * once >= 2 * around.size() && 10 * twice >= around.size() && twice > 0;
}

std::vector<bool> TurnWatch::sample(double t_ms, std::span<const float> v, float middle_mV,
                                    std::span<const Centre> centres)
{
    note_rises(t_ms, v, middle_mV);
    std::erase_if(followed_, [&](const Followed& f) {
        return t_ms < f.seen_ms || t_ms - f.seen_ms > lost_ms;
    });
    std::vector<bool> out;
    std::vector<const Followed*> taken;
    std::vector<Followed> fresh;
    for (const auto& c : centres) {
        auto* f = find(c, t_ms, taken);
        if (f == nullptr) {
            fresh.push_back({c.obstacle, thinned(c.line), t_ms, t_ms});
            out.push_back(false);
            continue;
        }
        f->seen_ms = t_ms;
        f->line = thinned(c.line);
        f->turned = f->turned || came_back(*f, c.around);
        out.push_back(f->turned);
    }
    for (auto& f : fresh)
        followed_.push_back(std::move(f));
    return out;
}

} // namespace tawara::analysis
