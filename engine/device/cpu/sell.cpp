// SPDX-License-Identifier: GPL-3.0-or-later
// Sliced ELLPACK products, vectorised by Highway for every instruction set and chosen at run time.
#include "engine/device/cpu/sell.hpp"

#include "engine/core/machine.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/device/cpu/sell.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace tawara::device::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Real>
void apply_rows(const Sell<Real>& a, const SellTerms<Real>& t, Real* out, std::int64_t begin,
                std::int64_t end)
{
    constexpr std::int64_t height = Sell<Real>::height;
    const hn::CappedTag<Real, static_cast<std::size_t>(height)> d;
    const hn::RebindToSigned<decltype(d)> same_width;
    const hn::Rebind<std::int32_t, decltype(d)> d32;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (std::int64_t slice = begin / height; slice < (end + height - 1) / height; ++slice) {
        const std::int64_t entries = (a.start[static_cast<std::size_t>(slice) + 1] -
                                      a.start[static_cast<std::size_t>(slice)]) /
                                     height;
        for (std::int64_t r = 0; r < height; r += lanes) {
            const std::int64_t row = slice * height + r;
            const auto x = hn::Load(d, t.x + row);
            auto sum = hn::Zero(d);
            std::int64_t at = a.start[static_cast<std::size_t>(slice)] + r;
            for (std::int64_t k = 0; k < entries; ++k, at += height) {
                const auto column32 = hn::Load(d32, a.column.data() + at);
                if constexpr (sizeof(Real) == 8) {
                    const auto xk = hn::GatherIndex(d, t.x, hn::PromoteTo(same_width, column32));
                    sum = hn::MulAdd(hn::Load(d, a.value.data() + at), hn::Sub(xk, x), sum);
                } else {
                    const auto xk = hn::GatherIndex(d, t.x, column32);
                    sum = hn::MulAdd(hn::Load(d, a.value.data() + at), hn::Sub(xk, x), sum);
                }
            }
            auto result = hn::MulAdd(hn::Set(d, t.tau), sum, hn::Mul(hn::Set(d, t.c_x), x));
            if (t.y)
                result = hn::MulAdd(hn::Set(d, t.c_y), hn::Load(d, t.y + row), result);
            if (t.y0)
                result = hn::MulAdd(hn::Set(d, t.c_0), hn::Load(d, t.y0 + row), result);
            if (t.l0)
                result = hn::MulAdd(hn::Set(d, t.c_l), hn::Load(d, t.l0 + row), result);
            hn::Store(result, d, out + row);
        }
    }
}

void apply_double(const Sell<double>& a, const SellTerms<double>& t, double* out,
                  std::int64_t begin, std::int64_t end)
{
    apply_rows(a, t, out, begin, end);
}
void apply_float(const Sell<float>& a, const SellTerms<float>& t, float* out, std::int64_t begin,
                 std::int64_t end)
{
    apply_rows(a, t, out, begin, end);
}
const char* target()
{
    return hwy::TargetName(HWY_TARGET);
}

} // namespace tawara::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tawara::device::cpu {

HWY_EXPORT(apply_double);
HWY_EXPORT(apply_float);
HWY_EXPORT(target);

void apply(const Sell<double>& a, const SellTerms<double>& t, double* out, std::int64_t begin,
           std::int64_t end)
{
    HWY_DYNAMIC_DISPATCH(apply_double)(a, t, out, begin, end);
}
void apply(const Sell<float>& a, const SellTerms<float>& t, float* out, std::int64_t begin,
           std::int64_t end)
{
    HWY_DYNAMIC_DISPATCH(apply_float)(a, t, out, begin, end);
}
std::string vector_target()
{
    return instruction_set_name(HWY_DYNAMIC_DISPATCH(target)());
}

template <class Real>
Sell<Real> make_sell(const diffusion::Rows& rows, const Layout& layout)
{
    constexpr auto height = static_cast<std::size_t>(Sell<Real>::height);
    Sell<Real> a;
    const std::size_t slices = layout.slots() / height;
    a.start.assign(slices + 1, 0);
    auto row_of = [&](std::size_t slot) { return layout.old_of[slot]; };
    auto length = [&](std::size_t slot) -> std::int64_t {
        const auto old = row_of(slot);
        return old < 0 ? 0
                       : rows.first[static_cast<std::size_t>(old) + 1] -
                             rows.first[static_cast<std::size_t>(old)];
    };
    for (std::size_t s = 0; s < slices; ++s) {
        std::int64_t width = 0;
        for (std::size_t r = 0; r < height; ++r)
            width = std::max(width, length(s * height + r));
        a.start[s + 1] = a.start[s] + width * static_cast<std::int64_t>(height);
    }
    a.column.resize(static_cast<std::size_t>(a.start.back()));
    a.value.assign(static_cast<std::size_t>(a.start.back()), Real(0));
    for (std::size_t s = 0; s < slices; ++s)
        for (std::size_t r = 0; r < height; ++r) {
            const std::size_t slot = s * height + r;
            const auto n = static_cast<std::size_t>(length(slot));
            const auto base =
                n ? static_cast<std::size_t>(rows.first[static_cast<std::size_t>(row_of(slot))])
                  : 0;
            std::size_t at = static_cast<std::size_t>(a.start[s]) + r;
            for (std::size_t k = 0; at < static_cast<std::size_t>(a.start[s + 1]);
                 ++k, at += height) {
                a.column[at] = static_cast<std::int32_t>(slot);
                if (k < n) {
                    a.column[at] = layout.new_of[static_cast<std::size_t>(rows.column[base + k])];
                    a.value[at] = static_cast<Real>(rows.value[base + k]);
                }
            }
            a.nonzeros += static_cast<std::int64_t>(n);
        }
    return a;
}

template Sell<double> make_sell(const diffusion::Rows&, const Layout&);
template Sell<float> make_sell(const diffusion::Rows&, const Layout&);

} // namespace tawara::device::cpu
#endif
