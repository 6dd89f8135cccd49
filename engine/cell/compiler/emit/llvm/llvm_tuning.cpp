// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/llvm/llvm_tuning.hpp"

namespace tawara::cell::compiler {

Tuning Tuning::of_this_processor([[maybe_unused]] bool single, [[maybe_unused]] unsigned bytes)
{
    Tuning t;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_is("intel") && bytes > 16) {
        t.fused_reduction = true;
        t.exponent_instructions = true;
        t.long_at_once = 6;
        t.fetch_ahead = bytes == 64 || !single ? 2 : 0;
        if (bytes == 64) {
            t.quotients_per_division = single ? 4 : 3;
            t.quotient_cost = 7;
        }
    }
#endif
    return t;
}

} // namespace tawara::cell::compiler
