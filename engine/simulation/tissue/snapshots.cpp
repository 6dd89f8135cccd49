// SPDX-License-Identifier: GPL-3.0-or-later
// States of a whole tissue: the first one, and one carried to changed cells.
#include "engine/simulation/tissue/tissue.hpp"

#include <algorithm>
#include <limits>

namespace tawara::simulation {
namespace {

const cell::CellType& type_of(const device::TissueProblem& p, std::size_t unknown)
{
    return p.groups[p.group[unknown]].types[p.type[unknown]];
}

std::size_t most_states(const device::TissueProblem& p)
{
    std::size_t most = 0;
    for (const auto& g : p.groups)
        most = std::max(most, g.types.front().initial.size() - 1);
    return most;
}

void set_initial_states(device::Snapshot& s, std::size_t unknown, const cell::CellType& type)
{
    for (std::size_t k = 0; k < s.states.size(); ++k)
        s.states[k][unknown] = k + 1 < type.initial.size() ? type.initial[k + 1] : 0;
}

} // namespace

device::Snapshot initial_snapshot(const device::TissueProblem& p)
{
    constexpr double never = std::numeric_limits<double>::quiet_NaN();
    const std::size_t n = p.size();
    device::Snapshot s;
    s.v.resize(n);
    s.states.assign(most_states(p), std::vector<double>(n));
    s.activation_ms.assign(n, never);
    s.repolarisation_ms.assign(n, never);
    s.peak_mV.assign(n, -1e3);
    s.rest_mV.assign(n, 1e3);
    for (std::size_t u = 0; u < n; ++u) {
        if (!p.has_cells(u)) {
            s.v[u] = never;
            continue;
        }
        const auto& type = type_of(p, u);
        s.v[u] = type.initial[0];
        set_initial_states(s, u, type);
    }
    return s;
}

device::Snapshot carried(const device::Snapshot& state, const device::TissueProblem& from,
                         const device::TissueProblem& to)
{
    device::Snapshot s = state;
    s.states.resize(most_states(to), std::vector<double>(to.size(), 0));
    std::vector<std::vector<char>> same(from.groups.size());
    for (std::size_t a = 0; a < from.groups.size(); ++a)
        for (const auto& g : to.groups)
            same[a].push_back(cell::same_model(g.types.front(), from.groups[a].types.front()));
    constexpr double never = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t u = 0; u < to.size(); ++u) {
        const bool had = from.has_cells(u), has = to.has_cells(u);
        if (had != has) { // new cells, or none any more
            s.v[u] = has ? type_of(to, u).initial[0] : never;
            s.activation_ms[u] = s.repolarisation_ms[u] = never;
            s.peak_mV[u] = -1e3;
            s.rest_mV[u] = 1e3;
        }
        if (has && (!had || !same[from.group[u]][to.group[u]]))
            set_initial_states(s, u, type_of(to, u));
    }
    return s;
}

} // namespace tawara::simulation
