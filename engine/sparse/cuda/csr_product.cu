// SPDX-License-Identifier: GPL-3.0-or-later
// y = A x for compressed rows, 1 to 32 threads a row, and for ELLPACK-R, a thread a row. Reads
// sizeof(Stored) + 4 bytes an entry; 4 bytes and 2 Reals a row.
#include "engine/sparse/cuda/device_csr.cuh"

namespace tawara::sparse::cuda {

using device::cuda::launch;

namespace {

template <class Stored, class Real>
__global__ void csr_kernel(const std::int32_t* __restrict__ first,
                           const std::int32_t* __restrict__ column,
                           const Stored* __restrict__ value, const Real* __restrict__ x,
                           Real* __restrict__ y, int rows, int threads)
{
    const auto id = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const auto row = static_cast<int>(id / threads);
    const int lane = static_cast<int>(threadIdx.x) & (threads - 1);
    Real sum = 0;
    if (row < rows) {
        const int end = first[row + 1];
#pragma unroll 4
        for (int e = first[row] + lane; e < end; e += threads)
            sum = fma(static_cast<Real>(__ldcs(value + e)), x[__ldcs(column + e)], sum);
    }
    for (int apart = threads / 2; apart > 0; apart /= 2)
        sum += __shfl_down_sync(0xffffffffU, sum, static_cast<unsigned>(apart));
    if (row < rows && lane == 0)
        y[row] = sum;
}

template <class Stored, class Real>
__global__ void ellpack_kernel(const std::int32_t* __restrict__ length,
                               const std::int32_t* __restrict__ column,
                               const Stored* __restrict__ value, const Real* __restrict__ x,
                               Real* __restrict__ y, int rows, std::int64_t stride)
{
    const auto row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= rows)
        return;
    const int places = length[row];
    Real sum = 0;
#pragma unroll 8
    for (int p = 0; p < places; ++p) {
        const auto k = p * stride + row;
        sum = fma(static_cast<Real>(__ldcs(value + k)), x[__ldcs(column + k)], sum);
    }
    y[row] = sum;
}

template <class Stored>
__global__ void copy_kernel(Stored* to, const double* from, std::int64_t n)
{
    const auto k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k < n)
        to[k] = static_cast<Stored>(from[k]);
}

template <class Stored>
__global__ void ellpack_values_kernel(Stored* to, const std::int32_t* first, const double* from,
                                      int rows, std::int64_t stride)
{
    const auto row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= rows)
        return;
    const int begin = first[row], places = first[row + 1] - begin;
    for (int p = 0; p < places; ++p)
        to[p * stride + row] = static_cast<Stored>(from[begin + p]);
}

/// @throws Error unless blocks can have so many threads
void check_block(int block)
{
    if (block < 32 || block > 1024 || block % 32 != 0)
        throw Error("products run in blocks of 32 to 1024 threads, a multiple of 32");
}

template <class Stored, class Real>
class CsrProduct : public Product<Real>
{
  public:
    CsrProduct(StreamRef s, const Csr& a, int threads, int block)
        : a_(s, a), threads_(threads), block_(block)
    {
        check_block(block);
        if (threads < 1 || threads > 32 || (threads & (threads - 1)) != 0)
            throw Error("a row is shared by 1, 2, 4, 8, 16 or 32 threads");
    }
    void multiply(StreamRef s, const Real* x, Real* y) const override
    {
        // whole blocks: the lanes of a warp add up together
        const auto n = (a_.rows * threads_ + block_ - 1) / block_ * block_;
        launch(s, "sparse: rows", n, block_, csr_kernel<Stored, Real>, a_.first.data(),
               a_.column.data(), a_.value.data(), x, y, static_cast<int>(a_.rows), threads_);
    }
    void renew(StreamRef s, const double* value) override
    {
        copy_values(s, a_.value.data(), value, a_.entries);
    }
    double bytes() const override { return a_.template bytes<Real>(); }

