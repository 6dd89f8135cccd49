// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/problem.hpp"

#include "engine/cell/normal.hpp"
#include "engine/core/error.hpp"
#include "engine/device/cell_weights.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::device {

std::string model_name(const CellGroup& group)
{
    return group.reaction ? group.reaction->name() : group.types.at(0).model;
}

bool same_cells(const CellGroup& a, const CellGroup& b)
{
    if (a.reaction && b.reaction)
        return a.reaction->identity() == b.reaction->identity();
    return !a.reaction && !b.reaction && cell::same_model(a.types.front(), b.types.front());
}

std::size_t numbers_per_cell(const CellGroup& group, Precision precision)
{
    if (!group.reaction)
        return group.types.front().initial.size() - 1;
    return precision == Precision::single
               ? cell::numbers_per_unknown(group.reaction->on_cpu_single()->arrays())
               : cell::numbers_per_unknown(group.reaction->on_cpu_double()->arrays());
}

namespace {

/// Of a cell of each group, beside one of a compiled model.
std::vector<std::size_t> weights_of_groups(const TissueProblem& p)
{
    constexpr std::size_t usual = 20; // numbers of a compiled model's cell
    std::vector<std::size_t> weight;
    for (const auto& g : p.groups)
        weight.push_back(
            g.reaction ? std::max<std::size_t>(1, numbers_per_cell(g, Precision::double_) / usual)
                       : 1);
    return weight;
}

} // namespace

std::size_t weight_of_cells(const TissueProblem& p)
{
    const auto weight = weights_of_groups(p);
    std::size_t sum = 0;
    for (const auto g : p.group)
        sum += g == no_cells ? 0 : weight[g];
    return sum;
}

std::size_t weight_among_devices(const TissueProblem& p)
{
    return std::max(p.size(), weight_of_cells(p));
}

std::vector<std::int32_t> cell_weights(const TissueProblem& p)
{
    const auto of_group = weights_of_groups(p);
    if (std::all_of(of_group.begin(), of_group.end(), [](auto w) { return w == 1; }))
        return {};
    constexpr std::size_t most = std::size_t{1} << 30; // METIS sums 32-bit numbers
    const auto less = weight_of_cells(p) / (most / 2) + 1;
    std::vector<std::int32_t> weight(p.size(), 1);
    for (std::size_t u = 0; u < p.size(); ++u)
        if (p.has_cells(u))
            weight[u] =
                static_cast<std::int32_t>(std::max<std::size_t>(1, of_group[p.group[u]] / less));
    return weight;
}

void check_types(const CellGroup& group, std::span<const cell::CellType> types)
{
    if (types.size() != group.types.size())
        throw InputError("cell types",
                         std::to_string(types.size()) + " cell types for a group of " +
                             std::to_string(group.types.size()) + "; give each of its types once");
    for (const auto& t : types)
        if (t.model != group.types.front().model ||
            t.parameters.size() != group.types.front().parameters.size())
            throw InputError("cell types", "a cell type of model '" + t.model +
                                               "' for a group of model '" +
                                               group.types.front().model +
                                               "'; parameters can change while running, the model "
                                               "cannot");
    if (std::all_of(group.types.begin(), group.types.end(), cell::is_normal) &&
        !std::all_of(types.begin(), types.end(), cell::is_normal))
        throw InputError("cell types", "a cell type with parameters of disease for a group of "
                                       "normal cells, whose equations are without them; make the "
                                       "tissue anew");
}

std::size_t TissueProblem::with_cells() const
{
    return group.size() -
           static_cast<std::size_t>(std::count(group.begin(), group.end(), no_cells));
}

bool needs_solver(const TissueProblem& p)
{
    return p.stepping != Stepping::newton &&
           (p.stepping != Stepping::explicit_ || p.system.mass == diffusion::Mass::consistent);
}

double theta(Stepping s)
{
    return s == Stepping::explicit_ ? 0 : s == Stepping::crank_nicolson ? 0.5 : 1;
}

double StimulusSource::overlap(double t_ms, double dt_ms) const
{
    if (t_ms + dt_ms <= start_ms)
        return 0;
    std::int64_t first = 0, last = 0;
    if (period_ms > 0) {
        first = static_cast<std::int64_t>(std::floor((t_ms - start_ms - duration_ms) / period_ms));
        last = static_cast<std::int64_t>(std::floor((t_ms + dt_ms - start_ms) / period_ms));
        first = std::max<std::int64_t>(first, 0);
        if (count > 0)
            last = std::min(last, count - 1);
    }
    double on = 0;
    for (std::int64_t k = first; k <= last; ++k) {
        const double begin = start_ms + static_cast<double>(k) * period_ms;
        on += std::max(0.0, std::min(t_ms + dt_ms, begin + duration_ms) - std::max(t_ms, begin));
    }
    const double part = on / dt_ms;
    // Step bounds and pulse bounds that mean the same instant differ by rounding.
    if (part < 1e-9)
        return 0;
    return part > 1 - 1e-9 ? 1 : part;
}

bool StimulusSource::over(double t_ms) const
{
    if (period_ms > 0 && count == 0)
        return false;
    const double last =
        period_ms > 0 ? start_ms + static_cast<double>(count - 1) * period_ms : start_ms;
    return t_ms >= last + duration_ms;
}

void check_currents(const TissueProblem& p)
{
    if (p.currents != IonicCurrents::interpolated)
        return;
    const auto refuse = [](const std::string& why) {
        throw InputError("", "/diffusion/currents",
                         "interpolated currents need " + why + "; take nodal");
    };
    if (p.system.scheme != diffusion::Scheme::p1)
        refuse("the p1 scheme");
    if (p.system.mass != diffusion::Mass::lumped)
        refuse("lumped mass");
    if (p.stepping == Stepping::newton)
        refuse("a stepping other than newton");
    for (const auto& g : p.groups)
        if (g.reaction)
            refuse("the equations of the cells, which " + model_name(g) + " does not have");
}

} // namespace tawara::device
