// SPDX-License-Identifier: GPL-3.0-or-later
// y = A x for laid out matrices, a warp for each of the layout's. Reads, per place of a warp's
// lane, sizeof(Stored) + 2 bytes (4 where columns are wide); per row, 2 Reals, 0.5 to 16 bytes of
// the warp's record, and 4 bytes where results are scattered. In tiles also 4 bytes for each column
// that is not one of the tile's own rows.
#include "engine/core/error.hpp"
#include "engine/sparse/cuda/product.cuh"
#include "engine/sparse/cuda/warp_kernel.cuh"

#include <algorithm>
#include <limits>

namespace tawara::sparse::cuda {
namespace {

using device::cuda::check;
using device::cuda::launch;
using device::cuda::uploaded;

constexpr std::uint32_t line = 128; // bytes of the caches

/// What a warp asks the second-level cache for before it knows what it needs.
struct Ahead
{
    bool x = false;                              ///< the x of its own rows
    int distance = -1;                           ///< as WarpLaunch::distance
    std::uint32_t value_lines = 0, of_value = 0; ///< of all values, of a warp's share
    std::uint32_t word_lines = 0, of_word = 0;
};

__device__ __forceinline__ void ask_for(const void* of)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(of));
}

/// Asks for share `w` of an array.
__device__ __forceinline__ void ask_for_share(const void* of, std::uint32_t lines,
                                              std::uint32_t share, int w, int lane)
{
    const auto begin = static_cast<std::uint32_t>(w) * share;
    for (auto k = begin + static_cast<std::uint32_t>(lane); k < min(begin + share, lines); k += 32)
        ask_for(static_cast<const char*>(of) + std::size_t{k} * line);
}

template <class Stored>
__device__ __forceinline__ void ask_ahead(const WarpView<Stored>& a, const Ahead& ahead, int w,
                                          int lane)
{
    if (ahead.distance < 0)
        return;
    const auto both = [&](int of) {
        ask_for_share(a.word, ahead.word_lines, ahead.of_word, of, lane);
        ask_for_share(a.value, ahead.value_lines, ahead.of_value, of, lane);
    };
    if (ahead.distance == 0 || w < ahead.distance)
        both(w);
    if (ahead.distance > 0 && w < a.warps - ahead.distance)
        both(w + ahead.distance);
}

/// A lane's sum and, in the first lane of a row, the sum of its lanes; `mine` where there is a row.
template <class Stored, class Real, int pack, int flight>
__global__ void warp_kernel(const __grid_constant__ WarpView<Stored> a, const Real* __restrict__ x,
                            Real* __restrict__ y, const __grid_constant__ Ahead ahead)
{
    const int w = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
    if (w >= a.warps)
        return;
    const int lane = static_cast<int>(threadIdx.x % 32);
    ask_ahead(a, ahead, w, lane);
    const auto d = __ldg(reinterpret_cast<const uint4*>(a.record) + w);
    const auto end = __ldg(&a.record[w + 1].start);
    const int end_row = __ldg(&a.record[w + 1].first_row);
    const int shift = static_cast<int>(d.y >> 1 & 7U);
    const int row = static_cast<int>(d.w) + (lane >> shift);
    const bool mine = row < end_row && (lane & ((1 << shift) - 1)) == 0;
    if (ahead.x && mine)
        ask_for(x + row);
    const int to = mine && a.row_of ? __ldcs(a.row_of + row) : row;
    const int places = static_cast<int>(end - d.x);
    const Stored* value = a.value + std::size_t{d.x} * 32;
    const auto* word = a.word + std::size_t{d.y >> 4} * 32;
    const Real* from = x + static_cast<int>(d.z);
    Real sum = d.y & 1U
                   ? lane_sum<Streamed, Stored, std::int32_t, pack, flight>(
                         value, reinterpret_cast<const std::int32_t*>(word), lane, places, from)
                   : lane_sum<Streamed, Stored, std::uint16_t, pack, flight>(value, word, lane,
                                                                             places, from);
    for (int apart = (1 << shift) / 2; apart > 0; apart /= 2)
        sum += __shfl_down_sync(0xffffffffU, sum, static_cast<unsigned>(apart));
    if (mine)
        y[to] = sum;
}

