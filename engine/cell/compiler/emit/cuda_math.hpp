// SPDX-License-Identifier: GPL-3.0-or-later
// The mathematics that emitted CUDA code calls, as text: the functions of `Elementary`.
#pragma once

namespace tawara::cell::compiler {

/// Double precision, without branches and within 1.5 units in the last place for what models
/// compute: arguments and results that are neither infinite nor subnormal. fp64 instructions:
/// reciprocal 3, exp 10, log 18, sqrt 8.
extern const char* const cuda_math_double;
/// Single precision.
extern const char* const cuda_math_single;
/// What both build on these: power, linexp, pow, tanh.
extern const char* const cuda_math_common;

} // namespace tawara::cell::compiler
