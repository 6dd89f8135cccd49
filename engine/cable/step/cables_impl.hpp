// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cable/step/cables.hpp"
#include "engine/cable/step/sweeps.hpp"
#include "engine/cell/cpu_kernel.hpp"
#include "engine/core/aligned.hpp"

namespace tawara::cable {

/// The nodes with cells of one model.
template <class Real>
struct Group
{
    std::vector<cell::CellType> types;
    std::unique_ptr<cell::CpuKernel<Real>> kernel;
    std::vector<std::int32_t> nodes;         ///< by type
    std::vector<cell::TypeIndex> type;       ///< [slots of a block]
    bool all = false;                        ///< the nodes are all, in their order
    std::size_t slots = 0;                   ///< of a block
    std::vector<AlignedVector<Real>> states; ///< [states without V][blocks slots]
};

/// What a thread needs for a block.
template <class Real>
struct Scratch
{
    AlignedVector<Real> v, rate, slope;        ///< of a group's cells
    AlignedVector<Real> node_rate, node_slope; ///< of nodes, where groups are several
    AlignedVector<Real> diagonal, rhs;
    std::vector<Real*> pointers;

    void fit(std::size_t slots)
    {
        if (v.size() >= slots)
            return;
        for (auto* a : {&v, &rate, &slope, &node_rate, &node_slope, &diagonal, &rhs})
            a->assign(slots, Real(0));
    }
};

template <class Real>
struct Cables<Real>::Impl
{
    CablesDescription d;
    std::size_t lanes = 1, blocks = 1, slots = 0; ///< slots: of nodes in a block
    std::int64_t step = 0;
    std::vector<Real> coupling, couplings, capacitance;
    AlignedVector<Real> v; ///< [blocks slots]
    std::vector<Group<Real>> groups;
    Scratch<Real> shared; ///< of a step whose loops are shared out

    explicit Impl(CablesDescription given);
    void make_groups();
    void add_up_couplings();
    std::size_t place(std::int32_t node, std::size_t copy) const
    {
        return copy / lanes * slots + static_cast<std::size_t>(node) * lanes + copy % lanes;
    }
    /// @throws Error for no node
    std::size_t node_checked(std::int32_t node, std::size_t copy) const;

    void gather(const Group<Real>& g, std::size_t block, Real* to) const;
    void scatter(const Group<Real>& g, const Scratch<Real>& s, Real* rate, Real* slope) const;
    void cells(const Group<Real>& g, std::size_t block, std::int64_t at, Scratch<Real>& s,
               std::size_t begin, std::size_t end) const;
    void need_ranges(const Group<Real>& g, std::size_t block, std::int64_t at,
                     const Scratch<Real>& s) const;
    void add(const NodeCurrent& c, StepRows<Real>& rows, std::size_t block) const;
    void solve(std::size_t block, std::int64_t at, std::span<const NodeCurrent> currents,
               Scratch<Real>& s);
    [[noreturn]] void fail(std::size_t block, std::int64_t at) const;
    const Real* rate_of(const Scratch<Real>& s) const
    {
        return groups[0].all ? s.rate.data() : s.node_rate.data();
    }
    const Real* slope_of(const Scratch<Real>& s) const
    {
        return groups[0].all ? s.slope.data() : s.node_slope.data();
    }
    bool one_by_one() const { return lanes == 1; }
};

} // namespace tawara::cable
