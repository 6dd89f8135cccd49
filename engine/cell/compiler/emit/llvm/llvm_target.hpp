// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/program.hpp"

#include <string>
#include <utility>

namespace tawara::cell::compiler {

/// The widest vectors that this processor has [bytes], and what such processors are called, e.g.
/// "AVX2".
/// @param most_bytes  none wider than that: 16, 32 or 64; 0: any
std::pair<unsigned, std::string> widest_vectors(unsigned most_bytes = 0);

/// This processor, as programs are compiled for it.
/// @param most_vector_bytes  as of widest_vectors(); for tests and measurements
Target processor_target(bool single_precision, unsigned most_vector_bytes = 0);
/// options_for() it.
OptimiseOptions processor_options(const CellSystem& system, bool single_precision,
                                  unsigned most_vector_bytes = 0);

} // namespace tawara::cell::compiler
