// SPDX-License-Identifier: GPL-3.0-or-later
// The reaction of one cell group on one device, by code made while the program runs.
#pragma once
#include "engine/cell/compiler/program.hpp"
#include "engine/device/cuda/device_reaction.cuh"
#include "engine/device/cuda/reaction_text.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace tawara::device::cuda {

/// Why the groups of a problem that have a compiled model cannot have it on CUDA devices; empty
/// when they can.
std::string compiled_cells_reason(const TissueProblem& p);

/// Which kernels a group needs.
struct ReactionUse
{
    bool fused = false;              ///< with the last diffusion pass
    bool alone = false;              ///< without one
    double longest_quiescent_ms = 0; ///< of a long step of unknowns at rest; 0: nothing rests
    std::size_t unknowns = 0;        ///< of the whole tissue
    bool implicit = false;           ///< for implicit steps, and nothing else; of double alone
    /// In place of kernel_shape()'s and of the scheme's, for benchmarks.
    std::optional<KernelShape> shape{};
    std::shared_ptr<const cell::compiler::Program> program{};
};

template <class Real>
class CompiledReaction final : public DeviceReaction<Real>
{
  public:
    /// Compiles the group's equations, or takes them from the cache (compile_cuda), and loads them.
    /// @throws InputError when NVRTC is missing or the scheme is not compiled
    /// @cost   about a second for a model not seen before, some milliseconds otherwise
    CompiledReaction(const CellGroup& group, const ReactionUse& use, StreamRef s);
    ~CompiledReaction() override;
    CompiledReaction(const CompiledReaction&) = delete;
    CompiledReaction& operator=(const CompiledReaction&) = delete;

    /// New parameters; waits for the upload. Nothing is compiled unless a number that was the same
    /// for all types so far now differs between them.
    /// @pre  no launch is under way, no graph with one is used again
    void set_types(std::span<const cell::CellType> types, StreamRef s) override;
    /// Enqueues one step. l.cells.tables is set here; l.cells.type is read where there are several
    /// types. With l.early blocks may start while the kernel ahead in the stream ends (from compute
    /// capability 9.0 on, rings and kernels with a pass; no effect on others). Rings wait for its
    /// end before they read v_in or write anything, a cell a thread before it reads the stimulus.
    /// @pre   the kernel that it takes was asked for; early: the kernel ahead is an explicit pass,
    ///        or another that writes none of the states, types, m.status and record.phase, which
    ///        are read before the wait; with a pass it writes and reads nothing but the stimulus of
    ///        driven slots, and did not let this one start before those ahead of it had ended
    void launch(StreamRef s, const ReactionLaunch<Real>& l) const override;
    /// The same for one part of a step inside a long one (Rest::Part). first: every slot tries one
    /// step of length dt (scheme_of_long_steps()); those whose potential changes by more than the
    /// tolerance, or would by diffusion alone, take the first short one instead and are listed.
    /// Of slots at rest cells.v_out gets V midway in the long step, cells.v_end that of its end.
    /// moving: the listed slots take a short step; at 1 the others' potential is copied, so that
    /// both vectors have it; the last one writes that of the end. decide: as first, without the
    /// short steps; what rests is set in pass.out and pass.l_out too. pass: of the listed slots.
    void launch_quiescent(StreamRef s, const ReactionLaunch<Real>& l,
                          const Rest& rest) const override;
    void launch_implicit(StreamRef s, const ImplicitCells<Real>& c) const override;
    bool keeps_record() const override;

    std::size_t states() const; ///< with V
    double flops() const override;
    /// Without the kernels of long steps.
    std::size_t spilled_bytes() const override;
    double compile_ms() const; ///< what making or reading the machine code took, all kernels
    bool from_cache() const;   ///< all kernels

  private:
    struct Code;
    std::unique_ptr<Code> code_;
};
extern template class CompiledReaction<double>;
extern template class CompiledReaction<float>;

} // namespace tawara::device::cuda
