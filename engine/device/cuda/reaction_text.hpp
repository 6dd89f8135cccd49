// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/program.hpp"
#include "engine/device/cuda/nvrtc.hpp"

namespace tawara::device::cuda {

/// How the reaction kernel of a compiled model is cut for a multiprocessor.
struct KernelShape
{
    int block_threads = 128;
    int blocks = 4; ///< resident on a multiprocessor at least: bounds the registers
    int stages = 2; ///< of each warp's ring
};

/// A good shape for a model: what was measured best for so many states on compute capability 9.0.
KernelShape kernel_shape(std::size_t states, bool single);

/// The text of a model's reaction kernel (cell_kernel.cuh), for compile_cuda().
/// @param fused  with the last diffusion pass
/// @param many   for more than one cell type: rows of constants are read from device memory
CudaSource reaction_source(const cell::compiler::Program& p, bool single, bool fused, bool many,
                           const KernelShape& shape);

} // namespace tawara::device::cuda