/// Brings the x of a tile's columns together in `local`.
template <class Stored, class Real>
__device__ __forceinline__ void gather_tile(const WarpView<Stored>& a, int tile,
                                            const Real* __restrict__ x, Real* local)
{
    const int own = __ldg(a.tile_own + tile), first = __ldg(a.tile_first + tile),
              far = __ldg(a.tile_first + tile + 1) - first;
    const Real* mine = x + static_cast<std::ptrdiff_t>(tile) * a.tile_rows;
    const int threads = static_cast<int>(blockDim.x);
#pragma unroll 4
    for (int k = static_cast<int>(threadIdx.x); k < far; k += threads)
        local[own + k] = x[__ldcs(a.tile_column + first + k)];
#pragma unroll 4
    for (int k = static_cast<int>(threadIdx.x); k < own; k += threads)
        local[k] = mine[k];
}

template <class Stored, class Real, int pack, int flight>
__global__ void tile_kernel(const __grid_constant__ WarpView<Stored> a, const Real* __restrict__ x,
                            Real* __restrict__ y)
{
    extern __shared__ __align__(16) unsigned char shared[];
    auto* local = reinterpret_cast<Real*>(shared);
    const int tile = static_cast<int>(blockIdx.x), lane = static_cast<int>(threadIdx.x % 32);
    const int stride = static_cast<int>(blockDim.x / 32), of_tile = a.tile_rows / 32;
    const int last = min(a.warps, (tile + 1) * of_tile);
    int w = tile * of_tile + static_cast<int>(threadIdx.x / 32);
    uint4 d{};
    std::uint32_t end = 0;
    if (w < last) { // asked for before the wait below: the first rows' values
        d = __ldg(reinterpret_cast<const uint4*>(a.record) + w);
        end = __ldg(&a.record[w + 1].start);
        const auto bytes = (end - d.x) * std::uint32_t{32 * sizeof(Stored)};
        for (auto b = static_cast<std::uint32_t>(lane) * line; b < bytes; b += 32U * line)
            ask_for(reinterpret_cast<const char*>(a.value + std::size_t{d.x} * 32) + b);
    }
    gather_tile(a, tile, x, local);
    __syncthreads();
    while (w < last) {
        const int row = static_cast<int>(d.w) + lane;
        const int to = row < a.rows && a.row_of ? __ldcs(a.row_of + row) : row;
        const Real sum = lane_sum<Streamed, Stored, std::uint16_t, pack, flight>(
            a.value + std::size_t{d.x} * 32, a.word + std::size_t{d.x} * 32, lane,
            static_cast<int>(end - d.x), local);
        if (row < a.rows)
            y[to] = sum;
        w += stride;
        if (w < last) {
            d = __ldg(reinterpret_cast<const uint4*>(a.record) + w);
            end = __ldg(&a.record[w + 1].start);
        }
    }
}

/// Where a block of bulk_tile_kernel has its parts of shared memory [bytes]: values begin at 16.
struct BulkParts
{
    std::uint32_t words = 0, local = 0;
};

/// As tile_kernel, with the tile's values and words copied to shared memory in one piece each,
/// while x is brought together.
template <class Stored, class Real, int pack, int flight>
__global__ void bulk_tile_kernel(const __grid_constant__ WarpView<Stored> a,
                                 const Real* __restrict__ x, Real* __restrict__ y, BulkParts parts)
{
#if __CUDA_ARCH__ >= 900 // run_as() refuses others
    extern __shared__ __align__(16) unsigned char shared[];
    auto* local = reinterpret_cast<Real*>(shared + parts.local);
    const auto* value = reinterpret_cast<const Stored*>(shared + 16);
    const auto* word = reinterpret_cast<const std::uint16_t*>(shared + parts.words);
    const auto arrived = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
    const int tile = static_cast<int>(blockIdx.x), lane = static_cast<int>(threadIdx.x % 32);
    const int stride = static_cast<int>(blockDim.x / 32), of_tile = a.tile_rows / 32;
    const int first = tile * of_tile, last = min(a.warps, first + of_tile);
    const std::uint32_t begin = __ldg(&a.record[first].start);
    if (threadIdx.x == 0) {
        const std::uint32_t numbers = (__ldg(&a.record[last].start) - begin) * 32;
        const auto bytes = numbers * static_cast<std::uint32_t>(sizeof(Stored));
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(arrived) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(arrived),
                     "r"(bytes + numbers * 2)
                     : "memory");
        const auto copy = [&](std::uint32_t to, const void* from, std::uint32_t size) {
            if (size > 0)
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                             "[%0], [%1], %2, [%3];" ::"r"(arrived + to),
                             "l"(from), "r"(size), "r"(arrived)
                             : "memory");
        };
        copy(16, a.value + std::size_t{begin} * 32, bytes);
        copy(parts.words, a.word + std::size_t{begin} * 32, numbers * 2);
    }
    gather_tile(a, tile, x, local);
    __syncthreads();
    std::uint32_t done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; "
                     "selp.b32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(arrived)
                     : "memory");
    for (int w = first + static_cast<int>(threadIdx.x / 32); w < last; w += stride) {
        const std::uint32_t start = __ldg(&a.record[w].start);
        const auto from = (start - begin) * 32;
        const int row = w * 32 + lane;
        const Real sum = lane_sum<Local, Stored, std::uint16_t, pack, flight>(
            value + from, word + from, lane,
            static_cast<int>(__ldg(&a.record[w + 1].start) - start), local);
        if (row < a.rows)
            y[a.row_of ? __ldcs(a.row_of + row) : row] = sum;
    }
