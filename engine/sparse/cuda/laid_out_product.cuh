// SPDX-License-Identifier: GPL-3.0-or-later
// y = A x for laid out matrices, a warp for each of the layout's. Reads, per place of a warp's
// lane, sizeof(Stored) for each entry of a run and 2 bytes (4 where columns are wide); per row, 2
// Reals, 0.5 to 16 bytes of the warp's record, and 4 bytes where results are scattered.
// For one file per pair of types, which instantiates make_warp_product().
#pragma once
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

/// The sum of a row's lanes in its first, by halves; of rows of several warps, `shared` has a Real
/// for each thread.
/// @thread all of a block where some of its rows have several warps
template <class Real>
__device__ __forceinline__ Real sum_of_row(Real sum, int w, int shift, bool several, Real* shared)
{
    if (several) {
        const int warps = shift > 5 ? 1 << (shift - 5) : 1;
        shared[threadIdx.x] = sum;
        for (int apart = 4; apart > 0; apart /= 2) { // of 8 warps at most
            __syncthreads();
            if ((w & (warps - 1)) < apart && apart < warps)
                shared[threadIdx.x] = sum +=
                    shared[threadIdx.x + static_cast<unsigned>(apart) * 32];
        }
    }
    for (int apart = (1 << min(shift, 5)) / 2; apart > 0; apart /= 2)
        sum += __shfl_down_sync(0xffffffffU, sum, static_cast<unsigned>(apart));
    return sum;
}

/// @param own_x  each row's own x is asked for before its entries are known
template <Early early, class Stored, class Real, int pack, int run, int count>
__global__ void warp_kernel(const __grid_constant__ WarpView<Stored> a, const Real* __restrict__ x,
                            Real* __restrict__ y, bool own_x)
{
    extern __shared__ __align__(16) unsigned char shared[];
    const int w = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
    if (w >= a.warps)
        return;
    const auto d = __ldg(reinterpret_cast<const uint4*>(a.record) + w);
    const auto end = __ldg(&a.record[w + 1].start);
    const int end_row = __ldg(&a.record[w + 1].first_row);
    const int lane = static_cast<int>(threadIdx.x % 32), shift = static_cast<int>(d.y >> 1 & 15U);
    const int row = static_cast<int>(d.w) + (lane >> shift);
    const bool first = row < end_row && (lane & ((1 << shift) - 1)) == 0; // of a row's lanes
    if (own_x && first)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(x + row));
    const int to = first && a.row_of ? __ldcs(a.row_of + row) : row;
    const int places = static_cast<int>(end - d.x);
    const Stored* value = a.value + std::size_t{d.x} * (32 * run);
    const auto* word = a.word + std::size_t{d.y >> 5} * 32;
    const Real* from = x + static_cast<int>(d.z);
    Real sum = d.y & 1U
                   ? lane_sum<early, Stored, std::int32_t, pack, run, count>(
                         value, reinterpret_cast<const std::int32_t*>(word), lane, places, from)
                   : lane_sum<early, Stored, std::uint16_t, pack, run, count>(value, word, lane,
                                                                              places, from);
    const bool several = w - static_cast<int>(threadIdx.x / 32) < a.several; // alike in a block
    sum = sum_of_row(sum, w, shift, several, reinterpret_cast<Real*>(shared));
    if (first)
        y[to] = sum;
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
    if (l.padded() / lanes > std::numeric_limits<std::uint32_t>::max() >> 6)
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
        const bool narrow = l.options.narrow;
        const auto from = narrow ? l.column_start[w] >> 1 : 2 * l.start[w];
        const auto wide = narrow ? l.column_start[w] & 1 : 1;
        r.columns = static_cast<std::uint32_t>(from / lanes) << 5 | shift << 1 |
                    static_cast<std::uint32_t>(wide);
        r.base = narrow ? l.base[w] : 0;
    }
    return out;
}

