// SPDX-License-Identifier: GPL-3.0-or-later
// Vectorised by Highway for every instruction set and chosen at run time.
#include "engine/cable/step/sweeps.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cable/step/sweeps.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tawara::cable::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D, class Real>
void prepare_rows(D d, const StepRows<Real>& r, Real h)
{
    const std::size_t width = hn::Lanes(d);
    const Real rate = 1 / h;
    const auto most = hn::Set(d, rate / 2), zero = hn::Zero(d);
    for (std::size_t i = 0; i < r.nodes; ++i) {
        const auto c = hn::Set(d, r.capacitance[i]);
        const auto all = hn::Set(d, r.capacitance[i] * rate + r.couplings[i]);
        for (std::size_t k = i * r.lanes; k < (i + 1) * r.lanes; k += width) {
            const auto given = hn::LoadU(d, r.slope + k);
            const auto slope = hn::Min(hn::IfThenElse(hn::IsFinite(given), given, zero), most);
            hn::StoreU(hn::NegMulAdd(c, slope, all), d, r.diagonal + k);
            hn::StoreU(hn::Mul(c, hn::LoadU(d, r.rate + k)), d, r.rhs + k);
        }
    }
}

/// Children are eliminated before their parents; diagonal becomes its reciprocal.
template <class D, class Real>
bool move_rows(D d, const StepRows<Real>& r, Real times)
{
    const std::size_t width = hn::Lanes(d);
    const auto one = hn::Set(d, Real(1)), twice = hn::Set(d, times);
    for (std::size_t i = r.nodes - 1; i > 0; --i) {
        const auto g = hn::Set(d, r.coupling[i]);
        const std::size_t up = static_cast<std::size_t>(r.parent[i]) * r.lanes;
        for (std::size_t k = i * r.lanes, p = up; p < up + r.lanes; k += width, p += width) {
            const auto axial = hn::Mul(g, hn::Sub(hn::LoadU(d, r.v + p), hn::LoadU(d, r.v + k)));
            const auto rhs = hn::Add(hn::LoadU(d, r.rhs + k), axial);
            const auto inverse = hn::Div(one, hn::LoadU(d, r.diagonal + k));
            const auto share = hn::Mul(g, inverse);
            hn::StoreU(inverse, d, r.diagonal + k);
            hn::StoreU(rhs, d, r.rhs + k);
            hn::StoreU(hn::NegMulAdd(g, share, hn::LoadU(d, r.diagonal + p)), d, r.diagonal + p);
            hn::StoreU(hn::Add(hn::LoadU(d, r.rhs + p), hn::MulSub(share, rhs, axial)), d,
                       r.rhs + p);
        }
    }
    const auto most = hn::Set(d, Real(1000));
    auto good = hn::Eq(one, one);
    for (std::size_t i = 0; i < r.nodes; ++i) {
        const auto g = hn::Set(d, r.coupling[i]);
        const std::size_t up = i == 0 ? 0 : static_cast<std::size_t>(r.parent[i]) * r.lanes;
        for (std::size_t k = i * r.lanes, p = up; p < up + r.lanes; k += width, p += width) {
            const auto rhs = hn::LoadU(d, r.rhs + k), inverse = hn::LoadU(d, r.diagonal + k);
            const auto x = i == 0 ? hn::Div(rhs, inverse)
                                  : hn::Mul(hn::MulAdd(g, hn::LoadU(d, r.rhs + p), rhs), inverse);
            const auto v = hn::MulAdd(twice, x, hn::LoadU(d, r.v + k));
            hn::StoreU(x, d, r.rhs + k);
            hn::StoreU(v, d, r.v + k);
            good = hn::And(good, hn::Le(hn::Abs(v), most));
        }
    }
    return hn::AllTrue(d, good);
}

template <class Real>
void prepare_any(const StepRows<Real>& r, Real h)
{
    if (r.lanes == 1)
        prepare_rows(hn::CappedTag<Real, 1>(), r, h);
    else
        prepare_rows(hn::CappedTag<Real, lanes_together>(), r, h);
}
template <class Real>
bool move_any(const StepRows<Real>& r, Real times)
{
    return r.lanes == 1 ? move_rows(hn::CappedTag<Real, 1>(), r, times)
                        : move_rows(hn::CappedTag<Real, lanes_together>(), r, times);
}

void prepare_double(const StepRows<double>& r, double h)
{
    prepare_any(r, h);
}
void prepare_single(const StepRows<float>& r, float h)
{
    prepare_any(r, h);
}
bool move_double(const StepRows<double>& r, double times)
{
    return move_any(r, times);
}
bool move_single(const StepRows<float>& r, float times)
{
    return move_any(r, times);
}

} // namespace tawara::cable::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tawara::cable {

HWY_EXPORT(prepare_double);
HWY_EXPORT(prepare_single);
HWY_EXPORT(move_double);
HWY_EXPORT(move_single);

void prepare(const StepRows<double>& r, double h_ms)
{
    HWY_DYNAMIC_DISPATCH(prepare_double)(r, h_ms);
}
void prepare(const StepRows<float>& r, double h_ms)
{
    HWY_DYNAMIC_DISPATCH(prepare_single)(r, static_cast<float>(h_ms));
}
bool move(const StepRows<double>& r, double times)
{
    return HWY_DYNAMIC_DISPATCH(move_double)(r, times);
}
bool move(const StepRows<float>& r, double times)
{
    return HWY_DYNAMIC_DISPATCH(move_single)(r, static_cast<float>(times));
}

} // namespace tawara::cable
#endif
