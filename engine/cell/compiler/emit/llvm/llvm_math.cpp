// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/llvm/llvm_math.hpp"

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

namespace tawara::cell::compiler {
using llvm::Value;

Value* LlvmMath::number(llvm::Type* type, double v)
{
    auto* constant = llvm::ConstantFP::get(type, v);
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    if (!vector || vector->getPrimitiveSizeInBits() != 256)
        return constant;
    // AVX2 has no operands that are broadcast: whole vectors in memory, one read for each use
    auto*& place = constants_[{type, std::bit_cast<std::uint64_t>(v)}];
    const llvm::Align align(32);
    if (!place) {
        place = new llvm::GlobalVariable(*b_.GetInsertBlock()->getModule(), type, true,
                                         llvm::GlobalValue::PrivateLinkage, constant);
        place->setAlignment(align);
    }
    return b_.CreateAlignedLoad(type, place, align);
}

llvm::Type* LlvmMath::integers(Value* x)
{
    llvm::Type* i = single(x) ? b_.getInt32Ty() : b_.getInt64Ty();
    if (auto* v = llvm::dyn_cast<llvm::VectorType>(x->getType()))
        return llvm::VectorType::get(i, v->getElementCount());
    return i;
}

Value* LlvmMath::polynomial(Value* x, std::vector<double> c)
{
    return polynomials({x}, std::move(c))[0];
}

std::vector<Value*> LlvmMath::polynomials(std::vector<Value*> x, std::vector<double> c,
                                          double scale)
{
    llvm::Type* t = x[0]->getType();
    const auto fma = [&](Value* a, Value* b, Value* d) {
        return b_.CreateIntrinsic(llvm::Intrinsic::fmuladd, {t}, {a, b, d});
    };
    std::reverse(c.begin(), c.end());
    for (std::size_t k = 0; k < c.size(); ++k)
        c[k] *= std::pow(scale, static_cast<double>(k));
    const std::size_t count = x.size();
    std::vector<std::vector<Value*>> terms(count);
    bool first = true; // the terms are still the constants
    std::size_t size = c.size();
    const auto term = [&](std::size_t i, std::size_t k) {
        return first ? number(t, c[k]) : terms[i][k];
    };
    // Long ones by Estrin's scheme, pairs, pairs of pairs, ...: Horner's chain of dependent
    // operations would leave the units waiting. Short ones cost fewer operations by Horner's.
    constexpr std::size_t longest_chain = 7;
    while (size > longest_chain) {
        std::vector<std::vector<Value*>> next(count);
        for (std::size_t k = 0; k < size; k += 2)
            for (std::size_t i = 0; i < count; ++i)
                next[i].push_back(k + 1 == size ? term(i, k)
                                                : fma(term(i, k + 1), x[i], term(i, k)));
        for (Value*& v : x)
            v = b_.CreateFMul(v, v);
        terms = std::move(next);
        size = terms[0].size();
        first = false;
    }
    std::vector<Value*> p(count);
    for (std::size_t i = 0; i < count; ++i)
        p[i] = term(i, size - 1);
    for (std::size_t k = size - 1; k-- > 0;)
        for (std::size_t i = 0; i < count; ++i)
            p[i] = fma(p[i], x[i], term(i, k));
    return p;
}

Value* LlvmMath::fma(Value* a, Value* b, Value* c)
{
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

bool LlvmMath::has_exponent_instructions(llvm::Type* t) const
{
    return tuning_.exponent_instructions && t->getPrimitiveSizeInBits() == 512;
}

Value* LlvmMath::all_lanes(llvm::Type* t)
{
    return t->getScalarType()->isFloatTy() ? b_.getInt16(0xffff) : b_.getInt8(0xff);
}

Value* LlvmMath::newton_reciprocal(Value* y, bool normal)
{
    // r = (1 - e) / y, |e| < 2^-14; 1 / y = r (1 + e + e^2 + e^3 + ...). Where y is 0, infinite or
    // too small for r to be a number, e is -infinity or NaN, and r the answer.
    llvm::Type* t = y->getType();
    llvm::Constant* zero = llvm::Constant::getNullValue(t);
    const bool f = single(y);
    Value* r = b_.CreateIntrinsic(f ? llvm::Intrinsic::x86_avx512_rcp14_ps_512
                                    : llvm::Intrinsic::x86_avx512_rcp14_pd_512,
                                  {}, {y, zero, f ? b_.getInt16(0xffff) : b_.getInt8(0xff)});
    Value* e = fma(b_.CreateFNeg(y), r, number(t, 1));
    Value* sum = f ? e : fma(fma(e, e, e), e, e);
    Value* better = fma(r, sum, r);
    return normal ? better : b_.CreateSelect(b_.CreateFCmpOGT(e, number(t, -1)), better, r);
}

Value* LlvmMath::divide(Value* x, Value* y, bool normal)
{
    if (const auto it = quotients_.find(y); it != quotients_.end())
        return divide(b_.CreateFMul(x, it->second.second), it->second.first);
    const auto* v = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
    const bool wide = v && v->getPrimitiveSizeInBits() == 512;
    if (!wide)
        return b_.CreateFDiv(x, y);
    // those that Newton's method takes a comparison more for are divided as soon as one is due
    divisions_due_ += 1.0 / tuning_.quotients_per_division;
    constexpr double rounding = 1e-9;
    if (divisions_due_ > (normal ? 1 - rounding : rounding)) {
        --divisions_due_;
        return b_.CreateFDiv(x, y);
    }
    return b_.CreateFMul(x, newton_reciprocal(y, normal));
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
    Value* far = b_.CreateFSub(number(t, 1), divide(number(t, 2), b_.CreateFAdd(e, number(t, 1))));
    Value* z = b_.CreateFMul(x, x);
    Value* near =
        b_.CreateFMul(x, polynomial(z, {-929569.0 / 638512875, 21844.0 / 6081075, -1382.0 / 155925,
                                        62.0 / 2835, -17.0 / 315, 2.0 / 15, -1.0 / 3, 1}));
    return b_.CreateSelect(b_.CreateFCmpOLT(z, number(t, 0.01)), near, far);
}

Value* LlvmMath::linexp(Value* x)
{
    // e^x - 1 = 2^(k/parts) (2^r - 1) + 2^(k/parts) - 1, whose second part is 0 around 0
    llvm::Type* t = x->getType();
    llvm::Type* i = integers(x);
    auto [r, power, none] = reduced({x, log2_e, true, true, true}, false);
    Value* p = nullptr; // (2^r - 1) / r
    if (const int bits = table_bits(t); bits > 0) {
        p = remainders({r}, bits, true)[0];
    } else {
        const bool f = single(x);
        Value* one = llvm::ConstantInt::get(i, f ? std::bit_cast<std::uint32_t>(1.0f)
                                                 : std::bit_cast<std::uint64_t>(1.0));
        power = b_.CreateBitCast(b_.CreateAdd(power, one), t);
        constexpr double ln2 = 0.69314718055994530942;
        p = b_.CreateFMul( // remainders()' coefficients but the first
            f ? polynomials({r},
                            {0.0013948580818000501, 0.00837512889037406, 0.041666218274403026,
                             0.1666641547723622, 0.5000000107749383, 1},
                            ln2)[0]
              : polynomials({r},
                            {2.511487021947156e-08, 2.763264067543022e-07, 2.7557224956110785e-06,
                             2.480148547921643e-05, 0.00019841269909219843, 0.0013888888952318045,
                             0.008333333333309526, 0.04166666666648808, 0.16666666666666702,
                             0.5000000000000019, 1},
                            ln2)[0],
            number(t, ln2));
    }
    Value* less_one =
        b_.CreateIntrinsic(llvm::Intrinsic::fmuladd, {t},
                           {b_.CreateFMul(power, r), p, b_.CreateFSub(power, number(t, 1))});
    Value* zero = b_.CreateFCmpOEQ(x, number(t, 0));
    Value* top = b_.CreateSelect(zero, number(t, 1), x);
    Value* bottom = b_.CreateSelect(zero, number(t, 1), less_one);
    Value* out = divide(top, bottom);
    quotients_[out] = {top, bottom};
    return out;
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
    return n < 0 ? divide(number(x->getType(), 1), r) : r;
}

Value* LlvmMath::operation(Op op, Value* a, Value* b, Value* c)
{
    switch (op) {
    case Op::add:
        return b_.CreateFAdd(a, b);
    case Op::sub:
        return b_.CreateFSub(a, b);
    case Op::mul:
        return b_.CreateFMul(a, b);
    case Op::div:
        return divide(a, b);
    case Op::neg:
        return b_.CreateFNeg(a);
    case Op::pow:
        return pow(a, b);
    case Op::exp:
        return exp(a);
    case Op::log:
        return log(a);
    case Op::sqrt:
        return b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a);
    case Op::abs:
        return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
    case Op::floor:
        return b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, a);
    case Op::ceil:
        return b_.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, a);
    case Op::tanh:
        return tanh(a);
    case Op::linexp:
        return linexp(a);
    case Op::min:
        return b_.CreateSelect(b_.CreateFCmpOLT(a, b), a, b);
    case Op::max:
        return b_.CreateSelect(b_.CreateFCmpOGT(a, b), a, b);
    case Op::eq:
        return b_.CreateFCmpOEQ(a, b);
    case Op::ne:
        return b_.CreateFCmpUNE(a, b);
    case Op::lt:
        return b_.CreateFCmpOLT(a, b);
    case Op::le:
        return b_.CreateFCmpOLE(a, b);
    case Op::both:
        return b_.CreateAnd(a, b);
    case Op::either:
        return b_.CreateOr(a, b);
    case Op::negate:
        return b_.CreateNot(a);
    case Op::select:
        return b_.CreateSelect(a, b, c);
    default:
        return library_call(op, a, b);
    }
}

Value* LlvmMath::library_call(Op op, Value* a, Value* b)
{
    auto* d = b_.getDoubleTy();
    llvm::Type* scalar = a->getType()->getScalarType();
    const std::string name = op == Op::rem ? "fmod" : std::string(op_name(op));
    std::vector<llvm::Type*> types(b ? 2 : 1, d);
    const auto f = b_.GetInsertBlock()->getModule()->getOrInsertFunction(
        name, llvm::FunctionType::get(d, types, false));
    const auto one = [&](Value* x, Value* y) {
        std::vector<Value*> args{b_.CreateFPExt(x, d)};
        if (y)
            args.push_back(b_.CreateFPExt(y, d));
        return b_.CreateFPTrunc(b_.CreateCall(f, args), scalar);
    };
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(a->getType());
    if (!vector)
        return one(a, b);
    Value* out = llvm::PoisonValue::get(a->getType());
    for (unsigned k = 0; k < vector->getNumElements(); ++k)
        out = b_.CreateInsertElement(
            out, one(b_.CreateExtractElement(a, k), b ? b_.CreateExtractElement(b, k) : nullptr),
            k);
    return out;
}

} // namespace tawara::cell::compiler
