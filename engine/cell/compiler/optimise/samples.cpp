// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/optimise/samples.hpp"

#include "engine/cell/compiler/equations/system.hpp"
#include "engine/cell/compiler/graph/algebra.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::cell::compiler {

Samples::Samples(const Graph& g, std::span<const double> states, std::span<const double> parameters)
    : g_(g), states_(states.begin(), states.end()),
      parameters_(parameters.begin(), parameters.end())
{
}

double Samples::symbol(std::uint32_t id, std::size_t sample) const
{
    const auto index = symbol_index(id);
    switch (symbol_kind(id)) {
    case Symbol::state: {
        if (index == 0)
            return -200 + 25.0 * static_cast<double>(sample % potentials);
        const double typical = index < states_.size() ? states_[index] : 1;
        static constexpr double factors[] = {1.0 / 3, 1, 3}, instead[] = {0, 0.5, 1};
        const auto k = sample / potentials;
        return typical != 0 ? factors[k] * typical : instead[k];
    }
    case Symbol::parameter:
        return index < parameters_.size() ? parameters_[index] : 1;
    case Symbol::dt:
        return 0.02;
    default:
        return 1;
    }
}

void Samples::update()
{
    for (Node n = static_cast<Node>(values_.size()); n < g_.size(); ++n) {
        auto& out = values_.emplace_back();
        for (std::size_t s = 0; s < count; ++s) {
            double a[3] = {0, 0, 0};
            for (int i = 0; i < g_.arity(n); ++i)
                a[i] = values_[g_.arg(n, i)][s];
            out[s] = g_.op(n) == Op::symbol ? symbol(g_.symbol_of(n), s)
                     : g_.arity(n) == 0     ? g_.value(n)
                                            : apply(g_.op(n), a[0], a[1], a[2]);
        }
    }
}

bool Samples::within(Node n, double largest, bool zero)
{
    update();
    return std::all_of(values_[n].begin(), values_[n].end(), [&](double v) {
        return (zero && v == 0) || (std::abs(v) <= largest && std::abs(v) >= 1 / largest);
    });
}

} // namespace tawara::cell::compiler
