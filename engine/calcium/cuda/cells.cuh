// SPDX-License-Identifier: GPL-3.0-or-later
// O'Hara-Rudy cells with stochastic dyads on CUDA devices.
#pragma once
#include "engine/calcium/cuda/kernels.cuh"

#include <memory>
#include <span>
#include <vector>

namespace tawara::calcium::cuda {

/// Cells on one device. Enqueued work is done in the order of its stream; what the host reads waits
/// for the own stream.
/// @thread one at a time
template <class Real>
class DeviceCells
{
  public:
    /// @param first  number of the first cell, of which random numbers depend
    /// @throws Error with how many cells would fit, where these do not; DeviceError
    DeviceCells(const CellModel<Real>& model, std::size_t count, std::uint64_t seed,
                std::uint64_t first, int device);

    std::size_t size() const { return view_.cells; }
    StreamRef stream() const { return stream_; }
    void begin(const Start& start);
    /// From now on; cells are stimulated by their numbers of stimulus().
    void set_timetable(const Timetable& timetable);

    /// In this order they are a step. They can be captured; a graph of them can be launched again,
    /// since devices count steps. Between end and begin other kernels may read and write v() and
    /// stimulus(). `between` is the one and the other.
    void enqueue_begin(StreamRef s) { enqueue(s, CellWork::begin); }
    void enqueue_dyads(StreamRef s);
    void enqueue_end(StreamRef s) { enqueue(s, CellWork::end); }
    void enqueue_between(StreamRef s) { enqueue(s, CellWork::both); }
    /// Enqueues so many steps on the own stream, most of them as graphs; does not wait.
    void advance(std::int64_t steps);
    double* v() { return v_.data(); }               ///< of each cell [mV]
    double* stimulus() { return stimulus_.data(); } ///< of each cell [pA/pF]; 0 at first

    /// The next step has this number; 0 at first.
    void enqueue_step_number(StreamRef s, std::int64_t step);
    CellState cell(std::size_t i);
    CellStep last(std::size_t i);
    /// What a cell's dyads were told in the last step.
    DyadInput<Real> told(std::size_t i);
    std::vector<Observation> observed();

    /// Membranes (CellState, size() of them) and dyads (bytes of the layout) of all cells.
    void save(std::span<std::byte> membranes, std::span<std::byte> dyads);
    void restore(std::span<const std::byte> membranes, std::span<const std::byte> dyads);

  private:
    void enqueue(StreamRef s, CellWork work);
    void enqueue_steps(std::int64_t steps);
    void settle();
    template <class T>
    T downloaded(const T* from);

    CellModel<Real> model_;
    View<Real> view_;
    device::cuda::Stream stream_;
    device::cuda::Buffer<std::byte> memory_;
    device::cuda::Buffer<Real> beside_myo_, beside_ss_;
    device::cuda::Buffer<double> beside_nsr_, v_, stimulus_;
    device::cuda::Buffer<CellState> cell_;
    device::cuda::Buffer<CellStep> step_;
    device::cuda::Buffer<Position> position_;
    device::cuda::Buffer<CellInput<Real>> input_;
    device::cuda::Buffer<DyadSums> sums_;
    device::cuda::Buffer<Timetable> timetable_;
    device::cuda::Buffer<Observation> observed_;
    device::cuda::Graph graph_;
};
extern template class DeviceCells<double>;
extern template class DeviceCells<float>;

/// Bytes of a device's memory that a cell takes: its state, and beside it a second place of what
/// diffuses (24 bytes a dyad, 16 in mixed precision), sums of blocks and inputs.
template <class Real>
std::size_t device_bytes_of_cell(const DyadLayout<Real>& layout);
extern template std::size_t device_bytes_of_cell(const DyadLayout<double>&);
extern template std::size_t device_bytes_of_cell(const DyadLayout<float>&);

/// A batch of cells on several devices, each with an equal contiguous share. Results do not depend
/// on how many these are. States are those of calcium::Cells: one goes on with the other's, though
/// not with the same bits, since e^x is rounded otherwise on devices.
template <class Real>
class Cells
{
  public:
    /// @param devices  CUDA's numbers, at least one; one may be named several times
    /// @throws InputError, DeviceError, Error as DeviceCells
    Cells(const CellModel<Real>& model, std::size_t count, std::uint64_t seed,
          std::vector<int> devices, std::uint64_t first = 0);

    const CellModel<Real>& model() const { return model_; }
    std::size_t size() const { return count_; }
    void begin(const Start& start);
    /// @param timetable  of steps, all below 2^31
    /// @param stimulus   of each cell while a pulse is on [pA/pF]
    void set_timetable(const Timetable& timetable, std::span<const double> stimulus);
    /// Steps all cells, with no host in the loop; does not wait for the devices.
    /// @param step  number of the first step
    void advance(std::int64_t step, std::int64_t steps);
    /// Waits until all devices have done what they were given.
    void wait() const;

    CellState cell(std::size_t i);
    CellStep last(std::size_t i);
    std::vector<Observation> observed();
    std::size_t devices() const { return parts_.size(); }
    DeviceCells<Real>& part(std::size_t device) { return *parts_[device]; }

    std::vector<std::byte> save();
    /// @throws Error for a state of other cells
    void restore(std::span<const std::byte> saved);

  private:
    template <class Function>
    void for_each_part(const Function& f);
    DeviceCells<Real>& part_of(std::size_t& i);

    CellModel<Real> model_;
    std::size_t count_;
    std::vector<std::unique_ptr<DeviceCells<Real>>> parts_;
};
extern template class Cells<double>;
extern template class Cells<float>;

} // namespace tawara::calcium::cuda
