// SPDX-License-Identifier: GPL-3.0-or-later
// What happens in the cells of a tissue on CUDA devices, whatever computes it: a compiled model, or
// kernels of its own.
#pragma once
#include "engine/cell/reaction.hpp"
#include "engine/device/cuda/kernel_values.cuh"
#include "engine/device/cuda/runtime.cuh"
#include "engine/device/problem.hpp"
#include "engine/partition/decomposition.hpp"

#include <memory>
#include <span>
#include <vector>

namespace tawara::device::cuda {

/// A range of one group's slots that is to be stepped once.
template <class Real>
struct ReactionLaunch
{
    /// The last diffusion pass of the step, if the reaction takes it: V before the reaction is then
    /// what it gives. Null: V is cells.v_in.
    const Pass<Real>* pass = nullptr;
    Reaction<Real>
        cells; ///< of the slots [moment.begin, moment.end), moment.begin a multiple of 32
    Moment moment;
    /// As cell::ReactionStep has them: the step is moment.status->step + moment.offset, its part
    /// moment.part, and t_ms is the step times moment.dt_ms, plus after_ms.
    double after_ms = 0, dt_ms = 0;
    /// [slots] as cell::ReactionCells has it, on the device; null unless the reaction needs it.
    const std::int64_t* unknown = nullptr;
    /// Only for reactions that know how to wait: see CompiledReaction::launch(). Others start when
    /// what is ahead in the stream has ended.
    bool early = false;
};

/// The cells of one group on one device.
struct GroupCells
{
    std::vector<partition::SlotRange> ranges; ///< those of the group
    std::span<const std::int64_t> unknown;    ///< [slots] number in the whole tissue; -1: none
    std::span<const cell::TypeIndex> type;    ///< [slots] row of the group's types
    double dt_ms = 0; ///< of a step of theirs: half the tissue's in Strang's
};

/// States that a reaction keeps in a form of its own, and not in tiles. In snapshots they are the
/// numbers that cell::Reaction::arrays() has for one unknown, one array after the other.
/// @thread that of the stepper; no launch of the reaction is under way
template <class Real>
class KeptStates
{
  public:
    virtual ~KeptStates() = default;
    /// Takes memory for these cells and sets them to where their types begin. Called once, before
    /// all else.
    /// @param v  [slots] V of the cells is set there, that of slots that fill slices too
    /// @throws InputError with what would fit, where the device's memory does not do
    virtual void begin(const GroupCells& cells, std::span<Real> v, StreamRef s) = 0;
    virtual std::size_t numbers() const = 0; ///< of a cell, in snapshots
    /// The numbers of the cells in these slots, numbers() of the first, of the second ...
    virtual void save(std::span<const std::int32_t> slots, std::span<double> numbers,
                      StreamRef s) = 0;
    virtual void restore(std::span<const std::int32_t> slots, std::span<const double> numbers,
                         StreamRef s) = 0;
    /// What a cell's step moves to and from the device's memory at least.
    virtual double bytes_per_step() const = 0;
};

/// Steps the cells of one group on one device. Has no state of its own, unless it has KeptStates:
/// all of it is V and the arrays of cell::Reaction, whose numbers lie in tiles (StateTiles): number
/// k of a slot, counted over the arrays, is cells.states[slot / 32 * cells.slots + 32 k + slot %
/// 32].
/// @thread that of the stepper; launches enqueue, nothing more
template <class Real>
class DeviceReaction
{
  public:
    virtual ~DeviceReaction() = default;
    /// Enqueues one step. Launches are recorded in graphs and replayed: arguments that change with
    /// the step are read on the device. Kernels write nothing unless alive(moment) (rows.cuh), and
    /// then to cells.v_out and the states of the slots given alone.
    virtual void launch(StreamRef s, const ReactionLaunch<Real>& l) const = 0;
    /// The same inside a long step (Rest), with a pass and with the record kept. Never called
    /// unless CudaReactionModel::rests().
    /// @throws Error where there is none
    virtual void launch_quiescent(StreamRef s, const ReactionLaunch<Real>& l,
                                  const Rest& rest) const;
    /// Enqueues what an implicit step asks of the cells; ImplicitCells' tables are set here.
    /// @throws Error unless the reaction was made for it (ReactionUse::implicit)
    virtual void launch_implicit(StreamRef s, const ImplicitCells<Real>& c) const;
    /// Whether launch() looks at each slot (cell_record.cuh: look(), verdict()) where
    /// cells.v_before is given. If not, the stepper does it in a kernel of its own.
    virtual bool keeps_record() const { return false; }
    /// The states, where the reaction keeps them itself; else null.
    virtual KeptStates<Real>* kept_states() { return nullptr; }
    /// Replaces the table of cell types, as many and of the same model as before.
    /// @throws InputError where the reaction has none
    /// @pre  no launch is under way, no graph with one is used again
    virtual void set_types(std::span<const cell::CellType> types, StreamRef s);
    /// Floating-point instructions of one cell's step, estimated; 0: nobody knows.
    virtual double flops() const { return 0; }
    /// Local memory of a thread: what its registers do not hold; the most of the kernels.
    virtual std::size_t spilled_bytes() const { return 0; }
};
extern template class DeviceReaction<double>;
extern template class DeviceReaction<float>;

/// What a cell::ReactionModel is, too, if CUDA devices can step its cells. Its arrays, whether it
/// needs unknowns, and how its cells begin are those of its reaction on the CPU, so that snapshots
/// of one back end are taken by the other.
class CudaReactionModel
{
  public:
    virtual ~CudaReactionModel() = default;
    /// Whether the reaction takes the last diffusion pass with it where it is given one. Tissue
    /// with a group that does not has the pass in a kernel of its own, for all its groups.
    virtual bool takes_pass() const { return false; }
    /// Whether it has launch_quiescent().
    virtual bool rests() const { return false; }
    /// What steps the cells of one shard, on the stream's device.
    virtual std::unique_ptr<DeviceReaction<double>> on_cuda_double(StreamRef s) const = 0;
    virtual std::unique_ptr<DeviceReaction<float>> on_cuda_single(StreamRef s) const = 0;
};

/// What makes a group's own reaction on CUDA devices; null where nothing does or needs to.
const CudaReactionModel* cuda_model(const CellGroup& group);
/// Whether all groups can have the last diffusion pass in their reaction's kernels.
bool all_take_pass(const TissueProblem& p);
/// Why the cells of a problem are not stepped on CUDA devices; empty when they are.
std::string reaction_reason(const TissueProblem& p);

} // namespace tawara::device::cuda
