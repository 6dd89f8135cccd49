// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA C++ to machine code while the program runs. No CUDA header is needed to build this: NVRTC is
// loaded when it is first asked for.
#pragma once
#include "engine/cell/compiler/emit/cuda/kernel_text.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tawara::device::cuda {

/// Why NVRTC cannot be used on this machine, with the places searched; empty when it can.
///
/// Searched in this order: the program's own folder, ../lib beside it, $CUDA_HOME/lib64,
/// $CUDA_PATH/lib64, /usr/local/cuda/lib64, then wherever the loader looks.
std::string nvrtc_missing_reason();
/// Its version, e.g. "13.0"; empty when it is missing.
std::string nvrtc_version();

using cell::compiler::CudaSource;

/// Machine code (a cubin) and what it cost.
struct CudaBinary
{
    std::vector<char> code;
    bool from_cache = false;
    double ms = 0;   ///< time to compile, or to read from the cache
    std::string log; ///< the compiler's remarks; empty from the cache
};

/// Compiles for compute capability `architecture` (e.g. 90), or takes what an equal text gave
/// before from the cache: files named by a hash of text, headers, options, NVRTC's version and
/// architecture, written whole or not at all; a damaged one is compiled anew.
/// @param cache  folder, made when it is missing; empty: no cache
/// @throws InputError when NVRTC is missing; Error with the compiler's log when the text is wrong
/// @thread any
CudaBinary compile_cuda(const CudaSource& source, int architecture,
                        const std::filesystem::path& cache);
/// PTX in place of machine code, not cached; for tests that count instructions.
std::string compile_to_ptx(const CudaSource& source, int architecture);

} // namespace tawara::device::cuda
