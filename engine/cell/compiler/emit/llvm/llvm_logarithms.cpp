// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/llvm/llvm_math.hpp"

#include <llvm/IR/IntrinsicsX86.h>

#include <bit>
#include <cmath>
#include <vector>

namespace tawara::cell::compiler {
using llvm::Value;

std::vector<Value*> LlvmMath::log(const std::vector<Value*>& list)
{
    llvm::Type* t = list[0]->getType();
    constexpr int worth_it = 4; // with 8 entries the division is as fast
    auto out = table_bits(t) < worth_it                          ? log_by_quotient(list)
               : single(list[0]) && has_exponent_instructions(t) ? log_by_exponent(list)
                                                                 : log_by_table(list);
    for (std::size_t n = 0; n < list.size(); ++n)
        out[n] = log_or_special(list[n], out[n]);
    return out;
}

Value* LlvmMath::log_or_special(Value* x, Value* y)
{
    llvm::Type* t = x->getType();
    if (const auto* v = llvm::dyn_cast<llvm::FixedVectorType>(t);
        v && v->getPrimitiveSizeInBits() == 512) { // one instruction instead of four
        const bool f = single(x);
        // by x's class, lowest first: NaN, NaN, 0, 1, -inf, inf, < 0, > 0; 0 keeps y, 3 is NaN,
        // 4 and 5 are -inf and inf
        constexpr std::uint64_t what = 0x03530433;
        Value* all = f ? b_.getInt16(0xffff) : b_.getInt8(0xff);
        return b_.CreateIntrinsic(f ? llvm::Intrinsic::x86_avx512_mask_fixupimm_ps_512
                                    : llvm::Intrinsic::x86_avx512_mask_fixupimm_pd_512,
                                  {},
                                  {y, x, llvm::ConstantInt::get(integers(x), what), b_.getInt32(0),
                                   all, b_.getInt32(current_rounding)});
    }
    // y less NaN, infinity or 0 in bits: cheaper than choosing between vectors
    const std::uint64_t but_infinity = single(x) ? 0x807fffff : 0x800fffffffffffff;
    Value* special = b_.CreateSExt(b_.CreateFCmpULE(x, number(t, 0)), integers(x));
    Value* zero = b_.CreateSExt(b_.CreateFCmpOEQ(x, number(t, 0)), integers(x));
    Value* kept =
        b_.CreateNot(b_.CreateAnd(zero, llvm::ConstantInt::get(integers(x), but_infinity)));
    return b_.CreateFSub(y, b_.CreateBitCast(b_.CreateAnd(kept, special), t));
}

std::vector<Value*> LlvmMath::log_by_table(const std::vector<Value*>& list)
{
    // x = 2^k z, z in [low, 2 low); c of the table near z: log x = k ln 2 + log c + log(1 + r),
    // r = z / c - 1 by one fma. An entry with c = 1 has 1 in its middle, so log x is exact there.
    llvm::Type* t = list[0]->getType();
    llvm::Type* i = integers(list[0]);
    const bool f32 = single(list[0]);
    const int bits = table_bits(t), mantissa = f32 ? 23 : 52, entries = 1 << bits;
    const int one = bits == 4 ? 9 : 19; ///< the entry around 1
    const auto integer = [&](std::uint64_t v) { return llvm::ConstantInt::get(i, v); };
    const double low = 1 - (2 * one + 1) / (4.0 * entries);
    const std::uint64_t start = f32 ? std::bit_cast<std::uint32_t>(static_cast<float>(low))
                                    : std::bit_cast<std::uint64_t>(low);
    std::vector<llvm::Constant*> inverse, logarithm;
    for (int j = 0; j < entries; ++j) {
        const double middle = j < one   ? low + (j + 0.5) / (2 * entries)
                              : j > one ? 1 + static_cast<double>(j - one) / entries
                                        : 1;
        const double c = f32 ? static_cast<double>(static_cast<float>(1 / middle)) : 1 / middle;
        inverse.push_back(llvm::ConstantFP::get(t->getScalarType(), c));
        logarithm.push_back(llvm::ConstantFP::get(t->getScalarType(), -std::log(c)));
    }
    std::vector<Value*> rs, ws;
    for (Value* x : list) {
        Value* raw = b_.CreateBitCast(x, i);
        Value* from = b_.CreateSub(raw, integer(start));
        Value* k = b_.CreateAShr(from, integer(static_cast<unsigned>(mantissa)));
        Value* j = b_.CreateLShr(from, integer(static_cast<unsigned>(mantissa - bits)));
        Value* power = b_.CreateShl(k, integer(static_cast<unsigned>(mantissa)));
        Value* z = b_.CreateBitCast(b_.CreateSub(raw, power), t);
        rs.push_back(b_.CreateIntrinsic(llvm::Intrinsic::fma, {t},
                                        {z, look_up(inverse, j, t), number(t, -1)}));
        ws.push_back(b_.CreateIntrinsic(
            llvm::Intrinsic::fma, {t},
            {b_.CreateSIToFP(k, t), number(t, 0.69314718055994530942), look_up(logarithm, j, t)}));
    }
    // (log(1 + r) - r) / r^2, remainders 2.3e-17, 3e-9
    const auto q =
        bits == 4 ? polynomials(rs, {0.11128886987006753, -0.1251955312667663, 0.14285703432369223,
                                     -0.1666665472825626, 0.20000000002120089, -0.2500000000233204,
                                     0.3333333333333327, -0.4999999999999993})
                  : polynomials(rs, {-0.2500305217696906, 0.3333699592174245, -0.5});
    std::vector<Value*> out;
    for (std::size_t n = 0; n < list.size(); ++n) {
        Value* tail = b_.CreateIntrinsic(llvm::Intrinsic::fma, {t},
                                         {b_.CreateFMul(rs[n], rs[n]), q[n], rs[n]});
        out.push_back(b_.CreateFAdd(ws[n], tail));
    }
    return out;
}

std::vector<Value*> LlvmMath::log_by_exponent(const std::vector<Value*>& list)
{
    // as log_by_table, x = 2^k z with z in [3/4, 3/2) by one instruction, k = the exponent of 4/3 x
    // by another (4/3 of a z just below 3/2 is below 2 when rounded); on both sides of 1 the entry
    // has c = 1
    llvm::Type* t = list[0]->getType();
    llvm::Type* i = integers(list[0]);
    constexpr int bits = 5, mantissa = 23, entries = 1 << bits;
    constexpr int three_quarters = 3; // of vgetmantps: mantissas from 3/4 to 3/2
    constexpr double ln2 = 0.69314718055994530942;
    std::vector<llvm::Constant*> inverse, logarithm;
    for (int j = 0; j < entries; ++j) {
        const double m = 1 + (j + 0.5) / entries, middle = j < entries / 2 ? m : m / 2;
        const bool next_to_1 = j == 0 || j == entries - 1;
        const double c = next_to_1 ? 1 : static_cast<double>(static_cast<float>(1 / middle));
        inverse.push_back(llvm::ConstantFP::get(t->getScalarType(), c));
        logarithm.push_back(llvm::ConstantFP::get(t->getScalarType(), -std::log(c)));
    }
    llvm::Constant* none = llvm::Constant::getNullValue(t);
    std::vector<Value*> rs, ws;
    for (Value* x : list) {
        Value* z = b_.CreateIntrinsic(
            llvm::Intrinsic::x86_avx512_mask_getmant_ps_512, {},
            {x, b_.getInt32(three_quarters), none, all_lanes(t), b_.getInt32(current_rounding)});
        Value* k = b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_getexp_ps_512, {},
                                      {b_.CreateFMul(x, number(t, 4.0 / 3)), none, all_lanes(t),
                                       b_.getInt32(current_rounding)});
        Value* j =
            b_.CreateLShr(b_.CreateBitCast(z, i), llvm::ConstantInt::get(i, mantissa - bits));
        rs.push_back(fma(z, look_up(inverse, j, t), number(t, -1)));
        ws.push_back(fma(k, number(t, ln2), look_up(logarithm, j, t)));
    }
    // (log(1 + r) - r) / r^2 for -1/64 < r < 1/32, remainder 6.6e-7
    const auto q =
        polynomials(rs, {-0.2454392930032096, 0.33337868854308333, -0.50000053795036059});
    std::vector<Value*> out;
    for (std::size_t n = 0; n < list.size(); ++n) {
        Value* tail = fma(b_.CreateFMul(rs[n], rs[n]), q[n], rs[n]);
        out.push_back(b_.CreateFAdd(ws[n], tail));
    }
    return out;
}