/// Warps of rows that several warps share.
std::int64_t several_warps(const WarpLayout& l)
{
    return std::count_if(l.threads.begin(), l.threads.end(),
                         [](int t) { return t > WarpLayout::lanes; });
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
        : rows_(l.rows), warps_(l.warps()), several_(several_warps(l)), widest_(l.options.widest),
          bytes_(l.bytes(sizeof(Stored))), pack_(l.options.pack), run_(l.options.run)
    {
        if (pack_ == 4 && sizeof(Stored) == 8)
            throw Error("packs of 4 are for matrices in single precision");
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
    }

    void run_as(const WarpLaunch& how) override
    {
        if (how.block < 32 || how.block > 1024 || how.block % 32 != 0 ||
            (how.flight != 2 && how.flight != 4 && how.flight != 8 && how.flight != 16))
            throw Error("products run in blocks of 32 to 1024 threads, a multiple of 32, and load "
                        "2, 4, 8 or 16 entries at once");
        if (several_ > 0 && how.block % widest_ != 0)
            throw Error("rows of several warps need blocks of whole ones: of " +
                        std::to_string(widest_) + " threads or a multiple");
        cudaFuncAttributes kernel{};
        with_kernel(how, [&](auto k) {
            check(cudaFuncGetAttributes(&kernel, k), "cudaFuncGetAttributes", 0);
        });
        if (kernel.maxThreadsPerBlock < how.block)
            throw NoRoom("a kernel of " + std::to_string(kernel.numRegs) +
                         " registers runs in blocks of " +
                         std::to_string(kernel.maxThreadsPerBlock) + " threads at most");
        how_ = how;
    }

    void multiply(StreamRef s, const Real* x, Real* y) const override
    {
        const auto bytes = several_ > 0 ? static_cast<std::size_t>(how_.block) * sizeof(Real) : 0;
        with_kernel(how_, [&](auto k) {
            launch(s, "sparse: product", warps_ * 32, how_.block, device::cuda::Shared{bytes}, k,
                   view(), x, y, how_.ahead);
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
        v.several = static_cast<int>(several_);
        return v;
    }
    /// Calls use() with the kernel.
    template <class Use>
    void with_kernel(const WarpLaunch& how, const Use& use) const
    {
        constexpr int widest = sizeof(Stored) == 4 ? 4 : 2;
        run_ == 2    ? with_flight<1, 2>(how, use)
        : run_ == 3  ? with_flight<1, 3>(how, use)
        : pack_ == 1 ? with_flight<1, 1>(how, use)
        : pack_ == 2 ? with_flight<2, 1>(how, use)
                     : with_flight<widest, 1>(how, use);
    }
    template <int pack, int run, class Use>
    void with_flight(const WarpLaunch& how, const Use& use) const
    {
        constexpr int each = pack * run;
        how.flight == 2   ? with_early<pack, run, std::max(1, 2 / each)>(how, use)
        : how.flight == 4 ? with_early<pack, run, std::max(1, 4 / each)>(how, use)
        : how.flight == 8 ? with_early<pack, run, std::max(1, 8 / each)>(how, use)
                          : with_early<pack, run, std::max(1, 16 / each)>(how, use);
    }
    template <int pack, int run, int count, class Use>
    void with_early(const WarpLaunch& how, const Use& use) const
    {
        how.early == Early::nothing
            ? use(warp_kernel<Early::nothing, Stored, Real, pack, run, count>)
        : how.early == Early::columns
            ? use(warp_kernel<Early::columns, Stored, Real, pack, run, count>)
            : use(warp_kernel<Early::all, Stored, Real, pack, run, count>);
    }

    WarpLaunch how_;
    bool renewable_ = false;
    std::int64_t rows_, warps_, several_;
    int widest_;
    double bytes_;
    int pack_, run_;
    Buffer<WarpRecord> record_;
    Buffer<Stored> value_;
    Buffer<std::uint16_t> word_;
    Buffer<std::int32_t> row_of_, entry_;
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

} // namespace tawara::sparse::cuda

#define TAWARA_WARP_PRODUCT(Stored, Real)                                                          \
    namespace tawara::sparse::cuda {                                                               \
    template std::unique_ptr<WarpProduct<Real>>                                                    \
    make_warp_product<Stored, Real>(StreamRef, const WarpLayout&, std::span<const double>,         \
                                    const WarpLaunch&);                                            \
    template std::unique_ptr<WarpProduct<Real>>                                                    \
    make_warp_product<Stored, Real>(StreamRef, const WarpLayout&, std::span<const double>,         \
                                    const WarpLaunch&, ThreadPool&);                               \
    }
