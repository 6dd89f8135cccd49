// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <llvm/IR/IRBuilder.h>

namespace tawara::cell::compiler {

/// Emits vector mathematics as LLVM IR, in double or single precision by the type of the argument.
/// Everything is branch-free; accurate to about 1 ulp in the ranges that cell models use.
class LlvmMath
{
  public:
    explicit LlvmMath(llvm::IRBuilder<>& b) : b_(b) {}
    /// Clamped to the finite range: no infinity, and 0 below it.
    llvm::Value* exp(llvm::Value* x);
    /// NaN for x < 0, -infinity for 0.
    llvm::Value* log(llvm::Value* x);
    /// exp(y log x); integer constants are multiplied out by the caller.
    llvm::Value* pow(llvm::Value* x, llvm::Value* y);
    llvm::Value* tanh(llvm::Value* x);
    /// x / (exp(x) - 1)
    llvm::Value* linexp(llvm::Value* x);
    llvm::Value* integer_power(llvm::Value* x, int n);
    llvm::Value* number(llvm::Type* type, double v);

  private:
    llvm::Value* polynomial(llvm::Value* x, std::initializer_list<double> highest_first);
    bool single(llvm::Value* x) const { return x->getType()->getScalarType()->isFloatTy(); }
    llvm::Type* integers(llvm::Value* x);
    llvm::IRBuilder<>& b_;
};

} // namespace tawara::cell::compiler
