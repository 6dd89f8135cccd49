// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/cpu/sell.hpp"

#include <functional>

namespace tawara::device::cpu {

/// Cuts an explicit diffusion step into passes over all slots; the caller fuses what follows into
/// the last.
///
/// Every pass but the last must be complete on all slots before the next begins. Buffers belong to
/// this class; the input of the step is never written.
template <class Real>
class DiffusionStep
{
  public:
    DiffusionStep(const TissueProblem& p, const Layout& layout);

    int passes() const { return passes_; }
    /// Runs pass k on slots [begin, end): from v (the state before the step); the last pass writes
    /// to out.
    void run(int k, const Real* v, Real* out, std::int64_t begin, std::int64_t end);
    /// Sets what later passes read of a slot: its potential, where it is not stepped.
    void keep(std::int64_t slot, Real v)
    {
        for (auto& s : scratch_)
            s[static_cast<std::size_t>(slot)] = v;
    }
    /// What pass k, which is not the last, has written.
    Real* written(int k)
    {
        return scratch_[static_cast<std::size_t>(plan_[static_cast<std::size_t>(k)].out - 1)]
            .data();
    }
    /// What one Euler step over the whole dt would add: dt sum_k a_ik (x_k - x_i).
    void flow(const Real* x, Real* out, std::int64_t begin, std::int64_t end) const;
    /// dt sum_k |a_ik| of each slot.
    AlignedVector<Real> rates() const;
    /// Bytes that one step moves at least.
    double bytes_per_step() const;
    double flops_per_step() const;

  private:
    struct Pass
    {
        int x, y, out; ///< buffers: -1 none, 0 the input, 1.. scratch, last: the caller's out
        Real c_x, c_y, c_0, c_l, tau;
        bool first_of_rkl2;
    };
    Sell<Real> matrix_;
    std::size_t slots_;
    std::vector<Pass> plan_;
    std::vector<AlignedVector<Real>> scratch_;
    AlignedVector<Real> l0_;
    int passes_ = 1;
    Real dt_ = 0;
};

} // namespace tawara::device::cpu
