// SPDX-License-Identifier: GPL-3.0-or-later
// The cells with dyads of one group of a tissue on one device.
#pragma once
#include "engine/calcium/cuda/reaction.hpp"
#include "engine/calcium/cuda/tissue.cuh"
#include "engine/device/cuda/device_reaction.cuh"

#include <cstddef>
#include <span>
#include <vector>

namespace tawara::calcium::cuda {

/// Keeps the states of its cells as DeviceCells does: each cell's dyads together, what diffuses in
/// two places. A step is three kernels: what cells have once, the dyads, sums and V.
template <class Real>
class TissueCells final : public device::cuda::DeviceReaction<Real>,
                          public device::cuda::KeptStates<Real>
{
  public:
    TissueCells(std::vector<DyadType> types, const Grid& grid, std::uint64_t seed);

    void launch(StreamRef s, const device::cuda::ReactionLaunch<Real>& l) const override;
    device::cuda::KeptStates<Real>* kept_states() override { return this; }
    /// @throws InputError for another number of RyR a dyad
    void set_types(std::span<const cell::CellType> types, StreamRef s) override;

    void begin(const device::cuda::GroupCells& cells, std::span<Real> v, StreamRef s) override;
    std::size_t numbers() const override { return numbers_; }
    void save(std::span<const std::int32_t> slots, std::span<double> numbers, StreamRef s) override;
    void restore(std::span<const std::int32_t> slots, std::span<const double> numbers,
                 StreamRef s) override;
    double bytes_per_step() const override;

  private:
    /// Slots of the tissue, and the first of its cells here.
    struct Range
    {
        std::int64_t begin, end;
        std::size_t first;
    };
    void need_room(std::size_t cells, int device) const;
    void take_memory(std::size_t cells, int device);
    void upload_types(StreamRef s);
    View<Real> part(std::size_t first, std::size_t count) const;
    std::size_t cell_at(std::int32_t slot) const;
    void settle(std::size_t first, std::size_t count, StreamRef s);

    std::vector<DyadType> types_;
    Grid grid_;
    std::uint64_t seed_;
    DyadLayout<Real> layout_;
    std::size_t numbers_;
    double dt_ms_ = 0;
    std::size_t cells_ = 0;
    std::vector<Range> ranges_;
    DyadConstants<Real> constants_{}; ///< of the only type, where there is one

    device::cuda::Buffer<std::byte> memory_;
    device::cuda::Buffer<Real> beside_myo_, beside_ss_;
    device::cuda::Buffer<double> beside_nsr_;
    device::cuda::Buffer<CellState> cell_;
    device::cuda::Buffer<MembraneCurrents> currents_;
    device::cuda::Buffer<Position> position_;
    device::cuda::Buffer<CellInput<Real>> input_;
    device::cuda::Buffer<DyadSums> sums_;
    device::cuda::Buffer<std::uint64_t> unknown_;
    device::cuda::Buffer<std::uint16_t> type_;
    device::cuda::Buffer<TissueType> table_;
    device::cuda::Buffer<DyadConstants<Real>> constants_of_type_;
    device::cuda::Buffer<Opening> openings_;
};
extern template class TissueCells<double>;
extern template class TissueCells<float>;

} // namespace tawara::calcium::cuda
