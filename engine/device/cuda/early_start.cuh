// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels that start before the one ahead of them in the stream has ended (Start::early in
// runtime.cuh). Device functions; NVRTC compiles this text, too. Devices before compute capability
// 9.0 start no kernel early, and both functions do nothing there.
#pragma once

namespace tawara::device::cuda {

/// From here on the kernel ahead in the stream has ended, and what it wrote can be read.
__device__ __forceinline__ void wait_for_kernel_ahead()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// The kernel behind this one in the stream, if it was launched early, may start once all blocks
/// have come here or ended. It sees nothing of what this kernel writes before it waits.
__device__ __forceinline__ void let_kernel_behind_start()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

} // namespace tawara::device::cuda
