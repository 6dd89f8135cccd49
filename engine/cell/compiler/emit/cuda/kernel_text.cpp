// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/cuda/kernel_text.hpp"

#include <algorithm>
#include <cstdint>

namespace tawara::cell::compiler {
namespace {

/// Longer texts in double precision are compiled quickly: the time for good code grows faster than
/// with their length. Below, and in single precision, the quick way takes as long or longer than
/// the good one (PREDICTIONS.md, "G1", "N1"); no model of the library is beyond.
constexpr std::size_t long_text = 1'500'000;

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

std::string constant(const char* type, const std::string& name, const std::string& value)
{
    return std::string("[[maybe_unused]] constexpr ") + type + " " + name + " = " + value + ";\n";
}

/// row_differs(k), in words of 64 bits.
std::string differences(const KernelConstants& c)
{
    std::string s = "__device__ __forceinline__ constexpr bool row_differs(int k)\n{\n    return (";
    for (std::size_t first = 0; first < c.row_size; first += 64) {
        std::uint64_t word = 0;
        for (std::size_t k = first; k < std::min(first + 64, c.row_size); ++k)
            if (c.differ.at(k))
                word |= std::uint64_t{1} << (k - first);
        const auto bits = std::to_string(word) + "ull >> (k - " + std::to_string(first) + ")";
        s += first + 64 < c.row_size ? "k < " + std::to_string(first + 64) + " ? " + bits + " : "
                                     : bits;
    }
    return s + ") & 1;\n}\n";
}

} // namespace

CudaSource kernel_source(const std::string& name, std::string steps, bool single,
                         const KernelConstants& constants,
                         const std::pair<std::string, std::string>& file,
                         const std::vector<std::pair<std::string, std::string>>& others)
{
    CudaSource s;
    s.name = name;
    s.text = std::move(steps);
    for (const auto& [what, value] : constants.numbers)
        s.text += constant("int", what, std::to_string(value));
    for (const auto& [what, value] : constants.choices)
        s.text += constant("bool", what, value ? "true" : "false");
    s.text += differences(constants);
    s.text += "#include \"" + file.first + "\"\n";
    s.quick = !single && s.text.size() > long_text;
    s.headers = {{"cstdint", standard_integers}, {"cstddef", "#include <cstdint>\n"}};
    s.headers.insert(s.headers.end(), others.begin(), others.end());
    s.headers.push_back(file);
    return s;
}

} // namespace tawara::cell::compiler
