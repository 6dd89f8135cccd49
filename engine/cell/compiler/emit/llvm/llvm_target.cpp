// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/llvm/llvm_target.hpp"

#include "engine/cell/compiler/emit/llvm/llvm_tuning.hpp"

#include <llvm/ADT/StringMap.h>
#include <llvm/Support/Host.h>

namespace tawara::cell::compiler {

std::pair<unsigned, std::string> widest_vectors(unsigned most_bytes)
{
    static const llvm::StringMap<bool> features = [] {
        llvm::StringMap<bool> f;
        llvm::sys::getHostCPUFeatures(f);
        return f;
    }();
    const unsigned limit = most_bytes ? most_bytes : 64;
    if (limit >= 64 && features.lookup("avx512f") && features.lookup("avx512dq"))
        return {64, "AVX-512"};
    if (limit >= 32 && features.lookup("avx2") && features.lookup("fma"))
        return {32, "AVX2"};
    return {16, "128-bit vectors"};
}

Target processor_target(bool single_precision, unsigned most_vector_bytes)
{
    const unsigned bytes = widest_vectors(most_vector_bytes).first;
    return {single_precision, true, bytes,
            Tuning::of_this_processor(single_precision, bytes).quotient_cost};
}

OptimiseOptions processor_options(const CellSystem& system, bool single_precision,
                                  unsigned most_vector_bytes)
{
    return options_for(system, processor_target(single_precision, most_vector_bytes));
}

} // namespace tawara::cell::compiler
