// SPDX-License-Identifier: GPL-3.0-or-later
// Interpolated currents of a tissue on its devices (NUMERICS.md, 4.1).
#pragma once
#include "engine/device/cuda/compiled_current.cuh"
#include "engine/device/cuda/front_lists.hpp"
#include "engine/device/cuda/tissue.cuh"

#include <memory>
#include <vector>

namespace tawara::device::cuda {

/// The time and the potential that currents are made of.
struct CurrentMoment
{
    Vector v = Vector::current;
    int parity = 0, offset = 0;     ///< as stages have them
    double after_ms = 0, dt_ms = 0; ///< from the step's start; of the reaction that takes them
    /// Place in a long step, and the tolerance; of a whole step where nothing rests.
    int at = 0, length = 1, index = 0;
    double tolerance_mV = 0;
    bool looks = false; ///< all chunks are looked at first (FrontWatch)
};

/// What the cells' steps take in place of the stimulus: with it what interpolation adds to the
/// currents at vertices. The front is found, listed and computed on the devices; the kernels are
/// cell_between.cuh. Each shard computes all tetrahedra of which it steps a vertex. The states of
/// vertices that another shard steps are read from that shard's memory, for tetrahedra of the front
/// alone; so nothing is exchanged but V, which diffusion needs too, and shards wait for each
/// other's currents before they step these cells.
/// @thread that of the stepper; what it enqueues can be captured
template <class Real>
class FrontCurrents
{
  public:
    /// @param p  with interpolated currents
    FrontCurrents(const TissueProblem& p, Tissue<Real>& tissue);

    /// Enqueues the currents of all shards behind what is on its way to halos, and on one shard
    /// behind what its main stream holds.
    void enqueue(const CurrentMoment& at);
    /// The kernels of one shard alone, on its main stream.
    void launch(std::size_t shard, const CurrentMoment& at) const;
    /// A reaction takes them from here on.
    void give_to(Reaction<Real>& cells, std::size_t shard, std::size_t group) const
    {
        cells.watch = watch(shard, group);
        cells.stimulus = here_[shard].total.data();
        cells.driven = here_[shard].currents.data();
    }
    void set_types(std::size_t group, std::span<const cell::CellType> types);
    /// V is another one than what steps have led to, and the next step may be a later one of a long
    /// step; first steps of all look for themselves.
    void restored(const CurrentMoment& at);

    /// Of a shard, from all that its status counted.
    /// @param calls  of its kernels so far
    KernelRecord record(std::size_t shard, std::int64_t calls) const;

  private:
    /// Of one shard.
    struct Here
    {
        std::vector<std::unique_ptr<CompiledCurrent<Real>>> code; ///< of each group
        std::vector<std::int32_t> first_chunk;
        std::size_t tetrahedra = 0;
        Buffer<FrontChunk> chunk;
        Buffer<std::int32_t> vertex, slice, list;
        Buffer<FrontCorners> corners;
        Buffer<FrontCornersOfChunk> corners_of_chunk;
        Buffer<Real> volume, per_mass, corner_rate, total;
        Buffer<std::uint32_t> first, star, in_front, touched, currents, count;
        Buffer<FrontPlace> halo;
        Buffer<FrontPeer<Real>> peer; ///< [groups][shards]
        /// Where unknowns rest, for FrontWatch.
        Buffer<Real> v_then;
        Buffer<std::uint32_t> strayed, first_near, listed, near_count;
        Buffer<std::int32_t> near, near_list;
    };
    Here make(const TissueProblem& p, const ShardState<Real>& s) const;
    Front<Real> front(std::size_t shard, std::size_t group, const CurrentMoment& at) const;
    FrontWatch<Real> watch(std::size_t shard, std::size_t group) const;
    void look(std::size_t shard, const CurrentMoment& at) const;

    Tissue<Real>& t_;
    std::vector<Here> here_;
};
extern template class FrontCurrents<double>;
extern template class FrontCurrents<float>;

} // namespace tawara::device::cuda
