// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/calcium/cuda/tissue_cells.cuh"

#include "engine/calcium/cuda/cell_numbers.hpp"
#include "engine/calcium/picture.hpp"
#include "engine/core/error.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>

namespace tawara::calcium::cuda {

using device::cuda::Buffer;
using device::cuda::check;
using device::cuda::Current;
using device::cuda::DeviceReaction;
using device::cuda::GroupCells;
using device::cuda::ReactionLaunch;

namespace {

/// The step of which a start tells when dyads were active last: long ago with any.
constexpr double first_dt_ms = 0.005;

std::size_t blocks_in(std::size_t dyads)
{
    return (dyads + block_dyads - 1) / block_dyads;
}

template <class Real>
std::size_t bytes_in_tissue(const DyadLayout<Real>& layout)
{
    return layout.bytes() + layout.room() * (2 * sizeof(Real) + sizeof(double)) +
           blocks_in(layout.dyads()) * sizeof(DyadSums) + sizeof(CellState) +
           sizeof(MembraneCurrents) + sizeof(Position) + sizeof(CellInput<Real>) +
           sizeof(std::uint64_t) + sizeof(std::uint16_t);
}

std::string gigabytes(std::size_t bytes)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3g GB", static_cast<double>(bytes) / 1e9);
    return text;
}

template <class Real>
TissueStart<Real> start_of(const DyadType& type)
{
    const DyadLayout<Real> one(Grid{1, 1, 1});
    AlignedVector<std::byte> memory(one.bytes());
    const auto a = one.arrays(memory.data());
    TissueStart<Real> out{};
    calcium::begin(type.parameters, *type.start, one, first_dt_ms, RandomPlace{}, out.cell, a);
    out.dyad = {a.c_myo[0], a.c_ss[0],      a.c_d[0], a.n_ca[0], a.camk_t[0], a.c_nsr[0],
                a.c_jsr[0], a.activated[0], 0,        0,         0,           0};
    out.RyR = type.parameters.RyR;
    out.available = type.start->c_jsr / (type.start->c_jsr + type.parameters.K_inhibit);
    return out;
}

} // namespace

template <class Real>
TissueCells<Real>::TissueCells(std::vector<DyadType> types, const Grid& grid, std::uint64_t seed)
    : types_(std::move(types)), grid_(grid), seed_(seed), layout_(grid),
      numbers_(cell::numbers_per_unknown(dyad_state_arrays(layout_)))
{
}

/// @throws InputError where so many cells do not fit
template <class Real>
void TissueCells<Real>::need_room(std::size_t cells, int device) const
{
    const Current here(device);
    std::size_t free = 0, all = 0;
    check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo", device);
    const std::size_t each = bytes_in_tissue(layout_), fit = free / each;
    if (cells > fit) {
        const std::size_t dyads = free / cells * layout_.dyads() / each / 100 * 100;
        const bool fewer = dyads >= 100 && layout_.dyads() > 100;
        throw InputError("", "/tissue/regions",
                         std::to_string(cells) + " cells with " + std::to_string(layout_.dyads()) +
                             " dyads each take " + gigabytes(cells * each) +
                             ", and cuda:" + std::to_string(device) + " has " + gigabytes(free) +
                             " free, enough for " + std::to_string(fit) + " such cells" +
                             (fewer ? " or " + std::to_string(dyads) + " dyads in each" : "") +
                             "; take more devices" +
                             (sizeof(Real) == 8 ? ", --precision single" : "") +
                             " or fewer dyads (\"dyads\")");
    }
    constexpr std::size_t most = std::size_t{1} << 28;
    if (cells > most / blocks_in(layout_.dyads()))
        throw InputError("", "/tissue/regions",
                         "a device takes at most 2^28 blocks of 128 dyads, and " +
                             std::to_string(cells) + " cells have more; take more devices");
}

template <class Real>
void TissueCells<Real>::take_memory(std::size_t cells, int device)
{
    const std::size_t beside = cells * layout_.room();
    memory_ = Buffer<std::byte>(cells * layout_.bytes(), device);
    beside_myo_ = Buffer<Real>(beside, device);
    beside_ss_ = Buffer<Real>(beside, device);
    beside_nsr_ = Buffer<double>(beside, device);
    cell_ = Buffer<CellState>(cells, device);
    currents_ = Buffer<MembraneCurrents>(cells, device);
    position_ = Buffer<Position>(cells, device);
    input_ = Buffer<CellInput<Real>>(cells, device);
    sums_ = Buffer<DyadSums>(cells * blocks_in(layout_.dyads()), device);
    cells_ = cells;
}