#endif
}

/// New values by the map from places to entries. Reads 4 bytes and 8 from anywhere, writes one
/// Stored, a place.
template <class Stored>
__global__ void renew_kernel(Stored* value, const std::int32_t* entry, const double* from,
                             std::int64_t n)
{
    const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    const int e = __ldcs(entry + k);
    __stcs(value + k, e < 0 ? Stored(0) : static_cast<Stored>(from[e]));
}

/// @throws Error where 32 bits do not do
template <class To, class From>
std::vector<To> as(const std::vector<From>& from)
{
    std::vector<To> out(from.size());
    std::transform(from.begin(), from.end(), out.begin(), [](From v) {
        if (!std::in_range<To>(v))
            throw Error("a sparse matrix is too large for 32-bit places on a GPU");
        return static_cast<To>(v);
    });
    return out;
}

std::vector<WarpRecord> records(const WarpLayout& l)
{
    std::vector<WarpRecord> out(static_cast<std::size_t>(l.warps()) + 1);
    constexpr std::int64_t lanes = WarpLayout::lanes;
    if (l.padded() / lanes > std::numeric_limits<std::uint32_t>::max() >> 5)
        throw Error("a sparse matrix is too large for 32-bit places on a GPU");
    for (std::size_t w = 0; w < out.size(); ++w) {
        auto& r = out[w];
        r.start = static_cast<std::uint32_t>(l.start[w] / lanes);
        r.first_row = l.first_row[w];
        if (w + 1 == out.size())
            break;
        std::uint32_t shift = 0;
        while (1U << shift < l.threads[w])
            ++shift;
        const bool narrow = l.options.narrow && l.options.tile == 0;
        const auto from = narrow ? l.column_start[w] >> 1 : 2 * l.start[w];
        const auto wide = narrow ? l.column_start[w] & 1 : 1;
        r.columns = static_cast<std::uint32_t>(from / lanes) << 4 | shift << 1 |
                    static_cast<std::uint32_t>(wide);
        r.base = narrow ? l.base[w] : 0;
    }
    return out;
}

/// Of the tile with the most numbers.
BulkParts bulk_parts(const WarpLayout& l, std::size_t bytes_of_value)
{
    const std::int64_t of_tile = l.options.tile / WarpLayout::lanes;
    std::int64_t most = 0;
    for (std::int64_t t = 0; t < l.tiles(); ++t)
        most = std::max(most,
                        l.start[static_cast<std::size_t>(std::min(l.warps(), (t + 1) * of_tile))] -
                            l.start[static_cast<std::size_t>(t * of_tile)]);
    most = std::min<std::int64_t>(most, 1 << 20); // too large anyway
    const auto words = 16 + static_cast<std::size_t>(most) * bytes_of_value;
    const auto local = words + 2 * static_cast<std::size_t>(most);
    return {static_cast<std::uint32_t>(words), static_cast<std::uint32_t>(local)};
}

template <class T>
Buffer<T> uploaded_span(std::span<const T> from, StreamRef s)
{
    Buffer<T> b(from.size(), s.device);
    b.upload(from, s);
    s.synchronize();
    return b;
}

