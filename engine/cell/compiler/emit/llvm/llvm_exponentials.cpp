// SPDX-License-Identifier: GPL-3.0-or-later
// LlvmMath's exponentials.
#include "engine/cell/compiler/emit/llvm/llvm_math.hpp"
#include "engine/cell/compiler/optimise/short_exponentials.hpp"

#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace tawara::cell::compiler {
using llvm::Value;

int LlvmMath::table_bits(llvm::Type* t)
{
    const auto* v = llvm::dyn_cast<llvm::FixedVectorType>(t);
    if (!v)
        return 0;
    if (v->getElementType()->isDoubleTy())
        return v->getNumElements() == 8 ? 4 : 0;                             // vpermi2pd
    return v->getNumElements() == 16 ? 5 : v->getNumElements() == 8 ? 3 : 0; // vpermi2ps, vpermps
}

bool LlvmMath::has_table(llvm::Type* type)
{
    return table_bits(type) > 0;
}

Value* LlvmMath::look_up(llvm::ArrayRef<llvm::Constant*> table, Value* k, llvm::Type* t)
{
    const auto lanes = llvm::cast<llvm::FixedVectorType>(t)->getNumElements();
    const auto part = [&](std::size_t first) {
        return llvm::ConstantVector::get(table.slice(first, lanes));
    };
    if (table.size() == lanes)
        return b_.CreateIntrinsic(llvm::Intrinsic::x86_avx2_permps, {}, {part(0), k});
    return b_.CreateIntrinsic(t->getScalarType()->isFloatTy()
                                  ? llvm::Intrinsic::x86_avx512_vpermi2var_ps_512
                                  : llvm::Intrinsic::x86_avx512_vpermi2var_pd_512,
                              {}, {part(0), k, part(lanes)});
}

Value* LlvmMath::power_of_two(Value* k, llvm::Type* t, bool scaled)
{
    const int bits = table_bits(t);
    const bool f = t->getScalarType()->isFloatTy();
    const int entries = 1 << bits, mantissa = f ? 23 : 52;
    // an entry is 2^(j / entries) less j where the caller adds k to the exponent
    std::vector<llvm::Constant*> table;
    for (int j = 0; j < entries; ++j) {
        const double value = std::exp2(static_cast<double>(j) / entries);
        const std::uint64_t raw = f ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                                    : std::bit_cast<std::uint64_t>(value);
        const std::uint64_t entry =
            scaled ? raw : raw - (static_cast<std::uint64_t>(j) << (mantissa - bits));
        auto* integer = llvm::ConstantInt::get(f ? b_.getInt32Ty() : b_.getInt64Ty(), entry);
        table.push_back(llvm::ConstantExpr::getBitCast(integer, t->getScalarType()));
    }
    return look_up(table, k, t);
}

Value* LlvmMath::exp(Value* x, bool low, bool high)
{
    return exp2(std::vector<Power>{{x, log2_e, low, high, true}})[0];
}

LlvmMath::Reduced LlvmMath::reduced(const Power& of, bool scaled)
{
    llvm::Type* t = of.x->getType();
    llvm::Type* i = integers(of.x);
    const bool f = single(of.x);
    const auto bound = [&](Value* v, double limit, bool above) {
        Value* l = number(t, limit);
        return b_.CreateSelect(above ? b_.CreateFCmpOGT(v, l) : b_.CreateFCmpOLT(v, l), l, v);
    };
    const int bits = table_bits(t);
    const double parts = 1 << bits, magic = (f ? 12582912.0 : 6755399441055744.0) / parts;
    const unsigned shift = (f ? 23U : 52U) - static_cast<unsigned>(bits);
    // k / parts = x rounded by the magic number, whose low bits are k; 2^x = 2^(k/parts) 2^r
    Value *shifted = nullptr, *whole = nullptr, *r = nullptr;
    if (tuning_.fused_reduction && !of.low && !of.high) {
        Value* scale = number(t, of.scale);
        shifted = fma(of.x, scale, number(t, magic));
        whole = b_.CreateFSub(shifted, number(t, magic));
        r = fma(of.x, scale, b_.CreateFNeg(whole)); // rounded once
    } else {
        Value* x = b_.CreateFMul(of.x, number(t, of.scale));
        if (of.high)
            x = bound(x, f ? 127.0 : 1023.0, true);
        if (of.low)
            x = bound(x, f ? -125.5 : -1021.5, false);
        // no fma here: additions may have units of their own, which have less to do
        shifted = b_.CreateFAdd(x, number(t, magic));
        whole = b_.CreateFSub(shifted, number(t, magic));
        r = b_.CreateFSub(x, whole);
    }
    Value* k = b_.CreateBitCast(shifted, i);
    if (scaled && has_exponent_instructions(t))
        return {r, power_of_two(k, t, true), whole};
    Value* exponent = b_.CreateShl(k, llvm::ConstantInt::get(i, shift));
    if (bits == 0)
        return {r, exponent, nullptr};
    return {
        r,
        b_.CreateBitCast(b_.CreateAdd(b_.CreateBitCast(power_of_two(k, t, false), i), exponent), t),
        nullptr};
}

std::vector<Value*> LlvmMath::exp2(const std::vector<Power>& list)
{
    std::vector<Value*> out(list.size());
    std::vector<Power> others;
    for (std::size_t k = 0; k < list.size(); ++k)
        if (list[k].reach > 0)
            out[k] = short_exp2(list[k]);
        else
            others.push_back(list[k]);
    if (others.empty())
        return out;
    const auto made = reduced_exp2(others);
    auto next = made.begin();
    for (Value*& v : out)
        v = v ? v : *next++;
    return out;
}

