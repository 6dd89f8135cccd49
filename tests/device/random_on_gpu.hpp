// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/random.hpp"

#include <cstddef>
#include <vector>

namespace tawara::test {

/// The first uniform number of `n` unknowns in one step, drawn on the first GPU; empty where there
/// is no CUDA compiler.
std::vector<double> uniforms_on_gpu(const RandomPlace& first, std::size_t n);

} // namespace tawara::test
