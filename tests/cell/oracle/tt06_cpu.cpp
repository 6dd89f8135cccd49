// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cell/oracle/tt06_cpu.hpp"

#include "tests/cell/oracle/tt06_constants.hpp"

#include <algorithm>
#include <cmath>
#include <new>

// One baseline, AVX2 and AVX-512: what lies between them gains nothing here.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/cell/oracle/tt06_cpu.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include "tests/cell/oracle/scalar_math.hpp"
#include "tests/cell/oracle/vector_math.hpp"

#undef TAWARA_CELL_TARGET
#define TAWARA_CELL_TARGET HWY_NAMESPACE
HWY_BEFORE_NAMESPACE();
#include "tests/cell/oracle/tt06.hpp"

namespace tawara::cell::tt06 {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using tawara::cell::HWY_NAMESPACE::VectorMath;

/// One vector of cells in memory.
template <class Real>
struct VectorIo
{
    using N = typename VectorMath<Real>::N;
    using D = typename VectorMath<Real>::D;
    Real* const* states; // state_count pointers, V first
    const Real* constants;
    const Real* stimuli;
    std::size_t at;
    HWY_INLINE N load(State s) const { return {hn::Load(D(), states[s] + at)}; }
    HWY_INLINE void store(State s, N x) const { hn::Store(x.v, D(), states[s] + at); }
    HWY_INLINE N stimulus() const
    {
        return {stimuli ? hn::Load(D(), stimuli + at) : hn::Zero(D())};
    }
    HWY_INLINE N constant(Folded f) const
    {
        return {hn::Load(D(), constants + f * ConstantTable<Real>::lanes)};
    }
};

/// One vector of cells in registers: the stages of a Runge-Kutta step.
template <class Real>
struct StageIo
{
    using N = typename VectorMath<Real>::N;
    const VectorIo<Real>* memory;
    N x[state_count], rate[state_count];
    HWY_INLINE N load(State s) const { return x[s]; }
    HWY_INLINE void store(State s, N r) { rate[s] = r; }
    HWY_INLINE N stimulus() const { return memory->stimulus(); }
    HWY_INLINE N constant(Folded f) const { return memory->constant(f); }
};

struct RungeKutta
{
    template <class Real>
    static HWY_NOINLINE void rates(StageIo<Real>& stage)
    {
        using M = VectorMath<Real>;
        Step<M, Mode::derivative>::run(stage, M::c(0));
    }
    template <class Real>
    static HWY_INLINE void run(VectorIo<Real>& io, typename VectorMath<Real>::N dt)
    {
        using M = VectorMath<Real>;
        typename M::N x0[state_count], sum[state_count];
        StageIo<Real> stage{&io, {}, {}};
        for (int s = 0; s < state_count; ++s)
            stage.x[s] = x0[s] = io.load(static_cast<State>(s));
        for (int k = 0; k < 4; ++k) {
            rates(stage);
            const typename M::N share = dt * M::c(k == 0 || k == 3 ? 1.0 / 6 : 1.0 / 3);
            const typename M::N ahead = dt * M::c(k == 2 ? 1.0 : 0.5);
            for (int s = 0; s < state_count; ++s) {
                sum[s] = M::fma(share, stage.rate[s], k == 0 ? x0[s] : sum[s]);
                stage.x[s] = M::fma(ahead, stage.rate[s], x0[s]);
            }
        }
        for (int s = 0; s < state_count; ++s)
            io.store(static_cast<State>(s), sum[s]);
    }
};

template <Mode mode>
struct OneStep
{
    template <class Real>
    static HWY_INLINE void run(VectorIo<Real>& io, typename VectorMath<Real>::N dt)
    {
        Step<VectorMath<Real>, mode>::run(io, dt);
    }
};

/// All vectors of the range. A vector whose cells are of one type reads that type's constants; any
/// other gets its lanes' constants put together first.
template <class Stepper, class Real>
HWY_NOINLINE void sweep(const CellArrays<Real>& cells, const ConstantTable<Real>& table,
                        double dt_ms)
{
    using M = VectorMath<Real>;
    const typename M::D d;
    const std::size_t lanes = hn::Lanes(d);
    constexpr std::size_t group = ConstantTable<Real>::lanes;
    alignas(group_bytes) Real mixed[folded_count * group];
    Real* states[state_count];
    states[V] = cells.v;
    for (int s = 1; s < state_count; ++s)
        states[s] = cells.states[s - 1];
    const typename M::N dt = M::c(dt_ms);
    VectorIo<Real> io{states, table.row(0), cells.stimulus, 0};
    for (std::size_t i = cells.begin; i < cells.end; i += lanes) {
        io.at = i;
        if (cells.type) {
            const auto* type = cells.type + i;
            const std::size_t n = std::min(lanes, cells.end - i);
            io.constants = table.row(type[0]);
            if (!std::all_of(type, type + n, [type](auto t) { return t == type[0]; })) {
                for (std::size_t l = 0; l < lanes; ++l) {
                    const Real* row = table.row(type[std::min(l, n - 1)]);
                    for (std::size_t k = 0; k < folded_count; ++k)
                        mixed[k * group + l] = row[k * group];
                }
                io.constants = mixed;
            }
        }
        Stepper::run(io, dt);
    }
}

template <class Real>
void step_as(const CellArrays<Real>& cells, const ConstantTable<Real>& table, double dt_ms,
             Scheme scheme)
{
    switch (scheme) {
    case Scheme::forward_euler:
        return sweep<OneStep<Mode::forward_euler>>(cells, table, dt_ms);
    case Scheme::rush_larsen:
        return sweep<OneStep<Mode::rush_larsen>>(cells, table, dt_ms);
    case Scheme::grl1:
        return sweep<OneStep<Mode::grl1>>(cells, table, dt_ms);
    case Scheme::rk4:
        return sweep<RungeKutta>(cells, table, dt_ms);
    default:
        return sweep<OneStep<Mode::rush_larsen_light>>(cells, table, dt_ms);
    }
}

void step_double(const CellArrays<double>& cells, const ConstantTable<double>& table, double dt,
                 Scheme s)
{
    step_as(cells, table, dt, s);
}
void step_float(const CellArrays<float>& cells, const ConstantTable<float>& table, double dt,
                Scheme s)
{
    step_as(cells, table, dt, s);
}
void rates_double(const CellArrays<double>& cells, const ConstantTable<double>& table)
{
    sweep<OneStep<Mode::derivative>>(cells, table, 0);
}
void rates_float(const CellArrays<float>& cells, const ConstantTable<float>& table)
{
    sweep<OneStep<Mode::derivative>>(cells, table, 0);
}
const char* name_of_target()
{
    return hwy::TargetName(HWY_TARGET);
}

} // namespace HWY_NAMESPACE
} // namespace tawara::cell::tt06
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tawara::cell::tt06 {

HWY_EXPORT(step_double);
HWY_EXPORT(step_float);
HWY_EXPORT(rates_double);
HWY_EXPORT(rates_float);
HWY_EXPORT(name_of_target);

void step(const CellArrays<double>& cells, const ConstantTable<double>& table, double dt,
          Scheme scheme)
{
    HWY_DYNAMIC_DISPATCH(step_double)(cells, table, dt, scheme);
}
void step(const CellArrays<float>& cells, const ConstantTable<float>& table, double dt,
          Scheme scheme)
{
    HWY_DYNAMIC_DISPATCH(step_float)(cells, table, dt, scheme);
}
void derivatives(const CellArrays<double>& cells, const ConstantTable<double>& table)
{
    HWY_DYNAMIC_DISPATCH(rates_double)(cells, table);
}
void derivatives(const CellArrays<float>& cells, const ConstantTable<float>& table)
{
    HWY_DYNAMIC_DISPATCH(rates_float)(cells, table);
}
const char* target_name()
{
    return HWY_DYNAMIC_DISPATCH(name_of_target)();
}

template <class Real>
ConstantTable<Real>::ConstantTable(std::span<const CellType> types) : stride(folded_count * lanes)
{
    values = static_cast<Real*>(
        ::operator new(std::max<std::size_t>(types.size(), 1) * stride * sizeof(Real),
                       std::align_val_t(group_bytes)));
    for (std::size_t t = 0; t < types.size(); ++t) {
        const auto folded = fold(types[t].parameters);
        for (std::size_t k = 0; k < folded_count; ++k)
            std::fill_n(values + t * stride + k * lanes, lanes, static_cast<Real>(folded[k]));
    }
}
template <class Real>
ConstantTable<Real>::~ConstantTable()
{
    ::operator delete(values, std::align_val_t(group_bytes));
}
template struct ConstantTable<double>;
template struct ConstantTable<float>;

} // namespace tawara::cell::tt06
#endif
