// SPDX-License-Identifier: GPL-3.0-or-later
// y = A x for compressed rows by the merge path: the list of the rows' ends and the numbers of the
// entries are merged in thought, and each thread takes as many steps of the merged list. Reads
// sizeof(Stored) + 4 bytes an entry, 4 bytes and 2 Reals a row, and what blocks hand over.
#include "engine/sparse/cuda/device_csr.cuh"

namespace tawara::sparse::cuda {
namespace {

using device::cuda::launch;

constexpr int block = 128, steps = 7, tile = block * steps; // 7: no bank is hit twice

/// How many of the first `diagonal` merged steps are ends of rows: end[k] <= entry comes first.
__device__ __forceinline__ int rows_before(const std::int32_t* end, int rows, int first_entry,
                                           int entries, int diagonal)
{
    int low = max(0, diagonal - entries), high = min(diagonal, rows);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (end[middle] <= first_entry + diagonal - middle - 1)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

__global__ void cut_kernel(const std::int32_t* __restrict__ first, int rows, int entries, int* cut,
                           int cuts)
{
    const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (k < cuts)
        cut[k] = rows_before(first + 1, rows, 0, entries,
                             static_cast<int>(min(static_cast<std::int64_t>(k) * tile,
                                                  static_cast<std::int64_t>(rows) + entries)));
}

/// What a thread hands to the next: the sum of a row that goes on, unless the next ended one.
template <class Real>
struct Carry
{
    Real sum;
    int ended; ///< whether any row ended in it
};

/// What comes into a thread from those before it in the block, and leaves the block.
template <class Real>
__device__ __forceinline__ Real carried_in(Carry<Real> mine, Real& out)
{
    __shared__ Carry<Real> of_warp[block / 32];
    const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
    Carry<Real> all = mine; // of the lanes up to this one, since a row ended last
    for (int away = 1; away < 32; away *= 2) {
        const Real sum = __shfl_up_sync(0xffffffffU, all.sum, static_cast<unsigned>(away));
        const int ended = __shfl_up_sync(0xffffffffU, all.ended, static_cast<unsigned>(away));
        if (lane >= away) {
            if (!all.ended)
                all.sum = sum + all.sum;
            all.ended |= ended;
        }
    }
    if (lane == 31)
        of_warp[warp] = all;
    __syncthreads();
    Real before = 0; // of the warps before
    for (int k = 0; k < warp; ++k)
        before = of_warp[k].ended ? of_warp[k].sum : before + of_warp[k].sum;
    out = all.ended ? all.sum : before + all.sum; // after this thread
    const Real sum = __shfl_up_sync(0xffffffffU, all.sum, 1U);
    const int ended = __shfl_up_sync(0xffffffffU, all.ended, 1U);
    return lane == 0 ? before : ended ? sum : before + sum;
}

template <class Stored, class Real>
__global__ void __launch_bounds__(block)
    merge_kernel(const std::int32_t* __restrict__ first, const std::int32_t* __restrict__ column,
                 const Stored* __restrict__ value, const Real* __restrict__ x, Real* __restrict__ y,
                 const int* __restrict__ cut, int rows, int entries, Real* out_sum, int* out_row)
{
    __shared__ Real term[tile];
    __shared__ std::int32_t end[tile + 1];
    const auto all = static_cast<std::int64_t>(rows) + entries;
    const auto begin = static_cast<std::int64_t>(blockIdx.x) * tile;
    const auto last = min(begin + tile, all);
    const int row0 = cut[blockIdx.x], row1 = cut[blockIdx.x + 1];
    const int entry0 = static_cast<int>(begin - row0), entry1 = static_cast<int>(last - row1);
    const int my_rows = row1 - row0, my_entries = entry1 - entry0;
    const int me = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int k = me; k < tile; k += block)
        if (k < my_entries)
            term[k] =
                static_cast<Real>(__ldcs(value + entry0 + k)) * x[__ldcs(column + entry0 + k)];
    for (int k = me; k < my_rows; k += block)
        end[k] = first[row0 + k + 1];
    __syncthreads();
    const int of_tile = my_rows + my_entries;
    const int diagonal = min(me * steps, of_tile), stop = min(diagonal + steps, of_tile);
    const int from = rows_before(end, my_rows, entry0, my_entries, diagonal);
    int row = from, entry = diagonal - from;
    Real sum = 0, first_sum = 0;
    bool ended = false;
    for (int k = diagonal; k < stop; ++k)
        if (row < my_rows && end[row] <= entry0 + entry) {
            if (ended)
                y[row0 + row] = sum;
            else
                first_sum = sum;
            ended = true;
            sum = 0;
            ++row;
        } else
            sum += term[entry++];
    Real out = 0;
    const Real in = carried_in<Real>({sum, ended}, out);
    if (ended)
        y[row0 + from] = in + first_sum;
    if (me == block - 1) {
        out_sum[blockIdx.x] = out;
        out_row[blockIdx.x] = row1;
    }
}

/// Adds what blocks left of a row to that row: the first block of several adds for all.
template <class Real>
__global__ void hand_over_kernel(Real* y, const Real* sum, const int* row, int blocks, int rows)
{
    const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (k >= blocks || row[k] >= rows || (k > 0 && row[k - 1] == row[k]))
        return;
    Real all = 0;
    for (int b = k; b < blocks && row[b] == row[k]; ++b)
        all += sum[b];
    y[row[k]] = all + y[row[k]];
}

template <class Stored, class Real>
class MergeProduct : public Product<Real>
{
  public:
    MergeProduct(StreamRef s, const Csr& a)
        : a_(s, a), blocks_(static_cast<int>((a.rows() + a.entries() + tile - 1) / tile)),
          cut_(static_cast<std::size_t>(blocks_) + 1, s.device),
          row_(static_cast<std::size_t>(blocks_), s.device),
          sum_(static_cast<std::size_t>(blocks_), s.device)
    {
        launch(s, "sparse: cuts", blocks_ + 1, 128, cut_kernel, a_.first.data(),
               static_cast<int>(a_.rows), static_cast<int>(a_.entries), cut_.data(), blocks_ + 1);
        s.synchronize();
    }
    void multiply(StreamRef s, const Real* x, Real* y) const override
    {
        launch(s, "sparse: merge path", std::int64_t{blocks_} * block, block,
               merge_kernel<Stored, Real>, a_.first.data(), a_.column.data(), a_.value.data(), x, y,
               cut_.data(), static_cast<int>(a_.rows), static_cast<int>(a_.entries), sum_.data(),
               row_.data());
        launch(s, "sparse: hand over", blocks_, 128, hand_over_kernel<Real>, y, sum_.data(),
               row_.data(), blocks_, static_cast<int>(a_.rows));
    }
    void renew(StreamRef s, const double* value) override
    {
        copy_values(s, a_.value.data(), value, a_.entries);
    }
    double bytes() const override { return a_.template bytes<Real>(); }

  private:
    DeviceCsr<Stored> a_;
    int blocks_;
    Buffer<int> cut_, row_;
    Buffer<Real> sum_;
};

} // namespace

template <class Stored, class Real>
std::unique_ptr<Product<Real>> make_merge_product(StreamRef s, const Csr& a)
{
    return std::make_unique<MergeProduct<Stored, Real>>(s, a);
}

#define TAWARA_INSTANTIATE(Stored, Real)                                                           \
    template std::unique_ptr<Product<Real>> make_merge_product<Stored, Real>(StreamRef, const Csr&);
TAWARA_INSTANTIATE(double, double)
TAWARA_INSTANTIATE(float, float)
TAWARA_INSTANTIATE(float, double)
#undef TAWARA_INSTANTIATE

} // namespace tawara::sparse::cuda
