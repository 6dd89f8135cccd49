// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cpu/currents.hpp"

#include <algorithm>

namespace tawara::device::cpu {

Gather to_slots(Gather g, const Layout& layout)
{
    for (auto& u : g.unknown)
        u = layout.new_of.at(static_cast<std::size_t>(u));
    return g;
}

template <class Real>
Currents<Real>::Currents(const Layout& layout, double dt_ms)
    : layout_(layout), dt_ms_(dt_ms), values_(layout.slots(), Real(0))
{
}

template <class Real>
std::size_t Currents<Real>::add(StimulusSource source)
{
    for (auto& u : source.unknowns)
        u = layout_.new_of[static_cast<std::size_t>(u)];
    for (std::size_t k = 0; k < sources_.size(); ++k) // the place of one that was removed
        if (sources_[k].unknowns.empty()) {
            sources_[k] = std::move(source);
            return k;
        }
    sources_.push_back(std::move(source));
    return sources_.size() - 1;
}

template <class Real>
Part& Currents<Real>::add(const Ports& ports, const PartMaker& make)
{
    Joined j{{to_slots(ports.potential, layout_), to_slots(ports.current, layout_)},
             make(-1),
             std::vector<double>(ports.size()),
             std::vector<double>(ports.size())};
    parts_.push_back(std::move(j));
    return *parts_.back().part;
}

template <class Real>
void Currents<Real>::add_current(std::int32_t slot, double value)
{
    auto& sum = values_[static_cast<std::size_t>(slot)];
    sum = static_cast<Real>(static_cast<double>(sum) + value);
    driven_.push_back(slot);
}

template <class Real>
void Currents<Real>::drive(Joined& j, std::int64_t step, const Real* v)
{
    j.part->prepare(step, 1);
    const PortLaw law = j.part->law();
    for (std::size_t k = 0; k < j.v_mV.size(); ++k) {
        j.v_mV[k] = weighted(j.ports.potential, k, v);
        j.current[k] = law.current(k, j.v_mV[k]);
    }
    const auto& g = j.ports.current;
    for (std::size_t k = 0; k < j.current.size(); ++k)
        for (auto i = static_cast<std::size_t>(g.first[k]);
             i < static_cast<std::size_t>(g.first[k + 1]); ++i)
            add_current(g.unknown[i], static_cast<double>(g.weight[i]) * j.current[k]);
}

template <class Real>
void Currents<Real>::advance_parts(std::int64_t step, ThreadPool& pool)
{
    const long long number = step;
    for (auto& j : parts_)
        j.part->advance({j.v_mV.data(), j.current.data(), &number, 0, dt_ms_, nullptr, &pool});
}

template <class Real>
void Currents<Real>::set(std::int64_t step, const Real* v)
{
    for (const auto slot : driven_)
        values_[static_cast<std::size_t>(slot)] = 0;
    driven_.clear();
    const double t_ms = static_cast<double>(step) * dt_ms_;
    for (const auto& s : sources_) {
        const double part = s.unknowns.empty() ? 0 : s.overlap(t_ms, dt_ms_);
        if (part == 0)
            continue;
        const auto value = static_cast<Real>(part * s.amplitude_pA_per_pF);
        for (const auto slot : s.unknowns) {
            values_[static_cast<std::size_t>(slot)] += value;
            driven_.push_back(slot);
        }
    }
    for (auto& j : parts_)
        drive(j, step, v);
}

template <class Real>
std::int64_t Currents<Real>::steady(std::int64_t step, std::int64_t most) const
{
    const auto overlap = [&](const StimulusSource& s, std::int64_t at) {
        return s.overlap(static_cast<double>(at) * dt_ms_, dt_ms_);
    };
    for (std::int64_t n = 1; n < most; ++n)
        for (const auto& s : sources_)
            if (!s.unknowns.empty() && overlap(s, step + n) != overlap(s, step))
                return n;
    return most;
}

template <class Real>
std::vector<std::vector<double>> Currents<Real>::snapshot() const
{
    std::vector<std::vector<double>> out;
    for (const auto& j : parts_)
        out.push_back(j.part->snapshot());
    return out;
}

template <class Real>
void Currents<Real>::restore(const std::vector<std::vector<double>>& parts)
{
    for (std::size_t k = 0; k < parts_.size(); ++k)
        parts_[k].part->restore(parts.at(k));
}

template <class Real>
std::vector<std::size_t> Currents<Real>::sizes() const
{
    std::vector<std::size_t> out;
    for (const auto& values : snapshot())
        out.push_back(values.size());
    return out;
}

template class Currents<double>;
template class Currents<float>;

} // namespace tawara::device::cpu
