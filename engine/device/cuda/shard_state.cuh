// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that one shard keeps on its device.
#pragma once
#include "engine/device/cuda/device_reaction.cuh"
#include "engine/device/cuda/kernels.cuh"
#include "engine/device/cuda/shards.hpp"
#include "engine/device/cuda/solver.cuh"
#include "engine/device/cuda/state_tiles.hpp"

#include <limits>

namespace tawara::device::cuda {

/// V of unknowns without cells.
template <class Real>
inline constexpr Real no_value = std::numeric_limits<Real>::quiet_NaN();

/// Vectors of the potential; current and next change places after each step.
enum class Vector { current, next, half, scratch1, scratch2, correction, none };

/// One explicit pass of a step's diffusion, by vectors.
struct PlannedPass
{
    Vector x = Vector::current, y = Vector::none, out = Vector::next;
    double c_x = 1, c_y = 0, c_0 = 0, c_l = 0, tau = 0;
    bool keeps_sum = false; ///< RKL2's first: L(Y_0) is kept
};
/// Passes of one step: the first reads `from`, the last writes Vector::next.
std::vector<PlannedPass> plan_passes(const TissueProblem& p, Vector from);

/// A list of weighted terms on one shard.
struct ShardGather
{
    Buffer<std::int64_t> first;
    Buffer<std::int32_t> slot;
    Buffer<float> weight;
    std::vector<std::size_t> output; ///< host: which output (or term) each row belongs to
};

template <class Real>
class ShardState
{
  public:
    /// @param index  its number among the shards
    /// @param fused  whether the reaction kernels take the last diffusion pass with them
    /// @param maps   whether activation maps are kept; else track, rest and their times are empty
    ShardState(const TissueProblem& p, Shard shard, std::size_t index, int device, bool fused,
               bool maps);

    Real* vector(Vector v, int parity) const;
    Pass<Real> pass(const PlannedPass& p, int parity, Vector from) const;
    /// Reaction of a range, its potentials left to the caller.
    /// @param dt_ms  of the reaction
    Reaction<Real> reaction(std::size_t range, bool stimulated, double dt_ms) const;
    /// The same pass with the matrix in single precision.
    Pass<Real, float> mixed(const Pass<Real>& p) const
    {
        return {{p.a.chunk, p.a.column_chunk, p.a.column, single_value.data()},
                p.x,
                p.y,
                p.y0,
                p.l0,
                p.out,
                p.l_out,
                p.c_x,
                p.c_y,
                p.c_0,
                p.c_l,
                p.tau};
    }
    Moment moment(std::int64_t begin, std::int64_t end, int offset) const
    {
        return {status.data(), offset, dt_ms, begin, end};
    }
    /// Where a range keeps its moving slots; the step's place is left to the caller.
    Rest rest_of(std::size_t range, double tolerance_mV) const;
    /// The group that a slot belongs to.
    std::size_t group_of(std::size_t slot) const;
    /// Numbers of a group's cell beside V, in snapshots; of all groups the largest.
    std::size_t numbers_of(std::size_t group) const;
    std::size_t most_numbers() const;
    /// The constants of a group's types; waits for the upload.
    void set_types(std::size_t group, std::span<const cell::CellType> types);
    void clear_stimulus() const
    {
        stimulus.zero(main);
        driven.zero(main);
    }

    std::size_t index;
    int device;
    Shard host;           ///< matrix released after upload
    Stream main, outward; ///< outward: what other shards wait for
    Event main_done, separator_done, sent, ended;
    double dt_ms;
    Buffer<std::uint32_t> chunk, column_chunk;
    Buffer<std::int16_t> column;
    Buffer<Real> value;
    Buffer<float>
        single_value; ///< in place of value: Real = double, the matrix in single precision
    Buffer<Real> v[2], half, scratch[2], l0;
    Buffer<Real> states, stimulus, track, rest;
    Buffer<double> activation_ms, repolarisation_ms;
    Buffer<std::uint32_t> driven; ///< bits of the slots that have a stimulus
    Buffer<std::uint8_t> phase;
    Buffer<cell::TypeIndex> type;
    std::vector<std::unique_ptr<DeviceReaction<Real>>> cells; ///< per group
    StateTiles tiles; ///< where `states` has them; none of groups that keep theirs (KeptStates)
    Buffer<std::int64_t> unknown;  ///< of each slot; empty where no reaction needs it
    std::vector<bool> single_type; ///< per group
    double threshold_mV;
    /// Only where unknowns may rest: V at the end of a long step of those that do, moving slots,
    /// per range their slices and the two list lengths.
    Buffer<Real> v_end;
    Buffer<std::uint32_t> moving;
    Buffer<std::int32_t> list;
    Buffer<unsigned> list_length;
    Buffer<unsigned> queues; ///< two counters per range
    Buffer<Status> status;
    PinnedBuffer<Status> status_host;
    Buffer<std::int32_t> sent_slots;           ///< of host.sends, one after the other
    std::unique_ptr<ShardSolver<Real>> solver; ///< where steps solve a linear system
    ShardGather probes, display;
    Buffer<double> probe_rows;
    Buffer<float> display_out;

  private:
    void upload_matrix();
};
extern template class ShardState<double>;
extern template class ShardState<float>;

} // namespace tawara::device::cuda
