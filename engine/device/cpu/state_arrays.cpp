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

template class StateArrays<double>;
template class StateArrays<float>;

} // namespace tawara::device::cpu
