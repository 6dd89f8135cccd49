// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/calcium/cuda/cells.cuh"

#include "engine/core/error.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace tawara::calcium::cuda {

using device::cuda::Buffer;
using device::cuda::check;
using device::cuda::Current;
using device::cuda::Graph;

namespace {

constexpr std::int64_t steps_in_graph = 20;

std::size_t blocks_of(std::size_t dyads)
{
    return (dyads + block_dyads - 1) / block_dyads;
}

template <class Real>
std::size_t places_beside(std::size_t room)
{
    return room * (2 * sizeof(Real) + sizeof(double));
}

/// @throws Error where so many cells do not fit
template <class Real>
void check_room(const DyadLayout<Real>& layout, std::size_t count, int device)
{
    const Current here(device);
    std::size_t free = 0, all = 0;
    check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo", device);
    const std::size_t each = device_bytes_of_cell(layout), fit = free / each;
    if (count > fit)
        throw Error(
            std::to_string(count) + " cells of " + std::to_string(layout.dyads()) + " dyads take " +
            std::to_string(count * each / 1'000'000) + " MB, but cuda:" + std::to_string(device) +
            " has " + std::to_string(free / 1'000'000) + " MB free, enough for " +
            std::to_string(fit) + "; take more devices, mixed precision or fewer dyads in a cell");
    if (count >
        std::size_t{std::numeric_limits<std::int32_t>::max()} / 8 / blocks_of(layout.dyads()))
        throw Error("a device takes at most 2^28 blocks of 128 dyads");
}

} // namespace

template <class Real>
std::size_t device_bytes_of_cell(const DyadLayout<Real>& layout)
{
    return layout.bytes() + places_beside<Real>(layout.room()) +
           blocks_of(layout.dyads()) * sizeof(DyadSums) + sizeof(CellState) + sizeof(CellStep) +
           sizeof(Position) + sizeof(CellInput<Real>) + sizeof(Observation) + 2 * sizeof(double);
}
template std::size_t device_bytes_of_cell(const DyadLayout<double>&);
template std::size_t device_bytes_of_cell(const DyadLayout<float>&);

template <class Real>
DeviceCells<Real>::DeviceCells(const CellModel<Real>& model, std::size_t count, std::uint64_t seed,
                               std::uint64_t first, int device)
    : model_(model), view_{.first = {},
                           .bytes = model.layout.bytes(),
                           .room = model.layout.room(),
                           .beside_myo = nullptr,
                           .beside_ss = nullptr,
                           .beside_nsr = nullptr,
                           .cells = static_cast<std::uint32_t>(count),
                           .dyads = static_cast<std::uint32_t>(model.layout.dyads()),
                           .blocks = static_cast<std::uint32_t>(blocks_of(model.layout.dyads())),
                           .nx = model.grid.nx,
                           .ny = model.grid.ny,
                           .nz = model.grid.nz,
                           .by_blocks =
                               Divisor(static_cast<std::uint32_t>(blocks_of(model.layout.dyads()))),
                           .by_nx = Divisor(static_cast<std::uint32_t>(model.grid.nx)),
                           .by_ny = Divisor(static_cast<std::uint32_t>(model.grid.ny)),
                           .seed = seed,
                           .number = first,
                           .stream = 0,
                           .cell = nullptr,
                           .step = nullptr,
                           .v = nullptr,
                           .stimulus = nullptr,
                           .position = nullptr,
                           .input = nullptr,
                           .sums = nullptr,
                           .timetable = nullptr},
      stream_(device)
{
    check_room(model.layout, count, device);
    const std::size_t beside = count * view_.room;
    const auto take = [&]<class T>(Buffer<T>& buffer, T*& to, std::size_t n) {
        buffer = Buffer<T>(n, device);
        to = buffer.data();
    };
    std::byte* memory = nullptr;
    take(memory_, memory, count * view_.bytes);
    view_.first = model.layout.arrays(memory);
    take(beside_myo_, view_.beside_myo, beside);
    take(beside_ss_, view_.beside_ss, beside);
    take(beside_nsr_, view_.beside_nsr, beside);
    take(cell_, view_.cell, count);
    take(step_, view_.step, count);
    take(v_, view_.v, count);
    take(stimulus_, view_.stimulus, count);
    take(position_, view_.position, count);
    take(input_, view_.input, count);
    take(sums_, view_.sums, count * view_.blocks);
    timetable_ = Buffer<Timetable>(1, device);
    view_.timetable = timetable_.data();
    observed_ = Buffer<Observation>(count, device);
    stimulus_.zero(stream_);
    set_timetable({});
}

