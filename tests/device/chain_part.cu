// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/device/chain_part.hpp"

#include "engine/device/cuda/runtime.cuh"

#include <algorithm>

namespace tawara::test {
namespace {

using namespace tawara::device::cuda;

__device__ int cell_of(const ChainValues& c, int port)
{
    return static_cast<int>(static_cast<long long>(port) * c.cells / c.ports);
}

/// One thread a cell, which adds its ports in their order.
__global__ void advance_kernel(ChainValues c, const double* v, double* next, const double* current,
                               double dt_ms)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= c.cells)
        return;
    double rate = -c.leak * (v[i] - c.rest_mV);
    if (i > 0)
        rate += c.along * (v[i - 1] - v[i]);
    if (i + 1 < c.cells)
        rate += c.along * (v[i + 1] - v[i]);
    double x = v[i] + dt_ms * rate;
    for (int k = static_cast<int>((static_cast<long long>(i) * c.ports + c.cells - 1) / c.cells);
         k < c.ports && cell_of(c, k) == i; ++k)
        x -= dt_ms * c.back * current[k];
    next[i] = x;
}

/// v = next, and the sources that it makes.
__global__ void renew_kernel(ChainValues c, const double* next, double* v, double* source)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < c.cells)
        v[i] = next[i];
    if (i < c.ports)
        source[i] = c.junction * next[cell_of(c, i)];
}

class CudaChain final : public device::Part
{
  public:
    CudaChain(const ChainValues& c, double first_mV, int device)
        : c_(c), own_(device), v_(static_cast<std::size_t>(c.cells), device),
          next_(static_cast<std::size_t>(c.cells), device),
          source_(static_cast<std::size_t>(c.ports), device),
          conductance_(static_cast<std::size_t>(c.ports), device)
    {
        conductance_.upload(std::vector<double>(conductance_.size(), c.junction), own_);
        std::vector<double> v(static_cast<std::size_t>(c.cells), c.rest_mV);
        v[0] = first_mV;
        restore(v);
    }
    device::PortLaw law() const override { return {source_.data(), conductance_.data()}; }
    void advance(const device::PortStep& s) override
    {
        launch(stream(s), "chain", c_.cells, 128, advance_kernel, c_,
               static_cast<const double*>(v_.data()), next_.data(), s.current, s.dt_ms);
        renew(stream(s));
    }
    std::vector<double> snapshot() const override
    {
        std::vector<double> out(v_.size());
        v_.download(out, own_);
        own_->synchronize();
        return out;
    }
    void restore(std::span<const double> values) override
    {
        next_.upload(values, own_);
        renew(own_);
        own_->synchronize();
    }

  private:
    StreamRef stream(const device::PortStep& s) const
    {
        return {static_cast<cudaStream_t>(s.stream), v_.device()};
    }
    void renew(StreamRef s)
    {
        launch(s, "chain", std::max(c_.cells, c_.ports), 128, renew_kernel, c_,
               static_cast<const double*>(next_.data()), v_.data(), source_.data());
    }
    ChainValues c_;
    Stream own_;
    Buffer<double> v_, next_, source_, conductance_;
};

} // namespace

std::unique_ptr<device::Part> make_cuda_chain(const ChainValues& c, double first_mV, int device)
{
    return std::make_unique<CudaChain>(c, first_mV, device);
}

} // namespace tawara::test
