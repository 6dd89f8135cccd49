// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/recovery.hpp"

#include <string_view>

namespace tawara::analysis {
namespace {

constexpr double half = 0.5; ///< a gate that starts above it falls as V rises

RecoveryVariable described(const cell::ModelInfo& m, std::size_t state)
{
    const auto& s = m.states[state];
    return {state, s.full_name.empty() ? s.name : s.full_name, s.gate && s.initial > half, s.gate};
}

} // namespace

std::optional<RecoveryVariable> recovery_variable(const cell::ModelInfo& m)
{
    constexpr std::string_view names[] = {"f",   "fs",  "ff",  "f1", "fL", "f_L",
                                          "Xs",  "xs",  "xs1", "xKs", "x1", "X"};
    if (m.states.size() == 2)
        return described(m, 1);
    for (const auto name : names)
        for (std::size_t k = 1; k < m.states.size(); ++k)
            if (m.states[k].name == name)
                return described(m, k);
    return {};
}

} // namespace tawara::analysis
