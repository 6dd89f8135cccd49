// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/program.hpp"

#include <string>

namespace tawara::cell::compiler {

/// CUDA C++ of one step of a Program, for NVRTC (or nvcc); no header is included. It defines
///
///     __constant__ Real cell_rows[types * row_size];
///     extern "C" __global__ void cell_step(Real* v, Real* states, long long stride,
///         const unsigned char* type, const Real* stimulus, int n, Real t_ms, Real dt_ms)
///
/// one thread per cell i < n; state k (k >= 1) of cell i at states[(k - 1) * stride + i]; type and
/// stimulus may be null. Row r of cell_rows is Program::row() of cell type r. Same operations in
/// the same order as the CPU's code; nothing of the model's text but numbers reaches the source.
/// @param single  Real is float, else double
/// @param types   number of rows, 1 to 256
std::string cuda_text(const Program& p, bool single, int types);

} // namespace tawara::cell::compiler
