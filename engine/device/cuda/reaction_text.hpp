// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/program.hpp"
#include "engine/device/cuda/nvrtc.hpp"

#include <span>
#include <vector>

namespace tawara::device::cuda {

/// How the reaction kernel of a compiled model is cut for a multiprocessor.
struct KernelShape
{
    int block_threads = 128;
    int blocks = 4; ///< resident on a multiprocessor at least: bounds the registers
    int stages = 2; ///< of a block's ring; 0: a cell a thread, its states in registers
};

/// Up to so many unknowns a GPU holds all cells at once, and the shortest chain of instructions
/// wins over copies ahead.
inline constexpr std::size_t small_tissue = 65'000;

/// A good shape for a model: what was measured best for so many states on compute capability 9.0.
/// @param fused  with the last diffusion pass
KernelShape kernel_shape(std::size_t states, bool single, bool fused, std::size_t unknowns);

/// The same cut so that each thread may have 255 registers, for steps that need more than the
/// shape before left them.
KernelShape with_all_registers(const KernelShape& shape, std::size_t states, bool single);
/// A cell a thread with 255 registers: for steps that spill in a ring, and for Newton's method.
inline constexpr KernelShape all_registers{128, 2, 0};
/// How the kernels with unknowns at rest are cut.
KernelShape rest_shape(std::size_t states, bool single);

/// How the kernels of interpolated currents are cut.
KernelShape current_shape(bool single);

/// The cell types that a kernel steps.
struct TypeRows
{
    std::size_t types = 1;
    /// Numbers of a row that are not the same for all types: those alone are looked up cell by
    /// cell, the others are operands of instructions. Empty: all, or of one type none.
    std::vector<bool> differ{};
};

/// The numbers of types' rows one after the other, in the order of the types: of each the short
/// step's, then the long one's (null: there is none). At least one number a step.
template <class Real>
std::vector<Real> row_numbers(std::span<const cell::CellType> types,
                              const cell::compiler::Program& short_step,
                              const cell::compiler::Program* long_step);

/// Marks the numbers that differ between the types' rows; those marked before stay so.
/// @param numbers  row_numbers() of r.types types
/// @return whether a text made before does not hold for these rows
template <class Real>
bool mark_differences(TypeRows& r, std::span<const Real> numbers);

/// How many cell types' rows of constants lie in constant memory: all of them or, beyond half of
/// that, none; they are then read from device memory.
std::size_t constant_rows(std::size_t types, std::size_t row_bytes);

/// The text of a model's reaction kernel (cell_ring.cuh, cell_direct.cuh), for compile_cuda().
CudaSource reaction_source(const cell::compiler::Program& p, bool single, bool fused,
                           const TypeRows& types, const KernelShape& shape);

/// The text of the kernel of an implicit step (cell_implicit.cuh) in double precision.
/// @param p  of cell::compiler::shared_source_program()
CudaSource implicit_source(const cell::compiler::Program& p, const TypeRows& types,
                           const KernelShape& shape);

/// The text of the kernels with unknowns at rest (cell_rest.cuh). A cell type's row holds the short
/// step's constants, then the long one's. @param shape  stages are not looked at
CudaSource rest_source(const cell::compiler::Program& short_step,
                       const cell::compiler::Program& long_step, bool single, const TypeRows& types,
                       const KernelShape& shape);

/// The text of the kernels of interpolated currents (cell_between.cuh).
/// @param current  of cell::compiler::shared_current_program()
CudaSource current_source(const cell::compiler::Program& current, bool single,
                          const TypeRows& types, const KernelShape& shape);

} // namespace tawara::device::cuda