template <class Real>
void TissueCells<Real>::upload_types(StreamRef s)
{
    std::vector<TissueType> rows;
    std::vector<DyadConstants<Real>> constants;
    std::vector<Opening> openings;
    for (const auto& type : types_) {
        const CellModel<Real> model(type.parameters, grid_, dt_ms_);
        rows.push_back({model.membrane, static_cast<std::int32_t>(openings.size()),
                        static_cast<std::int32_t>(type.forced.size())});
        constants.push_back(model.dyad);
        for (const auto& f : type.forced)
            openings.push_back({f.from_ms, f.until_ms});
    }
    constants_ = constants.front();
    table_ = device::cuda::uploaded(rows, s);
    openings_ = device::cuda::uploaded(openings, s);
    if (types_.size() > 1)
        constants_of_type_ = device::cuda::uploaded(constants, s);
}

template <class Real>
void TissueCells<Real>::begin(const GroupCells& group, std::span<Real> v, StreamRef s)
{
    const Current here(s.device);
    std::vector<std::uint64_t> unknown;
    std::vector<std::uint16_t> type;
    for (const auto& r : group.ranges) {
        ranges_.push_back({r.begin, r.end, unknown.size()});
        for (auto slot = static_cast<std::size_t>(r.begin); slot < static_cast<std::size_t>(r.end);
             ++slot) {
            unknown.push_back(static_cast<std::uint64_t>(group.unknown[slot]));
            type.push_back(group.type[slot]);
        }
        constexpr auto slice = static_cast<std::int64_t>(partition::Subdomain::slice);
        const auto whole = std::min<std::int64_t>((r.end + slice - 1) / slice * slice,
                                                  static_cast<std::int64_t>(v.size()));
        for (auto slot = static_cast<std::size_t>(r.begin); slot < static_cast<std::size_t>(whole);
             ++slot)
            v[slot] = static_cast<Real>(types_.at(group.type[slot]).start->cell.v);
    }
    dt_ms_ = group.dt_ms;
    need_room(unknown.size(), s.device);
    take_memory(unknown.size(), s.device);
    upload_types(s);
    unknown_ = device::cuda::uploaded(unknown, s);
    type_ = device::cuda::uploaded(type, s);
    std::vector<TissueStart<Real>> starts;
    for (const auto& t : types_)
        starts.push_back(start_of<Real>(t));
    const auto on_device = device::cuda::uploaded(starts, s);
    if (cells_ > 0)
        enqueue_tissue_start(s, part(0, cells_), on_device.data(), unknown_.data());
    s.synchronize();
}

/// The cells [first, first + count).
template <class Real>
View<Real> TissueCells<Real>::part(std::size_t first, std::size_t count) const
{
    const auto blocks = static_cast<std::uint32_t>(blocks_in(layout_.dyads()));
    const std::size_t beside = first * layout_.room();
    return {.first = layout_.arrays(memory_.data() + first * layout_.bytes()),
            .bytes = layout_.bytes(),
            .room = layout_.room(),
            .beside_myo = beside_myo_.data() + beside,
            .beside_ss = beside_ss_.data() + beside,
            .beside_nsr = beside_nsr_.data() + beside,
            .cells = static_cast<std::uint32_t>(count),
            .dyads = static_cast<std::uint32_t>(layout_.dyads()),
            .blocks = blocks,
            .nx = grid_.nx,
            .ny = grid_.ny,
            .nz = grid_.nz,
            .by_blocks = Divisor(blocks),
            .by_nx = Divisor(static_cast<std::uint32_t>(grid_.nx)),
            .by_ny = Divisor(static_cast<std::uint32_t>(grid_.ny)),
            .seed = seed_,
            .number = 0,
            .stream = 0,
            .cell = cell_.data() + first,
            .step = nullptr,
            .v = nullptr,
            .stimulus = nullptr,
            .position = position_.data() + first,
            .input = input_.data() + first,
            .sums = sums_.data() + first * blocks,
            .timetable = nullptr,
            .type = type_.data() + first,
            .of_type = types_.size() > 1 ? constants_of_type_.data() : nullptr};
}

template <class Real>
void TissueCells<Real>::launch(StreamRef s, const ReactionLaunch<Real>& l) const
{
    const auto range = std::find_if(ranges_.begin(), ranges_.end(),
                                    [&](const Range& r) { return r.begin == l.moment.begin; });
    if (range == ranges_.end() || range->end != l.moment.end || l.pass)
        throw Error("cells with dyads were asked for slots that are not a range of theirs, or for "
                    "a diffusion pass");
    auto w = part(range->first, static_cast<std::size_t>(range->end - range->begin));
    w.stream = static_cast<std::uint16_t>(l.moment.part);
    const TissueStep<Real> step{l.cells,
                                l.moment,
                                l.after_ms,
                                l.dt_ms,
                                table_.data(),
                                openings_.data(),
                                unknown_.data() + range->first,
                                currents_.data() + range->first};
    enqueue_tissue_begin(s, w, step);
    enqueue_dyads(s, constants_, w);
    enqueue_tissue_end(s, w, step);
}

