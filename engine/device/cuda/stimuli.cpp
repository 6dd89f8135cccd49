// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/stimuli.cuh"

#include <algorithm>

namespace tawara::device::cuda {

std::vector<std::vector<std::int32_t>> slots_of(const std::vector<std::int32_t>& unknowns,
                                                const std::vector<partition::Place>& place,
                                                std::size_t shards)
{
    std::vector<std::vector<std::int32_t>> slots(shards);
    for (auto u : unknowns) {
        const auto& p = place.at(static_cast<std::size_t>(u));
        slots[static_cast<std::size_t>(p.part)].push_back(p.slot);
    }
    return slots;
}

template <class Real>
std::size_t Stimuli<Real>::add(StimulusSource source)
{
    Source s{std::move(source), false, {}};
    const auto slots = slots_of(s.values.unknowns, place_, shards_.size());
    for (std::size_t k = 0; k < shards_.size(); ++k)
        s.slots.push_back(uploaded(slots[k], shards_[k]->main));
    forget();
    for (std::size_t k = 0; k < sources_.size(); ++k)
        if (sources_[k].removed) {
            sources_[k] = std::move(s);
            return k;
        }
    sources_.push_back(std::move(s));
    return sources_.size() - 1;
}

template <class Real>
void Stimuli<Real>::remove(std::size_t id)
{
    auto& s = sources_.at(id);
    s.values = StimulusSource{};
    s.removed = true;
    s.slots.clear();
    s.slots.resize(shards_.size());
    forget();
}

template <class Real>
bool Stimuli<Real>::apply(std::int64_t step, const Exchange<Real>& exchange)
{
    std::vector<double> now;
    for (const auto& s : sources_)
        now.push_back(overlap(s, step));
    if (now == applied_)
        return false;
    applied_ = now;
    const bool several = !exchange.single();
    if (several)
        exchange.synchronize();
    on_ = std::any_of(now.begin(), now.end(), [](double x) { return x != 0; });
    for (std::size_t k = 0; k < shards_.size(); ++k) {
        const auto& s = *shards_[k];
        const Current here(s.device);
        s.clear_stimulus();
        for (std::size_t i = 0; i < sources_.size(); ++i)
            if (now[i] != 0)
                add_current(s.main, s.stimulus.data(), s.driven.data(), sources_[i].slots[k].data(),
                            static_cast<std::int64_t>(sources_[i].slots[k].size()),
                            static_cast<Real>(now[i] * sources_[i].values.amplitude_pA_per_pF));
    }
    if (several)
        exchange.synchronize();
    return true;
}

template <class Real>
std::int64_t Stimuli<Real>::steady(std::int64_t step, std::int64_t most) const
{
    const double now = static_cast<double>(step) * dt_ms_;
    if (std::all_of(sources_.begin(), sources_.end(),
                    [&](const auto& s) { return s.values.over(now); }))
        return most;
    for (std::int64_t n = 1; n < most; ++n)
        for (std::size_t k = 0; k < sources_.size(); ++k)
            if (overlap(sources_[k], step + n) != applied_[k])
                return n;
    return most;
}

template class Stimuli<double>;
template class Stimuli<float>;

} // namespace tawara::device::cuda
