// SPDX-License-Identifier: GPL-3.0-or-later
// States of cables, kept and gone on from.
#include "engine/cable/step/cables_impl.hpp"
#include "engine/core/error.hpp"

namespace tawara::cable {

template <class Real>
CablesState Cables<Real>::snapshot() const
{
    const auto& m = *impl_;
    CablesState s;
    s.step = m.step;
    std::vector<std::pair<const Group<Real>*, std::size_t>> cell(nodes());
    for (const auto& g : m.groups)
        for (std::size_t k = 0; k < g.nodes.size(); ++k)
            cell[static_cast<std::size_t>(g.nodes[k])] = {&g, k};
    for (std::size_t copy = 0; copy < m.d.copies; ++copy)
        for (std::size_t i = 0; i < nodes(); ++i) {
            s.V_mV.push_back(potential(static_cast<std::int32_t>(i), copy));
            const auto& [g, k] = cell[i];
            const auto at = copy / m.lanes * g->slots + k * m.lanes + copy % m.lanes;
            for (const auto& a : g->states)
                s.states.push_back(static_cast<double>(a[at]));
        }
    return s;
}

template <class Real>
void Cables<Real>::restore(const CablesState& s)
{
    auto& m = *impl_;
    std::vector<std::pair<Group<Real>*, std::size_t>> cell(nodes());
    std::size_t due = 0;
    for (auto& g : m.groups)
        for (std::size_t k = 0; k < g.nodes.size(); ++k) {
            cell[static_cast<std::size_t>(g.nodes[k])] = {&g, k};
            due += m.d.copies * g.states.size();
        }
    if (s.V_mV.size() != m.d.copies * nodes() || s.states.size() != due || s.step < 0)
        throw Error("a state of " + std::to_string(s.V_mV.size()) + " potentials and " +
                    std::to_string(s.states.size()) +
                    " states is not of these cables, which have " +
                    std::to_string(m.d.copies * nodes()) + " and " + std::to_string(due));
    m.step = s.step;
    auto state = s.states.begin();
    for (std::size_t copy = 0; copy < m.d.copies; ++copy)
        for (std::size_t i = 0; i < nodes(); ++i) {
            m.v[m.place(static_cast<std::int32_t>(i), copy)] =
                static_cast<Real>(s.V_mV[copy * nodes() + i]);
            const auto& [g, k] = cell[i];
            const auto at = copy / m.lanes * g->slots + k * m.lanes + copy % m.lanes;
            for (auto& a : g->states)
                a[at] = static_cast<Real>(*state++);
        }
}

template CablesState Cables<double>::snapshot() const;
template CablesState Cables<float>::snapshot() const;
template void Cables<double>::restore(const CablesState&);
template void Cables<float>::restore(const CablesState&);

} // namespace tawara::cable