Value* LlvmMath::short_exp2(const Power& of)
{
    auto c = short_exponential(of.reach, single(of.x)); // of the exponent
    const double rate = of.scale / log2_e, factor = std::exp(rate * of.origin);
    for (std::size_t n = 0; n < c.size(); ++n)
        c[n] *= factor * std::pow(rate, static_cast<double>(n));
    std::reverse(c.begin(), c.end());
    return polynomial(of.x, std::move(c));
}

std::vector<Value*> LlvmMath::reduced_exp2(const std::vector<Power>& list)
{
    llvm::Type* t = list[0].x->getType();
    llvm::Type* i = integers(list[0].x);
    const int bits = table_bits(t);
    std::vector<Value*> r, power, whole;
    for (const Power& of : list) {
        const auto made = reduced(of, true);
        r.push_back(made.r);
        power.push_back(made.power);
        whole.push_back(made.whole);
    }
    std::vector<Value*> p(r.size()), out;
    for (const bool fine : {false, true}) {
        std::vector<Value*> some;
        for (std::size_t k = 0; k < r.size(); ++k)
            if (list[k].fine == fine)
                some.push_back(r[k]);
        if (some.empty())
            continue;
        const auto made = remainders(some, bits, fine);
        std::size_t next = 0;
        for (std::size_t k = 0; k < r.size(); ++k)
            if (list[k].fine == fine)
                p[k] = made[next++];
    }
    if (bits == 0) {
        for (std::size_t k = 0; k < r.size(); ++k)
            out.push_back(b_.CreateBitCast(b_.CreateAdd(b_.CreateBitCast(p[k], i), power[k]), t));
        return out;
    }
    for (std::size_t k = 0; k < r.size(); ++k)
        out.push_back(b_.CreateFMul(power[k], r[k])); // while the polynomial is on its way
    for (std::size_t k = 0; k < r.size(); ++k)
        out[k] = b_.CreateIntrinsic(llvm::Intrinsic::fmuladd, {t}, {out[k], p[k], power[k]});
    for (std::size_t k = 0; k < r.size(); ++k)
        if (whole[k])
            out[k] =
                b_.CreateIntrinsic(single(out[k]) ? llvm::Intrinsic::x86_avx512_mask_scalef_ps_512
                                                  : llvm::Intrinsic::x86_avx512_mask_scalef_pd_512,
                                   {},
                                   {out[k], whole[k], llvm::Constant::getNullValue(t), all_lanes(t),
                                    b_.getInt32(current_rounding)});
    return out;
}

std::vector<Value*> LlvmMath::remainders(const std::vector<Value*>& r, int bits, bool fine)
{
    // Taylor's polynomials of exp(r ln 2), economised by Chebyshev's on |r| <= 1 / (2 parts), or
    // interpolated in Chebyshev's points; relative errors of 2^r behind
    constexpr double ln2 = 0.69314718055994530942;
    const bool f = single(r[0]);
    switch (bits) {
    case 0:
        if (f) // 2.6e-9
            return polynomials(r,
                               {0.0013948580818000501, 0.00837512889037406, 0.041666218274403026,
                                0.1666641547723622, 0.5000000107749383, 1, 1},
                               ln2);
        if (!fine) // 3.5e-14, and 8.9e-14 of 2^r - 1: gates of small steps advance by that
            return polynomials(r,
                               {2.7625102005388108e-06, 2.4876164022625967e-05,
                                0.0001984120875699232, 0.0013888821677630362, 0.008333333353717156,
                                0.041666666890957, 0.16666666666648303, 0.49999999999797934, 1, 1},
                               ln2);
        return polynomials(r, // 1.6e-17
                           {2.511487021947156e-08, 2.763264067543022e-07, 2.7557224956110785e-06,
                            2.480148547921643e-05, 0.00019841269909219843, 0.0013888888952318045,
                            0.008333333333309526, 0.04166666666648808, 0.16666666666666702,
                            0.5000000000000019, 1, 1},
                           ln2);
    case 3:
        if (!fine) // 3.8e-8
            return polynomials(r, {0.11553266085048021, 0.34661424461073986, ln2}, ln2);
        return polynomials(r, // 3.5e-12
                           {0.04167057675617942 * ln2, 0.16668621726710645 * ln2,
                            0.49999999724808775 * ln2, 0.9999999908268635 * ln2},
                           ln2);
    case 4:
        if (!fine) // 9.1e-15
            return polynomials(r,
                               {0.005776307164761952, 0.028881697145052496, 0.11552453008386293,
                                0.34657359021374345, ln2},
                               ln2);
        return polynomials(r, // 1.7e-19
                           {0.0013889121624918708 * ln2, 0.008333496248724828 * ln2,
                            0.041666666659841776 * ln2, 0.16666666662844723 * ln2,
                            0.5000000000000007 * ln2, 1.0000000000000022 * ln2},
                           ln2);
    default:
        if (!fine) // 5.4e-8
            return polynomials(r, {0.346576131063882, 0.6931573437104842}, ln2);
        return polynomials(r, {0.16666788852544867 * ln2, 0.5000048874387111 * ln2, ln2}, ln2);
    }
}

} // namespace tawara::cell::compiler