template <class Real>
void TissueCells<Real>::set_types(std::span<const cell::CellType> types, StreamRef s)
{
    const Current here(s.device);
    std::vector<DyadType> next;
    for (const auto& t : types) {
        next.push_back(dyad_type(t));
        if (next.back().parameters.RyR != types_.front().parameters.RyR)
            throw InputError("cell types", another_RyR);
    }
    settle(0, cells_, s); // the last step's diffusion is that of the types so far
    std::swap(types_, next);
    try {
        upload_types(s);
    } catch (...) {
        std::swap(types_, next);
        throw;
    }
}

/// Diffuses what has not, and brings it to its first place.
template <class Real>
void TissueCells<Real>::settle(std::size_t first, std::size_t count, StreamRef s)
{
    if (count == 0)
        return;
    const auto w = part(first, count);
    enqueue_settle(s, constants_, w);
    enqueue_home(s, w);
}

template <class Real>
std::size_t TissueCells<Real>::cell_at(std::int32_t slot) const
{
    for (const auto& r : ranges_)
        if (slot >= r.begin && slot < r.end)
            return r.first + static_cast<std::size_t>(slot - r.begin);
    throw Error("slot " + std::to_string(slot) + " has no cell with dyads");
}

template <class Real>
void TissueCells<Real>::save(std::span<const std::int32_t> slots, std::span<double> numbers,
                             StreamRef s)
{
    const Current here(s.device);
    const std::size_t bytes = layout_.bytes();
    AlignedVector<std::byte> dyads(slots.size() * bytes);
    std::vector<CellState> cells(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const std::size_t at = cell_at(slots[i]);
        settle(at, 1, s);
        check(cudaMemcpyAsync(dyads.data() + i * bytes, memory_.data() + at * bytes, bytes,
                              cudaMemcpyDeviceToHost, s.handle),
              "cudaMemcpyAsync", s.device);
        check(cudaMemcpyAsync(&cells[i], cell_.data() + at, sizeof(CellState),
                              cudaMemcpyDeviceToHost, s.handle),
              "cudaMemcpyAsync", s.device);
    }
    s.synchronize();
    for (std::size_t i = 0; i < slots.size(); ++i)
        to_numbers(cells[i], layout_.arrays(dyads.data() + i * bytes), layout_.room(),
                   numbers.subspan(i * numbers_, numbers_));
}

template <class Real>
void TissueCells<Real>::restore(std::span<const std::int32_t> slots,
                                std::span<const double> numbers, StreamRef s)
{
    const Current here(s.device);
    const std::size_t bytes = layout_.bytes();
    AlignedVector<std::byte> dyads(slots.size() * bytes);
    std::vector<CellState> cells(slots.size(), CellState{});
    const Position start;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        from_numbers(numbers.subspan(i * numbers_, numbers_), layout_.room(), cells[i],
                     layout_.arrays(dyads.data() + i * bytes));
        const std::size_t at = cell_at(slots[i]);
        const auto upload = [&](void* to, const void* from, std::size_t n) {
            check(cudaMemcpyAsync(to, from, n, cudaMemcpyHostToDevice, s.handle), "cudaMemcpyAsync",
                  s.device);
        };
        upload(memory_.data() + at * bytes, dyads.data() + i * bytes, bytes);
        upload(cell_.data() + at, &cells[i], sizeof(CellState));
        upload(position_.data() + at, &start, sizeof start);
    }
    s.synchronize();
}

template <class Real>
double TissueCells<Real>::bytes_per_step() const
{
    // all is read once, but activated and the counts written by few; what diffuses has two places
    constexpr auto of_dyad = 2.0 * DyadArrays<Real>::bytes - 8;
    return static_cast<double>(layout_.dyads()) * of_dyad + 2.0 * sizeof(CellState);
}

template class TissueCells<double>;
template class TissueCells<float>;

namespace {

class TissueModel final : public DyadReactionModel, public device::cuda::CudaReactionModel
{
  public:
    using DyadReactionModel::DyadReactionModel;
    std::unique_ptr<DeviceReaction<double>> on_cuda_double(StreamRef) const override
    {
        return std::make_unique<TissueCells<double>>(table(), grid(), seed());
    }
    std::unique_ptr<DeviceReaction<float>> on_cuda_single(StreamRef) const override
    {
        return std::make_unique<TissueCells<float>>(table(), grid(), seed());
    }
};

} // namespace

std::shared_ptr<const DyadReactionModel> tissue_model(std::vector<DyadType> types, const Grid& grid,
                                                      std::uint64_t seed)
{
    return std::make_shared<TissueModel>(std::move(types), grid, seed);
}

double tissue_bytes_of_cell(const Grid& grid, bool single)
{
    return static_cast<double>(single ? bytes_in_tissue(DyadLayout<float>(grid))
                                      : bytes_in_tissue(DyadLayout<double>(grid)));
}

} // namespace tawara::calcium::cuda
