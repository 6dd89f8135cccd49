// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/llvm_math.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>

namespace tawara::cell::compiler {
using llvm::Value;

Value* LlvmMath::number(llvm::Type* type, double v)
{
    return llvm::ConstantFP::get(type, v);
}

llvm::Type* LlvmMath::integers(Value* x)
{
    llvm::Type* i = single(x) ? b_.getInt32Ty() : b_.getInt64Ty();
    if (auto* v = llvm::dyn_cast<llvm::VectorType>(x->getType()))
        return llvm::VectorType::get(i, v->getElementCount());
    return i;
}

Value* LlvmMath::polynomial(Value* x, std::initializer_list<double> c)
{
    Value* p = nullptr;
    for (const double k : c) {
        Value* n = number(x->getType(), k);
        p = p ? b_.CreateIntrinsic(llvm::Intrinsic::fmuladd, {x->getType()}, {p, x, n}) : n;
    }
    return p;
}

Value* LlvmMath::exp(Value* x)
{
    llvm::Type* t = x->getType();
    const bool f = single(x);
    const auto bound = [&](Value* v, double limit, bool above) {
        Value* l = number(t, limit);
        return b_.CreateSelect(above ? b_.CreateFCmpOGT(v, l) : b_.CreateFCmpOLT(v, l), l, v);
    };
    x = bound(bound(x, f ? 88.02 : 709.4, true), f ? -87.0 : -708.0, false);
    // n = round(x / ln 2) by the magic number; its low bits are n, shifted into the exponent below
    const double magic = f ? 12582912.0 : 6755399441055744.0;
    Value* shifted = b_.CreateIntrinsic(llvm::Intrinsic::fmuladd, {t},
                                        {x, number(t, 1.4426950408889634), number(t, magic)});
    Value* n = b_.CreateFSub(shifted, number(t, magic));
    Value* r =
        b_.CreateIntrinsic(llvm::Intrinsic::fmuladd, {t},
                           {n, number(t, f ? -0.693359375 : -6.93147180369123816490e-01), x});
    r = b_.CreateIntrinsic(llvm::Intrinsic::fmuladd, {t},
                           {n, number(t, f ? 2.12194440e-4 : -1.90821492927058770002e-10), r});
    // Taylor's polynomial on |r| <= ln 2 / 2: remainder r^14/14! below 4e-18 (r^8/8! below 6e-9)
    Value* p = f ? polynomial(r, {1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1, 1})
                 : polynomial(r, {1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0,
                                  1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0,
                                  1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1, 1});
    llvm::Type* i = integers(x);
    Value* exponent =
        b_.CreateShl(b_.CreateBitCast(shifted, i), llvm::ConstantInt::get(i, f ? 23 : 52));
    return b_.CreateBitCast(b_.CreateAdd(b_.CreateBitCast(p, i), exponent), t);
}

Value* LlvmMath::log(Value* x)
{
    // x = 2^k (1 + f), sqrt(1/2) < 1 + f < sqrt(2); s = f / (2 + f), log(1 + f) = 2 atanh(s)
    llvm::Type* t = x->getType();
    llvm::Type* i = integers(x);
    const bool f32 = single(x);
    const int mantissa = f32 ? 23 : 52;
    const auto integer = [&](std::uint64_t v) { return llvm::ConstantInt::get(i, v); };
    const std::uint64_t half = f32 ? 0x3f3504f3u : 0x3fe6a09e667f3bcdull; // sqrt(1/2)
    Value* bits = b_.CreateBitCast(x, i);
    Value* k = b_.CreateAShr(b_.CreateSub(bits, integer(half)),
                             integer(static_cast<std::uint64_t>(mantissa)));
    Value* m = b_.CreateBitCast(
        b_.CreateSub(bits, b_.CreateShl(k, integer(static_cast<std::uint64_t>(mantissa)))), t);
    Value* f = b_.CreateFSub(m, number(t, 1));
    Value* kf = b_.CreateSIToFP(k, t);
    Value* s = b_.CreateFDiv(f, b_.CreateFAdd(f, number(t, 2)));
    Value* z = b_.CreateFMul(s, s);
    Value* r = f32 ? polynomial(z, {0.24279078841, 0.28498786688, 0.40000972152, 0.66666662693})
                   : polynomial(z, {1.479819860511658591e-01, 1.531383769920937332e-01,
                                    1.818357216161805012e-01, 2.222219843214978396e-01,
                                    2.857142874366239149e-01, 3.999999999940941908e-01,
                                    6.666666666666735130e-01});
    r = b_.CreateFMul(r, z);
    Value* square = b_.CreateFMul(b_.CreateFMul(number(t, 0.5), f), f);
    Value* low = b_.CreateFAdd(
        b_.CreateFMul(s, b_.CreateFAdd(square, r)),
        b_.CreateFMul(kf, number(t, f32 ? 9.0580006145e-06 : 1.90821492927058770002e-10)));
    Value* high = b_.CreateFMul(kf, number(t, f32 ? 6.9313812256e-01 : 6.93147180369123816490e-01));
    Value* y = b_.CreateFSub(high, b_.CreateFSub(b_.CreateFSub(square, low), f));
    y = b_.CreateSelect(b_.CreateFCmpOEQ(x, number(t, 0)),
                        number(t, -std::numeric_limits<double>::infinity()), y);
    return b_.CreateSelect(b_.CreateFCmpOGE(x, number(t, 0)), y,
                           number(t, std::numeric_limits<double>::quiet_NaN()));
}

Value* LlvmMath::pow(Value* x, Value* y)
{
    Value* p = exp(b_.CreateFMul(y, log(x)));
    Value* zero = number(x->getType(), 0);
    return b_.CreateSelect(
        b_.CreateFCmpOEQ(x, zero),
        b_.CreateSelect(b_.CreateFCmpOEQ(y, zero), number(x->getType(), 1), zero), p);
}

Value* LlvmMath::tanh(Value* x)
{
    // 1 - 2 / (exp(2 x) + 1); near 0 the series keeps the digits
    llvm::Type* t = x->getType();
    Value* e = exp(b_.CreateFMul(x, number(t, 2)));
    Value* far =
        b_.CreateFSub(number(t, 1), b_.CreateFDiv(number(t, 2), b_.CreateFAdd(e, number(t, 1))));
    Value* z = b_.CreateFMul(x, x);
    Value* near =
        b_.CreateFMul(x, polynomial(z, {-929569.0 / 638512875, 21844.0 / 6081075, -1382.0 / 155925,
                                        62.0 / 2835, -17.0 / 315, 2.0 / 15, -1.0 / 3, 1}));
    return b_.CreateSelect(b_.CreateFCmpOLT(z, number(t, 0.01)), near, far);
}

Value* LlvmMath::linexp(Value* x)
{
    llvm::Type* t = x->getType();
    Value* far = b_.CreateFDiv(x, b_.CreateFSub(exp(x), number(t, 1)));
    Value* z = b_.CreateFMul(x, x); // Bernoulli's series 1 - x/2 + x^2/12 - x^4/720 + ...
    Value* near = polynomial(z, {-691.0 / 1307674368000.0, 1.0 / 47900160, -1.0 / 1209600,
                                 1.0 / 30240, -1.0 / 720, 1.0 / 12, 1});
    near = b_.CreateFSub(near, b_.CreateFMul(x, number(t, 0.5)));
    return b_.CreateSelect(b_.CreateFCmpOLT(z, number(t, 0.25)), near, far);
}

Value* LlvmMath::integer_power(Value* x, int n)
{
    Value* r = nullptr;
    Value* square = x;
    for (int k = std::abs(n); k > 0; k >>= 1) {
        if (k & 1)
            r = r ? b_.CreateFMul(r, square) : square;
        if (k > 1)
            square = b_.CreateFMul(square, square);
    }
    if (!r)
        return number(x->getType(), 1);
    return n < 0 ? b_.CreateFDiv(number(x->getType(), 1), r) : r;
}

} // namespace tawara::cell::compiler
