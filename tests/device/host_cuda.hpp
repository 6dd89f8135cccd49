// SPDX-License-Identifier: GPL-3.0-or-later
// The threads of a CUDA block on the host, for kernels compiled as host_cuda_language.hpp says:
// they run in turns on one thread of the host and meet where warps exchange numbers and at
// barriers. Blocks run one after the other.
#pragma once
#include <cstdint>

namespace host_cuda {

struct Index
{
    int x = 0;
};

/// Waits for the 32 threads of a warp, or all of a block.
void wait_for_warp();
void wait_for_block();
/// What thread `lane` of the warp gave; all 32 call it.
std::uint64_t exchange(std::uint64_t mine, int lane);
/// A bit of each thread of the warp; all 32 call it.
unsigned ballot(bool mine);

/// Runs blocks of `threads` threads, each calling body(data).
/// @return whether all ended: false where some waited for others that were done or waited elsewhere
bool run(int blocks, int threads, void (*body)(void*), void* data);

} // namespace host_cuda

extern host_cuda::Index threadIdx, blockIdx, gridDim;
