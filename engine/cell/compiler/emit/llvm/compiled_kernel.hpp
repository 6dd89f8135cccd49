// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/program.hpp"
#include "engine/cell/cpu_kernel.hpp"

namespace tawara::cell::compiler {

/// A CpuKernel of a compiled model. Changed parameters (set_types) fill a row of constants anew and
/// compile nothing.
/// @param types  parameters in CellSystem order
template <class Real>
std::unique_ptr<CpuKernel<Real>> make_compiled_kernel(std::shared_ptr<const Program> program,
                                                      std::span<const CellType> types);
extern template std::unique_ptr<CpuKernel<double>>
    make_compiled_kernel(std::shared_ptr<const Program>, std::span<const CellType>);
extern template std::unique_ptr<CpuKernel<float>>
    make_compiled_kernel(std::shared_ptr<const Program>, std::span<const CellType>);

/// The same program in parts that run one after the other (split.hpp). Nothing takes it by itself:
/// it gains nothing worth it (tests/bench/records/PREDICTIONS.md, section C4).
template <class Real>
std::unique_ptr<CpuKernel<Real>> make_split_kernel(std::shared_ptr<const Program> program,
                                                   std::size_t parts,
                                                   std::span<const CellType> types);
extern template std::unique_ptr<CpuKernel<double>>
    make_split_kernel(std::shared_ptr<const Program>, std::size_t, std::span<const CellType>);
extern template std::unique_ptr<CpuKernel<float>>
    make_split_kernel(std::shared_ptr<const Program>, std::size_t, std::span<const CellType>);

} // namespace tawara::cell::compiler