  private:
    DeviceCsr<Stored> a_;
    int threads_, block_;
};

template <class Stored, class Real>
class EllpackProduct : public Product<Real>
{
  public:
    EllpackProduct(StreamRef s, const Csr& a, int block)
        : rows_(a.rows()), stride_((a.rows() + 31) / 32 * 32), block_(block)
    {
        check_block(block);
        const auto longest = row_lengths(a).most;
        if (longest > 0 && stride_ > std::numeric_limits<std::int32_t>::max() / longest)
            throw Error("rows of up to " + std::to_string(longest) +
                        " entries are too long for ELLPACK-R");
        const auto room = static_cast<std::size_t>(stride_ * longest);
        std::vector<std::int32_t> length, column(room, 0);
        std::vector<Stored> value(room, Stored(0));
        for (std::int64_t i = 0; i < rows_; ++i) {
            length.push_back(static_cast<std::int32_t>(a.length(i)));
            for (std::int64_t p = 0; p < a.length(i); ++p) {
                const auto from =
                    static_cast<std::size_t>(a.first[static_cast<std::size_t>(i)] + p);
                const auto to = static_cast<std::size_t>(p * stride_ + i);
                column[to] = a.column[from];
                value[to] = static_cast<Stored>(a.value[from]);
            }
        }
        length_ = uploaded(length, s);
        first_ = uploaded(std::vector<std::int32_t>(a.first.begin(), a.first.end()), s);
        column_ = uploaded(column, s);
        value_ = uploaded(value, s);
        bytes_ = static_cast<double>(a.entries()) * (sizeof(Stored) + 4.0) +
                 static_cast<double>(rows_) * 4.0 +
                 static_cast<double>(rows_ + a.columns) * static_cast<double>(sizeof(Real));
    }
    void multiply(StreamRef s, const Real* x, Real* y) const override
    {
        launch(s, "sparse: ELLPACK-R", rows_, block_, ellpack_kernel<Stored, Real>, length_.data(),
               column_.data(), value_.data(), x, y, static_cast<int>(rows_), stride_);
    }
    void renew(StreamRef s, const double* value) override
    {
        launch(s, "sparse: values", rows_, 128, ellpack_values_kernel<Stored>, value_.data(),
               first_.data(), value, static_cast<int>(rows_), stride_);
    }
    double bytes() const override { return bytes_; }

  private:
    std::int64_t rows_, stride_;
    int block_;
    double bytes_ = 0;
    Buffer<std::int32_t> length_, first_, column_;
    Buffer<Stored> value_;
};

} // namespace

template <class Stored>
void copy_values(StreamRef s, Stored* to, const double* from, std::int64_t n)
{
    launch(s, "sparse: values", n, 256, copy_kernel<Stored>, to, from, n);
}

template <class Stored, class Real>
std::unique_ptr<Product<Real>> make_csr_product(StreamRef s, const Csr& a, int threads, int block)
{
    return std::make_unique<CsrProduct<Stored, Real>>(s, a, threads, block);
}
template <class Stored, class Real>
std::unique_ptr<Product<Real>> make_ellpack_product(StreamRef s, const Csr& a, int block)
{
    return std::make_unique<EllpackProduct<Stored, Real>>(s, a, block);
}

template void copy_values(StreamRef, double*, const double*, std::int64_t);
template void copy_values(StreamRef, float*, const double*, std::int64_t);
#define TAWARA_INSTANTIATE(Stored, Real)                                                           \
    template std::unique_ptr<Product<Real>> make_csr_product<Stored, Real>(StreamRef, const Csr&,  \
                                                                           int, int);              \
    template std::unique_ptr<Product<Real>> make_ellpack_product<Stored, Real>(StreamRef,          \
                                                                               const Csr&, int);
TAWARA_INSTANTIATE(double, double)
TAWARA_INSTANTIATE(float, float)
TAWARA_INSTANTIATE(float, double)
#undef TAWARA_INSTANTIATE

} // namespace tawara::sparse::cuda
