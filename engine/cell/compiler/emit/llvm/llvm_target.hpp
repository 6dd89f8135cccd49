// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/program.hpp"

#include <string>
#include <utility>

namespace tawara::cell::compiler {

/// The widest vectors that code made from now on may use [bytes]: 16, 32 or 64; 0: this machine's.
/// For tests and measurements.
void limit_vectors(unsigned bytes);
/// The vectors that code made now uses [bytes], and what such machines are called, e.g. "AVX2".
std::pair<unsigned, std::string> vectors_in_use();

/// This processor, as programs are compiled for it.
Target processor_target(bool single_precision);
/// options_for() it.
OptimiseOptions processor_options(const CellSystem& system, bool single_precision);

} // namespace tawara::cell::compiler
