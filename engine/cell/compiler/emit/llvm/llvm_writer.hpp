// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/program.hpp"

namespace llvm {
class Module;
}

namespace tawara::cell::compiler {

/// Writes the function "step" of a program into a module: a loop over vectors of cells (arguments
/// as JitStep's call has them, a mask of the stimulus' index among them).
/// @param single  float, else double
/// @param width   cells in a vector
void write_step(llvm::Module& module, const Program& program, bool single, unsigned width);

} // namespace tawara::cell::compiler
