// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/recovery.hpp"

#include "engine/cell/numerics_error.hpp"
#include "engine/cell/own_model.hpp"
#include "engine/cell/single_cell.hpp"
#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

namespace tawara::analysis {
namespace {

RecoveryVariable described(const cell::ModelInfo& m, std::size_t state)
{
    const auto& s = m.states[state];
    return {state, s.full_name.empty() ? s.name : s.full_name};
}

} // namespace

std::optional<RecoveryVariable> recovery_variable(const cell::ModelInfo& m)
{
    constexpr std::string_view names[] = {"f",  "xrf", "fs",  "ff",  "f1", "fL", "f_L",
                                          "Xs", "xs",  "xs1", "xKs", "x1", "X",  "n"};
    if (cell::own_model(m.name) != nullptr) // its range is not known without its code
        return {};
    if (m.states.size() == 2)
        return described(m, 1);
    for (const auto name : names)
        for (std::size_t k = 1; k < m.states.size(); ++k)
            if (m.states[k].name == name)
                return described(m, k);
    return {};
}

std::optional<RecoveryRange> recovery_range(const std::string& model)
{
    const auto variable = recovery_variable(cell::model_info(model));
    if (!variable)
        return {};
    cell::SingleCellOptions o;
    o.type = cell::make_cell_type(model, "", {}, {});
    static std::mutex mutex;
    static std::map<std::pair<std::string, std::uint64_t>, std::optional<RecoveryRange>> known;
    std::lock_guard hold(mutex);
    const auto [at, fresh] = known.try_emplace({model, cell::text_digest(o.type)});
    if (!fresh)
        return at->second;
    o.scheme = cell::Scheme::cvode;
    o.dt_ms = 0.1;
    try {
        const auto cell = cell::run_single_cell(o);
        const auto& x = cell.states[variable->state];
        const double rest = o.type.initial[variable->state];
        const double farthest = *std::max_element(x.begin(), x.end(), [&](double a, double b) {
            return std::abs(a - rest) < std::abs(b - rest);
        });
        if (!cell.beats.empty() && farthest != rest)
            at->second = {rest, farthest};
    } catch (const NumericsError&) { // there is none to be known
    }
    return at->second;
}

} // namespace tawara::analysis