template <class Real>
void DeviceCells<Real>::begin(const Start& start)
{
    const Current here(StreamRef(stream_).device);
    // the first cell by the host, all others from it, channels by each cell's numbers
    const Parameters& p = model_.membrane.p;
    AlignedVector<std::byte> memory(view_.bytes);
    CellState cell;
    calcium::begin(p, start, model_.layout, model_.membrane.dt_ms, RandomPlace{}, cell,
                   model_.layout.arrays(memory.data()));
    cell_.upload(std::span(&cell, 1), stream_);
    memory_.upload(memory, stream_);
    enqueue_spread(stream_, view_, p.RyR, start.c_jsr / (start.c_jsr + p.K_inhibit));
    stream_->synchronize();
}

template <class Real>
void DeviceCells<Real>::set_timetable(const Timetable& timetable)
{
    timetable_.upload(std::span(&timetable, 1), stream_);
    stream_->synchronize();
}

template <class Real>
void DeviceCells<Real>::enqueue(StreamRef s, CellWork work)
{
    const Current here(s.device);
    enqueue_cells(s, model_.membrane, view_, work);
}

template <class Real>
void DeviceCells<Real>::enqueue_dyads(StreamRef s)
{
    const Current here(s.device);
    cuda::enqueue_dyads(s, model_.dyad, view_);
}

template <class Real>
void DeviceCells<Real>::enqueue_step_number(StreamRef s, std::int64_t step)
{
    const Current here(s.device);
    enqueue_number(s, view_, step);
}

template <class Real>
void DeviceCells<Real>::enqueue_steps(std::int64_t steps)
{
    enqueue_begin(stream_);
    for (std::int64_t k = 0; k < steps; ++k) {
        enqueue_dyads(stream_);
        if (k + 1 < steps)
            enqueue_between(stream_);
    }
    enqueue_end(stream_);
}

template <class Real>
void DeviceCells<Real>::advance(std::int64_t steps)
{
    if (steps >= steps_in_graph && !graph_)
        graph_ = Graph::capture(stream_, [&] { enqueue_steps(steps_in_graph); });
    for (; steps >= steps_in_graph; steps -= steps_in_graph)
        graph_.launch(stream_);
    if (steps > 0)
        enqueue_steps(steps);
}

template <class Real>
template <class T>
T DeviceCells<Real>::downloaded(const T* from)
{
    T out;
    check(cudaMemcpyAsync(&out, from, sizeof(T), cudaMemcpyDeviceToHost, StreamRef(stream_).handle),
          "cudaMemcpyAsync", StreamRef(stream_).device);
    stream_->synchronize();
    return out;
}

template <class Real>
void DeviceCells<Real>::settle()
{
    const Current here(StreamRef(stream_).device);
    enqueue_settle(stream_, model_.dyad, view_);
}

template <class Real>
CellState DeviceCells<Real>::cell(std::size_t i)
{
    CellState s = downloaded(view_.cell + i);
    s.v = downloaded(view_.v + i);
    return s;
}

template <class Real>
CellStep DeviceCells<Real>::last(std::size_t i)
{
    return downloaded(view_.step + i);
}

template <class Real>
DyadInput<Real> DeviceCells<Real>::told(std::size_t i)
{
    return downloaded(view_.input + i).dyads;
}

template <class Real>
std::vector<Observation> DeviceCells<Real>::observed()
{
    settle();
    const Current here(StreamRef(stream_).device);
    enqueue_observe(stream_, model_.dyad, view_, observed_.data());
    std::vector<Observation> out(size());
    observed_.download(out, stream_);
    stream_->synchronize();
    return out;
}

template <class Real>
void DeviceCells<Real>::save(std::span<std::byte> membranes, std::span<std::byte> dyads)
{
    settle();
    const std::size_t pitch = sizeof(CellState);
    const auto copy = [&](void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                          std::size_t width, cudaMemcpyKind kind) {
        check(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, size(), kind,
                                StreamRef(stream_).handle),
              "cudaMemcpy2DAsync", StreamRef(stream_).device);
    };
    copy(&view_.cell->v, pitch, view_.v, sizeof(double), sizeof(double), cudaMemcpyDeviceToDevice);
    if (downloaded(view_.position).place != 0) { // the places of all cells are the same
        const auto into = [&](auto* to, const auto* from) {
            const std::size_t width = view_.room * sizeof *to;
            copy(to, view_.bytes, from, width, width, cudaMemcpyDeviceToDevice);
        };
        into(view_.first.c_myo, view_.beside_myo);
        into(view_.first.c_ss, view_.beside_ss);
        into(view_.first.c_nsr, view_.beside_nsr);
    }
    copy(membranes.data(), pitch, view_.cell, pitch, pitch, cudaMemcpyDeviceToHost);
    memory_.download(dyads, stream_);
    stream_->synchronize();
}

