// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/reaction_text.hpp"

#include "engine/cell/compiler/emit/cuda/cuda_text.hpp"
#include "engine/device/cuda/kernel_texts.hpp"

#include <algorithm>
#include <utility>

namespace tawara::device::cuda {
namespace {

/// What cell_common.cuh asks for, and the kernel itself.
CudaSource source(const std::string& name, std::string steps, const KernelShape& shape, bool single,
                  bool fused, const TypeRows& rows, std::size_t row_size, const std::string& kernel,
                  const char* text)
{
    cell::compiler::KernelConstants c;
    c.numbers = {{"block_threads", static_cast<std::size_t>(shape.block_threads)},
                 {"blocks", static_cast<std::size_t>(shape.blocks)},
                 {"stages", static_cast<std::size_t>(shape.stages)},
                 {"row_size", row_size},
                 {"constant_rows", constant_rows(rows.types, row_size * (single ? 4 : 8))}};
    c.choices = {{"fused", fused}, {"many", rows.types > 1}};
    c.row_size = row_size;
    for (std::size_t k = 0; k < row_size; ++k)
        c.differ.push_back(rows.types > 1 && (rows.differ.empty() || rows.differ.at(k)));
    const std::string folder = "engine/device/cuda/";
    return cell::compiler::kernel_source(name, std::move(steps), single, c, {folder + kernel, text},
                                         {{folder + "kernel_values.cuh", kernel_values_text()},
                                          {folder + "early_start.cuh", early_start_text()},
                                          {folder + "rows.cuh", rows_text()},
                                          {folder + "cell_record.cuh", cell_record_text()},
                                          {folder + "cell_common.cuh", cell_common_text()}});
}

std::size_t row_size_of(const cell::compiler::Program& p)
{
    return std::max<std::size_t>(p.table.size(), 1);
}

} // namespace

std::size_t constant_rows(std::size_t types, std::size_t row_bytes)
{
    constexpr std::size_t most = 32 * 1024;
    if (types < 2)
        return 1;
    return types * row_bytes <= most ? types : 0;
}

template <class Real>
std::vector<Real> row_numbers(std::span<const cell::CellType> types,
                              const cell::compiler::Program& short_step,
                              const cell::compiler::Program* long_step)
{
    std::vector<Real> all;
    for (const auto& t : types)
        for (const auto* p : {&short_step, long_step}) {
            if (!p)
                continue;
            const auto row = p->row(t.parameters);
            all.insert(all.end(), row.begin(), row.end());
            all.resize(all.size() + row_size_of(*p) - row.size());
        }
    return all;
}
template std::vector<double> row_numbers(std::span<const cell::CellType>,
                                         const cell::compiler::Program&,
                                         const cell::compiler::Program*);
template std::vector<float> row_numbers(std::span<const cell::CellType>,
                                        const cell::compiler::Program&,
                                        const cell::compiler::Program*);

template <class Real>
bool mark_differences(TypeRows& r, std::span<const Real> numbers)
{
    const auto row_size = numbers.size() / r.types;
    const auto before = r.differ;
    r.differ.resize(row_size, false);
    for (std::size_t k = 0; k < numbers.size(); ++k)
        if (numbers[k] != numbers[k % row_size])
            r.differ[k % row_size] = true;
    return r.differ != before;
}
template bool mark_differences(TypeRows&, std::span<const double>);
template bool mark_differences(TypeRows&, std::span<const float>);

KernelShape kernel_shape(std::size_t states, bool single, bool fused, std::size_t unknowns)
{
    // measured on an H200 (tests/bench/records/h200_shapes.json)
    if (states <= 32 && unknowns <= small_tissue)
        return {128, 1, 0};
    if (states <= 24 && fused)
        return single ? KernelShape{128, 6, 0} : KernelShape{32, 12, 2};
    if (states <= 4 && !single) // too little work for a queue: drawing would take longer
        return {128, 8, 0};
    if (states <= 4)
        return {128, 4, 3};
    if (states <= 12)
        return {128, 4, single ? 3 : 2};
    if (states <= 24 && single)
        return unknowns > 4'000'000 ? KernelShape{128, 4, 3} : KernelShape{128, 7, 0};
    if (states <= 24)
        return {64, 7, 2};
    if (states <= 48)
        return single ? KernelShape{128, 3, 3} : KernelShape{64, 4, 2};
    KernelShape s{128, single ? 3 : 2, 1};
    const auto block_bytes = [&] {
        return static_cast<std::size_t>(s.block_threads) * states * (single ? 4 : 8) + 8;
    };
    while (s.block_threads > 32 && block_bytes() > 226 * 1024)
        s.block_threads /= 2; // several hundred states
    while (s.blocks > 1 && static_cast<std::size_t>(s.blocks) * (block_bytes() + 1024) > 227 * 1024)
        --s.blocks;
    return s;
}

KernelShape with_all_registers(const KernelShape& shape, std::size_t states, bool single)
{
    KernelShape s{128, 2, shape.stages};
    if (s.stages == 1 && 2 * 2 * 128 * states * (single ? 4 : 8) < 220 * 1024)
        s.stages = 2;
    return s;
}

KernelShape rest_shape(std::size_t states, bool single)
{
    if (states <= 24) // the least registers that need no memory beside them
        return {128, single ? 8 : 3, 0};
    return {128, 1, 0};
}

KernelShape current_shape(bool single)
{
    return {128, single ? 7 : 4, 0};
}

CudaSource reaction_source(const cell::compiler::Program& p, bool single, bool fused,
                           const TypeRows& types, const KernelShape& shape)
{
    const bool ring = shape.stages > 0;
    return source(p.name, cell::compiler::cuda_text(p, single), shape, single, fused, types,
                  row_size_of(p), ring ? "cell_ring.cuh" : "cell_direct.cuh",
                  ring ? cell_ring_text() : cell_direct_text());
}

CudaSource implicit_source(const cell::compiler::Program& p, const TypeRows& types,
                           const KernelShape& shape)
{
    return source(p.name, cell::compiler::cuda_text(p, false), shape, false, false, types,
                  row_size_of(p), "cell_implicit.cuh", cell_implicit_text());
}

CudaSource rest_source(const cell::compiler::Program& short_step,
                       const cell::compiler::Program& long_step, bool single, const TypeRows& types,
                       const KernelShape& shape)
{
    return source(short_step.name,
                  cell::compiler::cuda_mathematics(single) +
                      cell::compiler::cuda_step_text(short_step, single) +
                      cell::compiler::cuda_step_text(long_step, single, "long_step"),
                  shape, single, true, types, row_size_of(short_step) + row_size_of(long_step),
                  "cell_rest.cuh", cell_rest_text());
}

CudaSource current_source(const cell::compiler::Program& current, bool single,
                          const TypeRows& types, const KernelShape& shape)
{
    return source(current.name, cell::compiler::cuda_text(current, single), shape, single, false,
                  types, row_size_of(current), "cell_between.cuh", cell_between_text());
}

} // namespace tawara::device::cuda
