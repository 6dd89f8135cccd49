// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/equations/ranges.hpp"

#include "engine/cell/compiler/graph/algebra.hpp"

#include <cmath>
#include <cstdio>

namespace tawara::cell::compiler {
namespace {

constexpr double first_sign_mV = 1e6; ///< whole numbers from here on are exact in single precision

std::string text(const SystemState& s, bool below)
{
    char bound[48];
    std::snprintf(bound, sizeof bound, "%.4g ", below ? 0 : s.range->most);
    return s.full_name + " is " + (below ? "below " : "above ") + bound + s.unit +
           (below ? "" : " or no number");
}

} // namespace

void watch_ranges(CellSystem& s, std::vector<Node>& next)
{
    Graph& g = s.graph;
    for (std::size_t k = 1; k < s.states.size(); ++k) {
        const auto& r = s.states[k].range;
        if (!r)
            continue;
        const double sign = first_sign_mV + static_cast<double>(k);
        const Node above = simple(g, Op::le, next[k], g.constant(r->most));
        const Node below = simple(g, Op::le, g.constant(r->least), next[k]);
        next[0] =
            simple(g, Op::select, above, simple(g, Op::select, below, next[0], g.constant(-sign)),
                   g.constant(sign));
    }
}

std::string left_range(const CellSystem& s, double V_mV)
{
    const double k = std::abs(V_mV) - first_sign_mV;
    if (!(k >= 1 && k < static_cast<double>(s.states.size())) || k != std::floor(k))
        return {};
    const auto& state = s.states[static_cast<std::size_t>(k)];
    return state.range ? text(state, V_mV < 0) : std::string();
}

std::string left_range(const CellSystem& s, std::span<const double> states)
{
    for (std::size_t k = 1; k < s.states.size(); ++k)
        if (const auto& r = s.states[k].range;
            r && !(states[k] >= r->least && states[k] <= r->most))
            return text(s.states[k], states[k] < r->least);
    return {};
}

} // namespace tawara::cell::compiler