std::vector<Value*> LlvmMath::log_by_quotient(const std::vector<Value*>& list)
{
    // x = 2^k (1 + f), sqrt(1/2) < 1 + f < sqrt(2); s = f / (2 + f), log(1 + f) = 2 atanh(s)
    llvm::Type* t = list[0]->getType();
    llvm::Type* i = integers(list[0]);
    const bool f32 = single(list[0]);
    const std::uint64_t mantissa = f32 ? 23 : 52, bias = f32 ? 127 : 1023;
    const auto integer = [&](std::uint64_t v) { return llvm::ConstantInt::get(i, v); };
    const std::uint64_t half = f32 ? 0x3f3504f3u : 0x3fe6a09e667f3bcdull; // sqrt(1/2)
    const double magic = f32 ? 12582912.0 : 6755399441055744.0; // integers end up in its low bits
    const std::uint64_t magic_bits = f32 ? 0x4b400000u : 0x4338000000000000ull;
    std::vector<Value*> ks, ss, zs;
    for (Value* x : list) {
        Value* bits = b_.CreateBitCast(x, i);
        Value* k = b_.CreateLShr(b_.CreateAdd(bits, integer((bias << mantissa) - half)),
                                 integer(mantissa)); // biased
        Value* m = b_.CreateSub(bits, b_.CreateShl(k, integer(mantissa)));
        m = b_.CreateBitCast(b_.CreateAdd(m, integer(bias << mantissa)), t);
        ss.push_back(divide(b_.CreateFSub(m, number(t, 1)), b_.CreateFAdd(m, number(t, 1)), true));
        zs.push_back(b_.CreateFMul(ss.back(), ss.back()));
        Value* shifted = b_.CreateBitCast(b_.CreateAdd(k, integer(magic_bits)), t);
        ks.push_back(b_.CreateFSub(shifted, number(t, magic + static_cast<double>(bias))));
    }
    const auto r =
        f32 ? polynomials(zs, {0.24279078841, 0.28498786688, 0.40000972152, 0.66666662693})
            : polynomials(zs, {1.479819860511658591e-01, 1.531383769920937332e-01,
                               1.818357216161805012e-01, 2.222219843214978396e-01,
                               2.857142874366239149e-01, 3.999999999940941908e-01,
                               6.666666666666735130e-01});
    std::vector<Value*> out;
    for (std::size_t n = 0; n < list.size(); ++n) {
        Value* tail =
            b_.CreateIntrinsic(llvm::Intrinsic::fmuladd, {t},
                               {b_.CreateFMul(ss[n], zs[n]), r[n], b_.CreateFAdd(ss[n], ss[n])});
        out.push_back(b_.CreateIntrinsic(llvm::Intrinsic::fmuladd, {t},
                                         {ks[n], number(t, 0.69314718055994530942), tail}));
    }
    return out;
}

} // namespace tawara::cell::compiler
