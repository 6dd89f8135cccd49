// SPDX-License-Identifier: GPL-3.0-or-later
// Values between vertices, vectorised by Highway for every instruction set and chosen at run time.
#include "engine/device/cpu/between_vertices.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/device/cpu/between_vertices.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace tawara::device::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Values at whole vectors of indices.
template <class D, class Real>
HWY_ATTR auto gathered(D d, const Real* x, const std::int32_t* at)
{
    const auto index = hn::LoadU(hn::Rebind<std::int32_t, D>(), at);
    if constexpr (sizeof(Real) == 8)
        return hn::GatherIndex(d, x, hn::PromoteTo(hn::RebindToSigned<D>(), index));
    else
        return hn::GatherIndex(d, x, index);
}

template <class Real>
HWY_ATTR Extent<Real> extent_of(const Real* v, const std::int32_t* at, std::size_t n)
{
    constexpr Real none = std::numeric_limits<Real>::infinity();
    const hn::CappedTag<Real, 16> d;
    const std::size_t lanes = hn::Lanes(d);
    auto low = hn::Set(d, none), high = hn::Set(d, -none);
    std::size_t k = 0;
    for (; k + lanes <= n; k += lanes) {
        const auto x = gathered(d, v, at + k);
        low = hn::IfThenElse(hn::Lt(x, low), x, low);
        high = hn::IfThenElse(hn::Gt(x, high), x, high);
    }
    Extent<Real> out{hn::GetLane(hn::MinOfLanes(d, low)), hn::GetLane(hn::MaxOfLanes(d, high))};
    for (; k < n; ++k) {
        const Real x = v[at[k]];
        out.low = x < out.low ? x : out.low;
        out.high = x > out.high ? x : out.high;
    }
    return out;
}

template <class Real>
HWY_ATTR void gauss_points(const Real* x, const std::int32_t* corner, std::size_t n, Real* out)
{
    const hn::CappedTag<Real, 16> d;
    const auto far_part = hn::Set(d, static_cast<Real>(far_weight));
    const auto more = hn::Set(d, static_cast<Real>(near_weight - far_weight));
    for (std::size_t k = 0; k < n; k += hn::Lanes(d)) {
        const auto a = gathered(d, x, corner + k), b = gathered(d, x, corner + n + k),
                   c = gathered(d, x, corner + 2 * n + k), e = gathered(d, x, corner + 3 * n + k);
        const auto all = hn::Mul(far_part, hn::Add(hn::Add(a, b), hn::Add(c, e)));
        hn::Store(hn::MulAdd(more, a, all), d, out + k);
        hn::Store(hn::MulAdd(more, b, all), d, out + n + k);
        hn::Store(hn::MulAdd(more, c, all), d, out + 2 * n + k);
        hn::Store(hn::MulAdd(more, e, all), d, out + 3 * n + k);
    }
}

Extent<double> extent_double(const double* v, const std::int32_t* at, std::size_t n)
{
    return extent_of(v, at, n);
}
Extent<float> extent_float(const float* v, const std::int32_t* at, std::size_t n)
{
    return extent_of(v, at, n);
}
void points_double(const double* x, const std::int32_t* corner, std::size_t n, double* out)
{
    gauss_points(x, corner, n, out);
}
void points_float(const float* x, const std::int32_t* corner, std::size_t n, float* out)
{
    gauss_points(x, corner, n, out);
}

} // namespace tawara::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tawara::device::cpu {

HWY_EXPORT(extent_double);
HWY_EXPORT(extent_float);
HWY_EXPORT(points_double);
HWY_EXPORT(points_float);

Extent<double> extent(const double* v, const std::int32_t* at, std::size_t n)
{
    return HWY_DYNAMIC_DISPATCH(extent_double)(v, at, n);
}
Extent<float> extent(const float* v, const std::int32_t* at, std::size_t n)
{
    return HWY_DYNAMIC_DISPATCH(extent_float)(v, at, n);
}
void at_gauss_points(const double* x, const std::int32_t* corner, std::size_t n, double* out)
{
    HWY_DYNAMIC_DISPATCH(points_double)(x, corner, n, out);
}
void at_gauss_points(const float* x, const std::int32_t* corner, std::size_t n, float* out)
{
    HWY_DYNAMIC_DISPATCH(points_float)(x, corner, n, out);
}

} // namespace tawara::device::cpu
#endif
