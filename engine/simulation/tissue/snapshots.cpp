// SPDX-License-Identifier: GPL-3.0-or-later
// States of a whole tissue: the first one, and one carried to changed cells.
#include "engine/simulation/tissue/tissue.hpp"

#include "engine/core/aligned.hpp"
#include "engine/device/quiescent_state.hpp"
#include "engine/device/state_places.hpp"

#include <algorithm>
#include <limits>
#include <memory>

namespace tawara::simulation {
namespace {

const cell::CellType& type_of(const device::TissueProblem& p, std::size_t unknown)
{
    return p.groups[p.group[unknown]].types[p.type[unknown]];
}

/// What cells of a group with a reaction begin with.
template <class Real>
class FreshCell
{
  public:
    explicit FreshCell(std::unique_ptr<cell::Reaction<Real>> reaction)
        : reaction_(std::move(reaction))
    {
        for (const auto& a : reaction_->arrays())
            arrays_.push_back(states_.emplace_back(slots * a.per_unknown, Real(0)).data());
    }
    void set(device::Snapshot& s, const device::StatePlaces& places, std::size_t unknown,
             cell::TypeIndex type)
    {
        type_[0] = type;
        number_[0] = static_cast<std::int64_t>(unknown);
        cell::ReactionCells<Real> c;
        c.cells = {v_.data(), arrays_.data(), type_.data(), nullptr, 0, 1, 0};
        c.unknown = number_.data();
        reaction_->prepare(c);
        std::size_t k = 0;
        for (std::size_t a = 0; a < states_.size(); ++a)
            for (std::size_t i = 0; i < reaction_->arrays()[a].per_unknown; ++i)
                places.of(s.states, k++, unknown) = static_cast<double>(states_[a][i]);
    }

  private:
    static constexpr std::size_t slots = 16;
    std::unique_ptr<cell::Reaction<Real>> reaction_;
    std::vector<AlignedVector<Real>> states_;
    std::vector<Real*> arrays_;
    AlignedVector<Real> v_ = AlignedVector<Real>(slots, Real(0));
    std::vector<cell::TypeIndex> type_ = std::vector<cell::TypeIndex>(slots, 0);
    std::vector<std::int64_t> number_ = std::vector<std::int64_t>(slots, -1);
};

/// The states that cells of a problem begin with.
class FreshStates
{
  public:
    FreshStates(const device::TissueProblem& p, Precision precision)
        : problem_(p), double_(p.groups.size()), single_(p.groups.size())
    {
        for (std::size_t g = 0; g < p.groups.size(); ++g) {
            const auto& reaction = p.groups[g].reaction;
            if (reaction && precision == Precision::single)
                single_[g] = std::make_unique<FreshCell<float>>(reaction->on_cpu_single());
            else if (reaction)
                double_[g] = std::make_unique<FreshCell<double>>(reaction->on_cpu_double());
        }
    }
    void set(device::Snapshot& s, const device::StatePlaces& places, std::size_t unknown)
    {
        const auto g = problem_.group[unknown];
        if (single_[g])
            return single_[g]->set(s, places, unknown, problem_.type[unknown]);
        if (double_[g])
            return double_[g]->set(s, places, unknown, problem_.type[unknown]);
        const auto& type = type_of(problem_, unknown);
        for (std::size_t k = 0; k + 1 < type.initial.size(); ++k)
            places.of(s.states, k, unknown) = type.initial[k + 1];
    }

  private:
    const device::TissueProblem& problem_;
    std::vector<std::unique_ptr<FreshCell<double>>> double_; ///< of each group, or null
    std::vector<std::unique_ptr<FreshCell<float>>> single_;
};

} // namespace

std::size_t numbers_per_unknown(const device::TissueProblem& p, Precision precision)
{
    std::size_t most = 0;
    for (const auto& g : p.groups)
        most = std::max(most, device::numbers_per_cell(g, precision));
    return most;
}

device::Snapshot initial_snapshot(const device::TissueProblem& p, Precision precision)
{
    constexpr double never = std::numeric_limits<double>::quiet_NaN();
    const std::size_t n = p.size();
    device::Snapshot s;
    s.v.resize(n);
    const device::StatePlaces places(p, precision);
    s.states = places.zeros();
    s.activation_ms.assign(n, never);
    s.repolarisation_ms.assign(n, never);
    s.peak_mV.assign(n, -1e3);
    s.rest_mV.assign(n, 1e3);
    FreshStates fresh(p, precision);
    for (std::size_t u = 0; u < n; ++u) {
        if (!p.has_cells(u)) {
            s.v[u] = never;
            continue;
        }
        s.v[u] = type_of(p, u).initial[0];
        fresh.set(s, places, u);
    }
    return s;
}

device::Snapshot carried(const device::Snapshot& state, const device::TissueProblem& from,
                         const device::TissueProblem& to, Precision precision)
{
    device::Snapshot s = state;
    device::end_long_step(s);
    const device::StatePlaces before(from, precision), places(to, precision);
    s.states = places.zeros();
    FreshStates fresh(to, precision);
    std::vector<std::vector<char>> same(from.groups.size());
    for (std::size_t a = 0; a < from.groups.size(); ++a)
        for (const auto& g : to.groups)
            same[a].push_back(device::same_cells(g, from.groups[a]));
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
            fresh.set(s, places, u);
        else if (has)
            for (std::size_t k = 0; places.has(k, u); ++k)
                places.of(s.states, k, u) = before.of(state.states, k, u);
    }
    return s;
}

} // namespace tawara::simulation