template <class Real>
void DeviceCells<Real>::restore(std::span<const std::byte> membranes,
                                std::span<const std::byte> dyads)
{
    check(cudaMemcpyAsync(view_.cell, membranes.data(), membranes.size(), cudaMemcpyHostToDevice,
                          StreamRef(stream_).handle),
          "cudaMemcpyAsync", StreamRef(stream_).device);
    check(cudaMemcpy2DAsync(view_.v, sizeof(double), &view_.cell->v, sizeof(CellState),
                            sizeof(double), size(), cudaMemcpyDeviceToDevice,
                            StreamRef(stream_).handle),
          "cudaMemcpy2DAsync", StreamRef(stream_).device);
    memory_.upload(dyads, stream_);
    const std::vector<Position> start(size());
    position_.upload(start, stream_);
    stream_->synchronize();
}

template class DeviceCells<double>;
template class DeviceCells<float>;

template <class Real>
Cells<Real>::Cells(const CellModel<Real>& model, std::size_t count, std::uint64_t seed,
                   std::vector<int> devices, std::uint64_t first)
    : model_(model), count_(count)
{
    if (count == 0 || devices.empty())
        throw InputError("--devices", "there is nothing to compute, or nothing that computes");
    const std::size_t n = std::min(devices.size(), count);
    for (std::size_t d = 0, done = 0; d < n; ++d) {
        const std::size_t end = count * (d + 1) / n;
        parts_.push_back(
            std::make_unique<DeviceCells<Real>>(model, end - done, seed, first + done, devices[d]));
        done = end;
    }
}

template <class Real>
template <class Function>
void Cells<Real>::for_each_part(const Function& f)
{
    std::size_t first = 0;
    for (const auto& part : parts_) {
        f(*part, first, part->size());
        first += part->size();
    }
}

template <class Real>
DeviceCells<Real>& Cells<Real>::part_of(std::size_t& i)
{
    std::size_t d = 0;
    for (; i >= parts_[d]->size(); ++d)
        i -= parts_[d]->size();
    return *parts_[d];
}

template <class Real>
void Cells<Real>::begin(const Start& start)
{
    for (const auto& part : parts_)
        part->begin(start);
}

template <class Real>
void Cells<Real>::set_timetable(const Timetable& timetable, std::span<const double> stimulus)
{
    for_each_part([&](DeviceCells<Real>& part, std::size_t first, std::size_t n) {
        check(cudaMemcpyAsync(part.stimulus(), stimulus.data() + first, n * sizeof(double),
                              cudaMemcpyHostToDevice, part.stream().handle),
              "cudaMemcpyAsync", part.stream().device);
        part.set_timetable(timetable);
    });
}

template <class Real>
void Cells<Real>::advance(std::int64_t step, std::int64_t steps)
{
    for (const auto& part : parts_) {
        part->enqueue_step_number(part->stream(), step);
        part->advance(steps);
    }
}

template <class Real>
void Cells<Real>::wait() const
{
    for (const auto& part : parts_)
        part->stream().synchronize();
}

template <class Real>
CellState Cells<Real>::cell(std::size_t i)
{
    auto& part = part_of(i);
    return part.cell(i);
}

template <class Real>
CellStep Cells<Real>::last(std::size_t i)
{
    auto& part = part_of(i);
    return part.last(i);
}

template <class Real>
std::vector<Observation> Cells<Real>::observed()
{
    std::vector<Observation> all;
    for (const auto& part : parts_) {
        const auto some = part->observed();
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

template <class Real>
std::vector<std::byte> Cells<Real>::save()
{
    constexpr std::size_t membrane = sizeof(CellState);
    const std::size_t dyads = model_.layout.bytes();
    std::vector<std::byte> out(count_ * (membrane + dyads));
    const std::span all(out);
    for_each_part([&](DeviceCells<Real>& part, std::size_t first, std::size_t n) {
        part.save(all.subspan(first * membrane, n * membrane),
                  all.subspan(count_ * membrane + first * dyads, n * dyads));
    });
    return out;
}

template <class Real>
void Cells<Real>::restore(std::span<const std::byte> saved)
{
    constexpr std::size_t membrane = sizeof(CellState);
    const std::size_t dyads = model_.layout.bytes();
    if (saved.size() != count_ * (membrane + dyads))
        throw Error("the saved state is one of other cells");
    for_each_part([&](DeviceCells<Real>& part, std::size_t first, std::size_t n) {
        part.restore(saved.subspan(first * membrane, n * membrane),
                     saved.subspan(count_ * membrane + first * dyads, n * dyads));
    });
}

template class Cells<double>;
template class Cells<float>;

} // namespace tawara::calcium::cuda
