// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/reaction_text.hpp"

#include "engine/cell/compiler/emit/cuda_text.hpp"
#include "engine/device/cuda/kernel_texts.hpp"

namespace tawara::device::cuda {
namespace {

/// NVRTC has no standard library; these names are all that the kernels use of it.
constexpr const char* standard_integers = R"(
#pragma once
namespace std {
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned;
using uint64_t = unsigned long long;
using size_t = decltype(sizeof(0));
}
)";

} // namespace

KernelShape kernel_shape(std::size_t states, bool single)
{
    // measured on an H200 (tests/bench/records/h200_models.json): a second stage pays while all
    // stages of four blocks fit into 227 KiB of shared memory; then more warps pay more
    if (states <= 24)
        return single ? KernelShape{128, 4, 3} : KernelShape{128, 2, 2};
    if (states <= 48)
        return single ? KernelShape{128, 3, 3} : KernelShape{128, 4, 1};
    KernelShape s{128, single ? 3 : 2, 1};
    const auto block_bytes = [&] {
        return static_cast<std::size_t>(s.block_threads) * ((states + 2) * (single ? 4 : 8) + 1) +
               8;
    };
    while (s.block_threads > 32 && block_bytes() > 226 * 1024)
        s.block_threads /= 2; // several hundred states
    while (s.blocks > 1 && static_cast<std::size_t>(s.blocks) * (block_bytes() + 1024) > 227 * 1024)
        --s.blocks;
    return s;
}

CudaSource reaction_source(const cell::compiler::Program& p, bool single, bool fused, bool many,
                           const KernelShape& shape)
{
    CudaSource s;
    s.name = p.name;
    s.text = cell::compiler::cuda_text(p, single);
    const auto number = [&](const char* name, int value) {
        s.text += std::string("constexpr int ") + name + " = " + std::to_string(value) + ";\n";
    };
    number("block_threads", shape.block_threads);
    number("blocks", shape.blocks);
    number("stages", shape.stages);
    s.text += std::string("constexpr bool fused = ") + (fused ? "true" : "false") +
              ", many = " + (many ? "true" : "false") + ";\n";
    s.text += "#include \"engine/device/cuda/cell_kernel.cuh\"\n";
    s.headers = {{"cstdint", standard_integers},
                 {"cstddef", "#include <cstdint>\n"},
                 {"engine/device/cuda/kernel_values.cuh", kernel_values_text()},
                 {"engine/device/cuda/rows.cuh", rows_text()},
                 {"engine/device/cuda/cell_kernel.cuh", cell_kernel_text()}};
    return s;
}

} // namespace tawara::device::cuda
