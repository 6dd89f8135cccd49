// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/reaction.hpp"
#include "engine/core/aligned.hpp"

#include <cstdint>
#include <vector>

namespace tawara::device::cpu {

/// The arrays that the groups' reactions declare, in a back end's slots.
///
/// Groups that have one number an unknown in each array share arrays over all slots, each with its
/// own part of them. A group with larger arrays has its own, which begin at its first slot.
template <class Real>
class StateArrays
{
  public:
    /// Groups in their order, the slots [begin, end) of each; then fill().
    void add(std::span<const cell::StateArray> arrays, std::int64_t begin, std::int64_t end);
    /// Makes the arrays, of zeros.
    void fill(std::size_t slots);

    /// The first slot of a group's arrays: 0, or where the group begins.
    std::int64_t first(std::size_t group) const { return groups_[group].first; }
    /// As cell::ReactionCells has them.
    Real* const* of(std::size_t group) const
    {
        const Group& g = groups_[group];
        return g.own.empty() ? shared_pointers_.data() : g.pointers.data();
    }
    /// The arrays that groups share.
    Real* const* shared() const { return shared_pointers_.data(); }
    /// How many numbers a group has for each unknown; for all groups the largest of these.
    std::size_t numbers(std::size_t group) const { return groups_[group].numbers; }
    std::size_t numbers() const { return most_; }
    /// Number k of the unknown in a slot, counted over the group's arrays.
    /// @pre  k < numbers(group)
    Real& number(std::size_t group, std::size_t k, std::int64_t slot)
    {
        return *place(group, k, slot);
    }
    const Real& number(std::size_t group, std::size_t k, std::int64_t slot) const
    {
        return *place(group, k, slot);
    }
    /// All of the unknown's in a slot, over the group's arrays.
    void numbers_of(std::size_t group, std::int64_t slot, std::vector<double>& out) const;

  private:
    struct Group
    {
        std::int64_t first = 0, slots = 0;
        std::size_t numbers = 0;
        std::vector<std::size_t> per_unknown;
        std::vector<AlignedVector<Real>> own;
        std::vector<Real*> pointers;
    };
    Real* place(std::size_t group, std::size_t k, std::int64_t slot) const
    {
        const Group& g = groups_[group];
        if (g.own.empty())
            return shared_pointers_[k] + slot;
        std::size_t a = 0;
        for (; k >= g.per_unknown[a]; ++a)
            k -= g.per_unknown[a];
        return g.pointers[a] + static_cast<std::size_t>(slot - g.first) * g.per_unknown[a] + k;
    }

    std::vector<Group> groups_;
    std::vector<AlignedVector<Real>> shared_;
    std::vector<Real*> shared_pointers_;
    std::size_t most_ = 0;
};
extern template class StateArrays<double>;
extern template class StateArrays<float>;

} // namespace tawara::device::cpu
