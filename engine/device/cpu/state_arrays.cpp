// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cpu/state_arrays.hpp"

#include <algorithm>

namespace tawara::device::cpu {

template <class Real>
void StateArrays<Real>::add(std::span<const cell::StateArray> arrays, std::int64_t begin,
                            std::int64_t end)
{
    Group g;
    g.numbers = cell::numbers_per_unknown(arrays);
    most_ = std::max(most_, g.numbers);
    if (g.numbers != arrays.size()) {
        g.first = begin;
        g.slots = end - begin;
        for (const auto& a : arrays)
            g.per_unknown.push_back(a.per_unknown);
    }
    groups_.push_back(std::move(g));
}

template <class Real>
void StateArrays<Real>::fill(std::size_t slots)
{
    std::size_t shared = 0;
    for (Group& g : groups_) {
        if (g.per_unknown.empty())
            shared = std::max(shared, g.numbers);
        for (const std::size_t n : g.per_unknown)
            g.own.emplace_back(static_cast<std::size_t>(g.slots) * n, Real(0));
        for (auto& a : g.own)
            g.pointers.push_back(a.data());
    }
    shared_.assign(shared, AlignedVector<Real>(slots, Real(0)));
    for (auto& a : shared_)
        shared_pointers_.push_back(a.data());
}

template <class Real>
void StateArrays<Real>::numbers_of(std::size_t group, std::int64_t slot,
                                   std::vector<double>& out) const
{
    const Group& g = groups_[group];
    out.resize(g.numbers);
    if (g.own.empty()) {
        for (std::size_t k = 0; k < g.numbers; ++k)
            out[k] = static_cast<double>(shared_pointers_[k][slot]);
        return;
    }
    double* to = out.data();
    for (std::size_t a = 0; a < g.pointers.size(); ++a) {
        const std::size_t n = g.per_unknown[a];
        const Real* from = g.pointers[a] + static_cast<std::size_t>(slot - g.first) * n;
        to = std::copy(from, from + n, to);
    }
}

template class StateArrays<double>;
template class StateArrays<float>;

} // namespace tawara::device::cpu
