// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/program.hpp"

#include <string>

namespace tawara::cell::compiler {

/// CUDA C++ of one step of a Program, for NVRTC (or nvcc); no header is included. It defines
///
///     typedef ... Real;                                    float or double
///     constexpr int cell_states, cell_row_size;            with V; entries of Program::row()
///     struct Elementary;                                   what exp() needs, a register or two
///     template <class Cell> __device__ void cell_step(Cell& cell, const Elementary& math,
///                                                     Real t_ms, Real dt_ms);
///
/// for one cell a thread. Cell has state(k) and constant(k), constant over the call, stimulus(),
/// and store(k, value), called once for every state that changes. All 32 threads of a warp must
/// make an Elementary and call cell_step() together: the table that exp() needs in double precision
/// lies in their registers, and in either precision they leave the loops of Part::until together.
/// The CPU's code has the same operations, but for what processor_options() adds; nothing of the
/// model's text but numbers reaches the source.
/// @param single  Real is float, else double
/// @throws InputError for programs with tables
std::string cuda_text(const Program& p, bool single);

/// Its two parts, for texts with several steps: Real and Elementary; the rest, inside a namespace
/// unless `space` is empty.
std::string cuda_mathematics(bool single);
std::string cuda_step_text(const Program& p, bool single, const std::string& space = "");

} // namespace tawara::cell::compiler
