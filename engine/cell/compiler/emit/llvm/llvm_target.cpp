// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/llvm/llvm_target.hpp"

#include "engine/cell/compiler/emit/llvm/llvm_tuning.hpp"

#include <llvm/ADT/StringMap.h>
#include <llvm/Support/Host.h>

#include <atomic>

namespace tawara::cell::compiler {
namespace {

std::atomic<unsigned> vector_limit{0};

} // namespace

void limit_vectors(unsigned bytes)
{
    vector_limit = bytes;
}

std::pair<unsigned, std::string> vectors_in_use()
{
    static const llvm::StringMap<bool> features = [] {
        llvm::StringMap<bool> f;
        llvm::sys::getHostCPUFeatures(f);
        return f;
    }();
    const unsigned limit = vector_limit ? vector_limit.load() : 64;
    if (limit >= 64 && features.lookup("avx512f") && features.lookup("avx512dq"))
        return {64, "AVX-512"};
    if (limit >= 32 && features.lookup("avx2") && features.lookup("fma"))
        return {32, "AVX2"};
    return {16, "128-bit vectors"};
}

Target processor_target(bool single_precision)
{
    const unsigned bytes = vectors_in_use().first;
    return {single_precision, true, bytes,
            Tuning::of_this_processor(single_precision, bytes).quotient_cost};
}

OptimiseOptions processor_options(const CellSystem& system, bool single_precision)
{
    return options_for(system, processor_target(single_precision));
}

} // namespace tawara::cell::compiler
