// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/emit/llvm/llvm_math.hpp"
#include "engine/cell/compiler/program.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <unordered_map>
#include <vector>

namespace tawara::cell::compiler {

/// The step function, and what all parts of a step use.
struct LlvmFrame
{
    /// Begins the function in its entry block.
    LlvmFrame(llvm::Module& m, const Program& p, bool single, unsigned width_);

    llvm::BasicBlock* block(const char* name);
    llvm::Align alignment() const;
    /// Memory of a vector. @pre in the entry block
    llvm::Value* room();
    /// Asks for the states of cells to come; the arrays may end before.
    void fetch_ahead();
    /// Where the present cells have a state or a kept value.
    llvm::Value* place(std::size_t k);

    const Program& program;
    llvm::IRBuilder<> b;
    Tuning tuning;
    LlvmMath math;
    unsigned width;
    llvm::Type* scalar;
    llvm::VectorType* vector;
    std::size_t states;
    llvm::Function* f = nullptr;
    std::vector<llvm::Value*> pointers;             ///< of states' arrays, of kept values
    std::unordered_map<Node, llvm::Value*> scalars; ///< what all cells share
    std::unordered_map<Node, llvm::Value*> spread;  ///< places of it
    llvm::Value* cell = nullptr;                    ///< index of the vector's first cell
};

/// Values that a program's tables have at V (Program::lookups).
class LlvmTables
{
  public:
    explicit LlvmTables(LlvmFrame& frame) : frame_(frame) {}
    /// Finds where V lies in the tables.
    void find_place(llvm::Value* v);
    /// Function k there, between two points of its table.
    llvm::Value* look_up(std::uint32_t k);

  private:
    LlvmFrame& frame_;
    llvm::Value* point_ = nullptr;   ///< index of the point below
    llvm::Value* between_ = nullptr; ///< the distance from it in steps
};

} // namespace tawara::cell::compiler
