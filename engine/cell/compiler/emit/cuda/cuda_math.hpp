// SPDX-License-Identifier: GPL-3.0-or-later
// The mathematics that emitted CUDA code calls, as text: the functions of `Elementary`.
#pragma once

namespace tawara::cell::compiler {

/// Double precision, without branches and within 1.5 units in the last place for what models
/// compute: arguments and results that are neither infinite nor subnormal (exp: 2, and a unit for
/// each 2 of |x|). fp64 instructions: reciprocal 3, exp 9, log 12, sqrt 8.
extern const char* const cuda_math_double;
/// Single precision: relative errors of exp 2e-7 + 6e-8 |x|, of log 2e-7 (absolute from 0.5 to 2).
extern const char* const cuda_math_single;
/// exp(x, c times this) is exp(c x).
inline constexpr double cuda_exp_double = 46.166241308446829, cuda_exp_single = 1.4426950408889634;
/// What both build on these: power, pow, tanh.
extern const char* const cuda_math_common;

} // namespace tawara::cell::compiler
