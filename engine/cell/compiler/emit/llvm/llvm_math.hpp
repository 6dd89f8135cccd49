// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/emit/llvm/llvm_tuning.hpp"
#include "engine/cell/compiler/graph/expr.hpp"

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tawara::cell::compiler {

/// Emits vector mathematics as LLVM IR, in double or single precision by the type of the argument.
/// Everything is branch-free; accurate to about 1 ulp in the ranges that cell models use, but for
/// exponentials that are not `fine`.
class LlvmMath
{
  public:
    static constexpr double log2_e = 1.4426950408889634074;

    LlvmMath(llvm::IRBuilder<>& b, const Tuning& tuning) : b_(b), tuning_(tuning) {}
    /// Clamped to the finite range: no infinity, and 0 below it.
    /// @param low, high  whether x may lie below or above that range at all
    llvm::Value* exp(llvm::Value* x, bool low = true, bool high = true);
    /// 2^(scale x), the same way; several at once, with their operations interleaved: none waits
    /// for the other's. `fine` is for what is raised to powers: within an ulp. The others take an
    /// operation or two less: remainders of at most 3.5e-14 (220 ulp) and 5.4e-8 (half an ulp),
    /// and of no more than 8.9e-14 of exp(x) - 1 where double precision has no table.
    /// Where reach is not 0, 2^(scale (x + origin)) is meant, and exp() of at most +-reach <= 1 is
    /// all that scale x makes: a polynomial of x, the range not reduced (remainders: 3e-16, 3e-8).
    struct Power
    {
        llvm::Value* x;
        double scale;
        bool low, high, fine;
        double reach = 0, origin = 0;
    };
    std::vector<llvm::Value*> exp2(const std::vector<Power>& list);
    /// NaN for x < 0, -infinity for 0; infinity may come from 3/4 of the largest number on.
    llvm::Value* log(llvm::Value* x) { return log(std::vector<llvm::Value*>{x})[0]; }
    std::vector<llvm::Value*> log(const std::vector<llvm::Value*>& x);
    /// exp(y log x); integer constants are multiplied out by the caller.
    llvm::Value* pow(llvm::Value* x, llvm::Value* y);
    llvm::Value* tanh(llvm::Value* x);
    /// x / y, within 2 ulp; a denominator below 1 / the largest number may count as 0.
    /// @param normal  y and 1 / y are normal numbers for certain
    llvm::Value* divide(llvm::Value* x, llvm::Value* y, bool normal = false);
    /// x / (exp(x) - 1), 1 at 0: within 3 ulp around 0, and within parts/2 of them elsewhere.
    llvm::Value* linexp(llvm::Value* x);
    llvm::Value* integer_power(llvm::Value* x, int n);
    /// Any operation on numbers or vectors of them; null where it has fewer arguments.
    llvm::Value* operation(Op op, llvm::Value* a, llvm::Value* b, llvm::Value* c);
    llvm::Value* number(llvm::Type* type, double v);
    /// Whether exponentials of such vectors look a part up in a table: their polynomials are short.
    static bool has_table(llvm::Type* type);

  private:
    /// 1 / y by one approximation and one step. @pre 64-byte vectors
    llvm::Value* newton_reciprocal(llvm::Value* y, bool normal);
    llvm::Value* fma(llvm::Value* a, llvm::Value* b, llvm::Value* c);
    /// Rare functions: the C library's, cell by cell, in double precision.
    llvm::Value* library_call(Op op, llvm::Value* a, llvm::Value* b);
    /// 2^(j/parts) of the low bits j of k, from a table in registers; less j where the caller adds
    /// k to the exponent, unless it scales the result itself.
    llvm::Value* power_of_two(llvm::Value* k, llvm::Type* type, bool scaled);
    /// Whether x 2^floor(y), mantissas and exponents take one instruction each, and pay.
    bool has_exponent_instructions(llvm::Type* type) const;
    /// The mask of instructions of 64-byte vectors that leaves nothing out.
    llvm::Value* all_lanes(llvm::Type* type);
    static constexpr unsigned current_rounding = 4; ///< of such instructions
    /// Bits of the table that a vector type can look up with one instruction.
    static int table_bits(llvm::Type* type);
    /// The entries that the low bits of k choose, in one instruction.
    llvm::Value* look_up(llvm::ArrayRef<llvm::Constant*> table, llvm::Value* k, llvm::Type* type);
    /// For normal x > 0: where there are tables, and without.
    std::vector<llvm::Value*> log_by_table(const std::vector<llvm::Value*>& x);
    /// Single precision with has_exponent_instructions().
    std::vector<llvm::Value*> log_by_exponent(const std::vector<llvm::Value*>& x);
    std::vector<llvm::Value*> log_by_quotient(const std::vector<llvm::Value*>& x);
    /// 2^(scale x) = power 2^r, |r| <= half a part; without a table, power is what to add to the
    /// bits of 2^r. If `scaled` and whole is not null: 2^floor(whole) power 2^r.
    struct Reduced
    {
        llvm::Value *r, *power, *whole;
    };
    Reduced reduced(const Power& of, bool scaled);
    /// exp2's polynomials of r, |r| <= half a part: 2^r without a table, else (2^r - 1) / r.
    std::vector<llvm::Value*> remainders(const std::vector<llvm::Value*>& r, int bits, bool fine);
    /// What log(x) is for x <= 0 and for NaN, and `y` for all others.
    llvm::Value* log_or_special(llvm::Value* x, llvm::Value* y);
    llvm::Value* polynomial(llvm::Value* x, std::vector<double> highest_first);
    llvm::Value* short_exp2(const Power& of);
    std::vector<llvm::Value*> reduced_exp2(const std::vector<Power>& list);
    /// The same polynomial of several arguments, sum over k of c_k (scale x)^k.
    std::vector<llvm::Value*> polynomials(std::vector<llvm::Value*> x,
                                          std::vector<double> highest_first, double scale = 1);
    bool single(llvm::Value* x) const { return x->getType()->getScalarType()->isFloatTy(); }
    llvm::Type* integers(llvm::Value* x);
    llvm::IRBuilder<>& b_;
    Tuning tuning_;
    double divisions_due_ = 0; ///< of 64-byte vectors
    /// Numerators and denominators of what linexp() made: a quotient by it needs one division.
    std::map<llvm::Value*, std::pair<llvm::Value*, llvm::Value*>> quotients_;
    std::map<std::pair<llvm::Type*, std::uint64_t>, llvm::GlobalVariable*> constants_;
};

} // namespace tawara::cell::compiler
