// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/cpu_kernel.hpp"

namespace tawara::cell::tt06 {

/// Bytes of one lane group: constants are stored so that any vector up to this size reads them at
/// once.
inline constexpr std::size_t group_bytes = 64;

/// Folded constants of every cell type, each repeated over group_bytes: [type][Folded][lane].
template <class Real>
struct ConstantTable
{
    explicit ConstantTable(std::span<const CellType> types);
    ConstantTable(const ConstantTable&) = delete;
    ConstantTable& operator=(const ConstantTable&) = delete;
    ~ConstantTable();
    const Real* row(std::size_t type) const { return values + type * stride; }
    static constexpr std::size_t lanes = group_bytes / sizeof(Real);
    std::size_t stride = 0; ///< numbers per type
    Real* values = nullptr; ///< aligned to group_bytes
};

/// The kernels in the widest instruction set that the machine (or a test's choice) allows.
void step(const CellArrays<double>& cells, const ConstantTable<double>& table, double dt_ms,
          Scheme scheme);
void step(const CellArrays<float>& cells, const ConstantTable<float>& table, double dt_ms,
          Scheme scheme);
/// d/dt of V and of every other state instead of a step, written over the arrays. For tests.
void derivatives(const CellArrays<double>& cells, const ConstantTable<double>& table);
void derivatives(const CellArrays<float>& cells, const ConstantTable<float>& table);
/// Name of the instruction set that step() uses.
const char* target_name();

} // namespace tawara::cell::tt06
