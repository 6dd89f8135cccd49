// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/device/random_on_gpu.hpp"

#include "engine/device/cuda/runtime.cuh"

namespace tawara::test {
namespace {

using namespace tawara::device::cuda;

__global__ void draw_kernel(RandomPlace first, double* out, int n)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n)
        return;
    first.unknown += static_cast<std::uint64_t>(i);
    const auto w = random_words(first, 0);
    out[i] = uniform_of(w[0], w[1]);
}

} // namespace

std::vector<double> uniforms_on_gpu(const RandomPlace& first, std::size_t n)
{
    const Stream s(0);
    const Buffer<double> there(n, 0);
    launch(s, "draw", static_cast<std::int64_t>(n), 128, draw_kernel, first, there.data(),
           static_cast<int>(n));
    std::vector<double> out(n);
    there.download(out, s);
    s->synchronize();
    return out;
}

} // namespace tawara::test