template <class Stored, class Real>
class LaidOutProduct : public WarpProduct<Real>
{
  public:
    LaidOutProduct(StreamRef s, const WarpLayout& l, std::span<const double> value,
                   const WarpLaunch& how, ThreadPool& pool)
        : rows_(l.rows), warps_(l.warps()), bytes_(l.bytes(sizeof(Stored))), pack_(l.options.pack),
          tile_(l.options.tile), tiles_(l.tiles()),
          local_bytes_(static_cast<std::size_t>(l.largest_tile()) * sizeof(Real)),
          parts_(bulk_parts(l, sizeof(Stored)))
    {
        if (pack_ == 4 && sizeof(Stored) == 8)
            throw Error("packs of 4 are for matrices in single precision");
        check(cudaDeviceGetAttribute(&most_shared_, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                     s.device),
              "cudaDeviceGetAttribute", s.device);
        check(cudaDeviceGetAttribute(&major_, cudaDevAttrComputeCapabilityMajor, s.device),
              "cudaDeviceGetAttribute", s.device);
        run_as(how);
        // Vectors have Reals where the layout counts Stored ones.
        bytes_ += static_cast<double>(l.rows + l.columns) *
                  (static_cast<double>(sizeof(Real)) - static_cast<double>(sizeof(Stored)));
        record_ = uploaded(records(l), s);
        const auto laid = laid_out<Stored>(l, value, pool);
        value_ = uploaded_span<Stored>(laid, s);
        word_ = l.word.empty() ? uploaded_span<std::uint16_t>(
                                     {reinterpret_cast<const std::uint16_t*>(l.column.data()),
                                      2 * l.column.size()},
                                     s)
                               : uploaded_span<std::uint16_t>(l.word, s);
        if (!l.options.renumbered)
            row_of_ = uploaded(l.row_of, s);
        renewable_ = how.renewable;
        if (renewable_)
            entry_ = uploaded(as<std::int32_t>(l.entry), s);
        if (tile_ > 0) {
            tile_first_ = uploaded(as<std::int32_t>(l.tile_first), s);
            tile_own_ = uploaded(l.tile_own, s);
            tile_column_ = uploaded_span<std::int32_t>(l.tile_column, s);
        }
    }

    void run_as(const WarpLaunch& how) override
    {
        if (how.block < 32 || how.block > 1024 || how.block % 32 != 0 ||
            (how.flight != 2 && how.flight != 4 && how.flight != 8 && how.flight != 16))
            throw Error("products run in blocks of 32 to 1024 threads, a multiple of 32, and load "
                        "2, 4, 8 or 16 entries at once");
        if (how.bulk && tile_ == 0)
            throw Error("without tiles nothing is copied in bulk");
        if (how.bulk && major_ < 9)
            throw NoRoom("copies in bulk need a GPU of compute capability 9.0");
        const auto shared = shared_bytes(how);
        if (shared > static_cast<std::size_t>(most_shared_))
            throw NoRoom("a tile needs " + std::to_string(shared) +
                         " bytes of shared memory; a block can have " +
                         std::to_string(most_shared_));
        cudaFuncAttributes kernel{};
        with_kernel(how, [&](auto of_warps, auto of_tiles, auto in_bulk) {
            const auto ask = [&](auto k) { check(cudaFuncGetAttributes(&kernel, k), "kernel", 0); };
            tile_ == 0 ? ask(of_warps) : how.bulk ? ask(in_bulk) : ask(of_tiles);
        });
        if (kernel.maxThreadsPerBlock < how.block)
            throw NoRoom("a kernel of " + std::to_string(kernel.numRegs) +
                         " registers runs in blocks of " +
                         std::to_string(kernel.maxThreadsPerBlock) + " threads at most");
        how_ = how;
    }

    void multiply(StreamRef s, const Real* x, Real* y) const override
    {
        with_kernel(how_, [&](auto of_warps, auto of_tiles, auto in_bulk) {
            if (tile_ == 0)
                launch(s, "sparse: product", warps_ * 32, how_.block, of_warps, view(), x, y,
                       ahead());
            else if (how_.bulk)
                in_tiles(s, in_bulk, x, y, parts_);
            else
                in_tiles(s, of_tiles, x, y);
        });
    }

    void renew(StreamRef s, const double* value) override
    {
        if (!renewable_)
            throw Error("a matrix that was not made renewable has no new values");
        const auto n = static_cast<std::int64_t>(entry_.size());
        launch(s, "sparse: values", n, 256, renew_kernel<Stored>, value_.data(), entry_.data(),
               value, n);
    }

    double bytes() const override { return bytes_; }

