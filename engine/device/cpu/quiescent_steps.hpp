// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/reaction.hpp"
#include "engine/device/cpu/activation.hpp"
#include "engine/device/cpu/diffusion_step.hpp"
#include "engine/device/stepper.hpp"

namespace tawara::device::cpu {

/// Steps of tissue of which most is at rest (or changes slowly): unknowns at rest take one long
/// step while the others take several short ones, as CUDA devices do it (cell_rest.cuh). An unknown
/// rests when a long step, with all gates exponential, would change its potential by less than the
/// tolerance in all and by diffusion alone. Each decides for itself, from its own potential and its
/// neighbours', so that results depend neither on the order nor on the number of threads; slices of
/// 16 without a moving unknown cost nothing in the short steps. Short steps see unknowns at rest
/// midway between the start and the end of their long step: if they saw the end, which lies ahead
/// of them in time, it would draw them along, and repolarisation would come early.
template <class Real>
class QuiescentSteps
{
  public:
    static constexpr std::int64_t slice = Sell<Real>::height;

    /// Everything that a step reads and writes.
    struct Tissue
    {
        const Real* x; ///< potential before the step, and
        Real* next;    ///< after it
        Real* const* states;
        const cell::TypeIndex* type;
        const Real* stimulus; ///< null: none
        const std::vector<std::unique_ptr<cell::Reaction<Real>>>& reactions;
        ActivationRecord<Real>& record;
        double t_ms, threshold_mV;
    };

    /// @throws InputError (/reaction/rest_tolerance_mV) when the problem's diffusion or splitting
    /// leaves no long steps
    QuiescentSteps(const TissueProblem& p, const Layout& layout, DiffusionStep<Real>& diffusion);
    void set_types(std::size_t group, std::span<const cell::CellType> types);

    int longest() const { return longest_; }
    int at() const { return at_; }
    /// Begins a long step of at most `steady` steps, over which no stimulus changes.
    /// @pre at() == 0
    void begin(std::int64_t steady);
    /// Slots [begin, end) of the first step of a long one; with several passes those alone that
    /// rest. @return a slot that went astray, or -1
    std::int64_t first(const Tissue& t, std::int64_t begin, std::int64_t end);
    /// After all slots of the first step, where there are several passes: what moves is taken
    /// through it as through later ones.
    void begin_passes() { list_runs(); }
    /// Passes ahead of the last one.
    int passes_ahead() const { return diffusion_.passes() - 1; }
    /// One of these, of the runs [begin, end).
    void pass(int k, const Tissue& t, std::size_t begin, std::size_t end);
    /// The slots of the runs [begin, end) in a later step: the last pass and the cells.
    std::int64_t later(const Tissue& t, std::size_t begin, std::size_t end);
    std::size_t runs() const { return runs_.size(); }
    /// Behind the short steps of a long one's last step: slots of [begin, end) that rest have the V
    /// of its end.
    void come_to_end(Real* next, std::int64_t begin, std::int64_t end) const;
    bool at_last() const { return length_ > 1 && at_ + 1 == length_; }
    /// After all slots of a step.
    void end_step();
    /// Cells stepped so far, long and short steps alike.
    double cells_stepped() const { return cells_stepped_; }
    /// Of the steps of all cells so far, those of cells at rest, slices with a moving one left out.
    double share_quiescent() const
    {
        const double all = static_cast<double>(steps_) * static_cast<double>(layout_.stepped);
        return all > 0 ? 1 - moved_ / all : 0;
    }

    /// Snapshot::quiescent: empty between long steps.
    std::vector<double> snapshot() const;
    /// @param v  of the slots
    void restore(const Snapshot& s, const Real* v);

  private:
    struct Run
    {
        std::int64_t begin, end;
        std::size_t group;
    };
    void short_step(const Tissue& t, std::size_t group, std::int64_t begin, std::int64_t end) const;
    std::int64_t first_of_group(const Tissue& t, std::size_t g, std::int64_t begin,
                                std::int64_t end);
    std::int64_t look(const Tissue& t, std::int64_t begin, std::int64_t end, bool long_ones,
                      bool short_ones) const;
    bool rests(std::int64_t slot) const
    {
        return !(moving_[static_cast<std::size_t>(slot / slice)] >> (slot % slice) & 1U);
    }
    void list_runs();

    const Layout& layout_;
    DiffusionStep<Real>& diffusion_;
    double dt_, tolerance_;
    int longest_ = 0, at_ = 0, length_ = 1;
    AlignedVector<Real> rates_;
    std::vector<std::unique_ptr<cell::CpuKernel<Real>>> long_kernels_;
    std::vector<std::size_t> states_;   ///< of each group, without V
    std::vector<std::uint16_t> moving_; ///< per slice
    AlignedVector<Real> ends_;          ///< V of slots at rest at the end of their long step
    std::vector<Run> runs_;             ///< slices with moving slots, as long rows
    double cells_stepped_ = 0, moved_ = 0;
    std::int64_t steps_ = 0;
};

extern template class QuiescentSteps<double>;
extern template class QuiescentSteps<float>;

} // namespace tawara::device::cpu