  private:
    WarpView<Stored> view() const
    {
        WarpView<Stored> v;
        v.record = record_.data();
        v.value = value_.data();
        v.word = word_.data();
        v.row_of = row_of_.data();
        v.warps = static_cast<int>(warps_);
        v.rows = static_cast<int>(rows_);
        v.tile_first = tile_first_.data();
        v.tile_own = tile_own_.data();
        v.tile_column = tile_column_.data();
        v.tile_rows = tile_;
        return v;
    }
    Ahead ahead() const
    {
        Ahead h{how_.ahead, how_.distance};
        const auto lines = [](std::size_t bytes) {
            return static_cast<std::uint32_t>((bytes + line - 1) / line);
        };
        const auto warps = static_cast<std::uint32_t>(std::max<std::int64_t>(warps_, 1));
        h.value_lines = lines(value_.size() * sizeof(Stored));
        h.word_lines = lines(word_.size() * sizeof(std::uint16_t));
        h.of_value = (h.value_lines + warps - 1) / warps;
        h.of_word = (h.word_lines + warps - 1) / warps;
        return h;
    }
    std::size_t shared_bytes(const WarpLaunch& how) const
    {
        return tile_ == 0 ? 0 : how.bulk ? parts_.local + local_bytes_ : local_bytes_;
    }
    /// Calls use() with the kernels for warps, tiles, and tiles copied in bulk.
    template <class Use>
    void with_kernel(const WarpLaunch& how, const Use& use) const
    {
        pack_ == 1   ? with_flight<1>(how, use)
        : pack_ == 2 ? with_flight<2>(how, use)
                     : with_flight<sizeof(Stored) == 4 ? 4 : 2>(how, use);
    }
    template <int pack, class Use>
    void with_flight(const WarpLaunch& how, const Use& use) const
    {
        how.flight == 2   ? with_both<pack, std::max(2, pack)>(use)
        : how.flight == 4 ? with_both<pack, 4>(use)
        : how.flight == 8 ? with_both<pack, 8>(use)
                          : with_both<pack, 16>(use);
    }
    template <int pack, int flight, class Use>
    void with_both(const Use& use) const
    {
        use(warp_kernel<Stored, Real, pack, flight>, tile_kernel<Stored, Real, pack, flight>,
            bulk_tile_kernel<Stored, Real, pack, flight>);
    }
    template <class Kernel, class... More>
    void in_tiles(StreamRef s, Kernel kernel, const Real* x, Real* y, const More&... more) const
    {
        constexpr std::size_t without_asking = 48 << 10;
        const auto bytes = shared_bytes(how_);
        if (bytes > without_asking)
            check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(bytes)),
                  "cudaFuncSetAttribute", s.device);
        launch(s, "sparse: product in tiles", tiles_ * how_.block, how_.block,
               device::cuda::Shared{bytes}, kernel, view(), x, y, more...);
    }

    WarpLaunch how_;
    bool renewable_ = false;
    std::int64_t rows_, warps_;
    double bytes_;
    int pack_, tile_, most_shared_ = 0, major_ = 0;
    std::int64_t tiles_;
    std::size_t local_bytes_;
    BulkParts parts_;
    Buffer<WarpRecord> record_;
    Buffer<Stored> value_;
    Buffer<std::uint16_t> word_;
    Buffer<std::int32_t> row_of_, entry_, tile_first_, tile_own_, tile_column_;
};

} // namespace

template <class Stored, class Real>
std::unique_ptr<WarpProduct<Real>> make_warp_product(StreamRef s, const WarpLayout& layout,
                                                     std::span<const double> value,
                                                     const WarpLaunch& launch)
{
    ThreadPool alone(1);
    return make_warp_product<Stored, Real>(s, layout, value, launch, alone);
}

template <class Stored, class Real>
std::unique_ptr<WarpProduct<Real>> make_warp_product(StreamRef s, const WarpLayout& layout,
                                                     std::span<const double> value,
                                                     const WarpLaunch& launch, ThreadPool& pool)
{
    return std::make_unique<LaidOutProduct<Stored, Real>>(s, layout, value, launch, pool);
}

#define TAWARA_INSTANTIATE(Stored, Real)                                                           \
    template std::unique_ptr<WarpProduct<Real>> make_warp_product<Stored, Real>(                   \
        StreamRef, const WarpLayout&, std::span<const double>, const WarpLaunch&);                 \
    template std::unique_ptr<WarpProduct<Real>> make_warp_product<Stored, Real>(                   \
        StreamRef, const WarpLayout&, std::span<const double>, const WarpLaunch&, ThreadPool&);
TAWARA_INSTANTIATE(double, double)
TAWARA_INSTANTIATE(float, float)
TAWARA_INSTANTIATE(float, double)
#undef TAWARA_INSTANTIATE

} // namespace tawara::sparse::cuda
