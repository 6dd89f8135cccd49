// SPDX-License-Identifier: GPL-3.0-or-later
// What a dyad does in a step. Written once, for a number type V that is one number (devices, and
// whoever asks) or a vector of them: dyad_blocks.cpp compiles this text for each instruction set,
// for which it is included once each. No transcendental functions.
//
// V is double or float, or vectors of these with operators of their own, whose comparisons give
// masks for ?: (GNU vectors). Real is the type of one of its numbers.
#if defined(TAWARA_CALCIUM_DYAD) == defined(HWY_TARGET_TOGGLE)
#ifdef HWY_TARGET_TOGGLE
#undef TAWARA_CALCIUM_DYAD
#else
#define TAWARA_CALCIUM_DYAD
#endif

#include "engine/calcium/constants.hpp"
#include "engine/core/random.hpp"

#include <cstdint>

#ifdef HWY_NAMESPACE
HWY_BEFORE_NAMESPACE();
namespace tawara::calcium::HWY_NAMESPACE {
#else
namespace tawara::calcium {
#endif

/// a where the mask says so, else b.
template <class Mask, class V>
TAWARA_EVERYWHERE V select(Mask mask, V a, V b)
{
    return mask ? a : b;
}
/// Whether a mask has any bit set.
TAWARA_EVERYWHERE inline bool any(bool mask)
{
    return mask;
}

/// The bits of a double.
TAWARA_EVERYWHERE inline std::int64_t bits_of(double x)
{
    return __builtin_bit_cast(std::int64_t, x);
}

/// Bits that any number of a vector has.
TAWARA_EVERYWHERE inline int bits_of_any(std::int64_t x)
{
    return static_cast<int>(x);
}

/// 1/a, 1/b, 1/c by one division.
template <class V>
TAWARA_EVERYWHERE void invert(V& a, V& b, V& c)
{
    const V ab = a * b, all = 1 / (ab * c), abs = all * c;
    const V a_old = a;
    c = all * ab;
    a = abs * b;
    b = abs * a_old;
}
template <class V>
TAWARA_EVERYWHERE void invert(V& a, V& b)
{
    const V all = 1 / (a * b), a_old = a;
    a = all * b;
    b = all * a_old;
}

/// What is known of a dyad's channels before any is drawn.
template <class V>
struct Odds
{
    V plain, phosphorylated;  ///< an LCC is open, and not or phosphorylated
    V open, inhibit, recover; ///< in a step: C1 to O1 and C2 to C3; C1 to C2 and O1 to C3; back
    V phi;                    ///< part of what CaMKII phosphorylates
    V camk;                   ///< active CaMKII
};

/// Steps n_ca (exactly) and trapped CaMKII (forward Euler), and gives the odds of the channels.
/// @param c_d    calcium in the cleft after the last step [uM]
/// @param ready  mask: the time for which a dyad's RyR stay inhibited is over
template <class Real, class V, class Mask>
TAWARA_EVERYWHERE Odds<V> odds(const DyadConstants<Real>& k, const DyadInput<Real>& in, V c_d,
                               V c_jsr, V& n_ca, V& camk_t, Mask ready)
{
    const V square = c_d * c_d, c4 = square * square;
    const V y = c_d + k.K_mode, y2 = y * y;
    const V j2 = c_jsr * c_jsr, j4 = j2 * j2;
    // n_ca tends to 1 / (mode_ratio (1 + K_mode / c_d)^4 + 1), RyR open by c_d^4 / (c_d^4 + K^4)
    // and are inhibited by K^8 / (c_jsr^8 + K^8)
    V mode = c4 + in.mode_ratio * (y2 * y2), opening = c4 + k.open_K4;
    V inhibited = j4 * j4 + k.inhibit_K8;
    invert(mode, opening, inhibited);
    const V target = c4 * mode;
    n_ca = target - (target - n_ca) * in.mode_keep;

    // CaMKII that is bound: b = camk_0 (1 - t) c_d / (c_d + camk_Ca); phi = (b + t) / (b + t + K)
    V share = c_d + k.camk_Ca;
    const V bound_up = k.camk_0 * (1 - camk_t) * c_d, active_up = bound_up + camk_t * share;
    V phi_down = active_up + k.camk_K * share;
    invert(share, phi_down);
    Odds<V> o;
    o.phi = active_up * phi_down;
    o.camk = active_up * share;
    camk_t = camk_t + (k.camk_a * (bound_up * share) * o.camk - k.camk_b * camk_t);

    o.plain = (1 - o.phi) * (in.plain + n_ca * in.plain_Ca);
    o.phosphorylated = o.phi * (in.phos + n_ca * in.phos_Ca);
    o.open = k.open * (c4 * opening);
    const V u = k.inhibit_K8 * inhibited;
    o.inhibit = k.dt * u;
    o.recover = select(ready, k.dt - o.inhibit, u * 0);
    return o;
}

/// A drawn number of events, and what is left of the uniform number: another one in [0, 1], which
/// does not depend on the events.
template <class V>
struct Drawn
{
    V events, rest;
};

/// How many of n independent trials of probability p succeed, by inversion of one uniform number u
/// in [0, 1): more than k do if u < P(X > k). The rarer outcome is counted, so that (1 - p)^n does
/// not vanish; P(X > 0) is made without cancellation, so that rare events have their probabilities
/// to rounding. P(X > k) of larger k holds to 2e-13 of P(X > 0). What is left of u is its place
/// between the bounds of what was drawn, so that it has as many bits less as that is rare.
///
/// @pre V is of doubles; n is whole, 0 <= n < 2^9; 0 <= p <= 1
/// @cost 7 operations for each bit of n, then 8 for each event
/// @tparam again  whether what is left of u is wanted; else rest is 0
template <bool again = true, class V>
TAWARA_EVERYWHERE Drawn<V> binomial(V n, V p, V u)
{
    constexpr int most = 1 << 9;
    const auto mostly = p > 0.5;
    const V rarer = select(mostly, 1 - p, p);
    V some = n * 0, none = 1 - some; // of the trials so far: at least one event; none
    V some_power = rarer, none_power = 1 - rarer;
    // 2^52 + n has n in its last bits
    const auto count = bits_of(n + 0x1p52) & (most - 1);
    const int all = bits_of_any(count);
    for (int bit = 1; bit <= all; bit *= 2) {
        const auto on = (count & bit) != 0;
        some = select(on, some + some_power * none, some);
        none = select(on, none * none_power, none);
        some_power = some_power + some_power * none_power;
        none_power = none_power * none_power;
    }
    V above = some - u; // of P(X > k), above u
    auto on = above > 0;
    V events = select(on, n * 0 + 1, n * 0);
    V over = -above, width = none; // u above P(X > k) of the k drawn; the atom
    if (any(on)) {
        const V ratio = rarer / (1 - rarer), rounding = some * 0x1p-42;
        V left = n, atom = none;
        for (int k = 1; any(on) && k < most; ++k) {
            atom = atom * (ratio * left) * (1.0 / k);
            left = left - 1;
            above = above - atom;
            if constexpr (again) {
                over = select(on, -above, over);
                width = select(on, atom, width);
            }
            on = above > rounding; // never again once it was not
            events = select(on, events + 1, events);
        }
    }
    events = select(mostly, n - events, events);
    if constexpr (!again)
        return {events, n * 0};
    const V rest = over / width;
    return {events, select(rest > 0, rest, rest * 0)};
}

/// RyR of a dyad in each state. O1 alone conducts.
///     C1 <-> O1 <-> C3 <-> C2 <-> C1
template <class V>
struct Ring
{
    V C1, O1, C2, C3;
};

/// An upper bound of the probability that any RyR of a dyad changes its state, a little above the
/// sum of what is expected to change; `u` at or above it says that none does.
template <class Real, class V>
TAWARA_EVERYWHERE V most_moves(V C1, V O1, V C2, V C3, Real close, const Odds<V>& o)
{
    return (C1 * (o.open + o.inhibit) + O1 * (close + o.inhibit) + C2 * (o.open + o.recover) +
            C3 * (close + o.recover)) *
           static_cast<float>(1.00001);
}

/// One step of all RyR: from each state B(n, a + b) leave, of which B(leaving, a / (a + b)) take
/// the one way. That is the law of the source's draws, B(n, a) and then B(n - k, b / (1 - a)); both
/// are multinomial. All take the counts from the step's start.
/// @param u      for the first state; what is left of it for those that go the one way, or, where
///               none leave, for the next state
/// @param fresh  fresh(k): further uniform numbers, k in [0, 3)
/// @pre V is of doubles
template <class V, class Fresh>
TAWARA_EVERYWHERE Ring<V> ring_step(const Ring<V>& n, V open, double closing, V inhibit, V recover,
                                    V u, const Fresh& fresh)
{
    Ring<V> to = n;
    const V close = u * 0 + closing;
    const auto leave = [&](V count, V a, V b, V& one_way, V& other_way, V& from, int k) {
        const V both = a + b;
        if (!any(count * both > 0))
            return;
        const auto x = binomial(count, both, u);
        if (k < 3)
            u = any(x.events > 0) ? select(x.events > 0, fresh(k), x.rest) : x.rest;
        if (!any(x.events > 0))
            return;
        const V share = select(both > 0, a / both, both);
        const V y = binomial<false>(x.events, share, x.rest).events;
        one_way = one_way + y;
        other_way = other_way + (x.events - y);
        from = from - x.events;
    };
    leave(n.C1, open, inhibit, to.O1, to.C2, to.C1, 0);
    leave(n.O1, close, inhibit, to.C1, to.C3, to.O1, 1);
    leave(n.C2, open, recover, to.C3, to.C1, to.C2, 2);
    leave(n.C3, close, recover, to.C2, to.O1, to.C3, 3);
    return to;
}

/// Open LCC, plain and phosphorylated: multinomial.
template <class V>
struct Openings
{
    V plain, phosphorylated;
};

/// @pre V is of doubles
template <class V>
TAWARA_EVERYWHERE Openings<V> open_channels(V n, V plain, V phosphorylated, V u)
{
    const V both = plain + phosphorylated;
    const auto all = binomial(n, both, u);
    if (!any(all.events > 0))
        return {all.events, all.events};
    const V share = select(both > 0, plain / both, both);
    const V first = binomial<false>(all.events, share, all.rest).events;
    return {first, all.events - first};
}

/// Concentrations of a dyad, and what it adds to its cell's sums.
template <class V>
struct Flows
{
    V c_d, c_ss, c_myo;              ///< at the step's end, ahead of diffusion
    V nsr, jsr;                      ///< what is added to c_nsr and c_jsr
    V open, i_Ca, ncx, pCa, release; ///< DyadSums
};

/// The free part of a change of calcium c by two buffers, as a fraction.
template <class Real, class V>
TAWARA_EVERYWHERE void free_part(const Buffers<Real>& b, V c, V& up, V& down)
{
    const V d1 = c + b.k1, d2 = c + b.k2, s1 = d1 * d1, s2 = d2 * d2;
    up = s1 * s2;
    down = up + (b.a1 * s2 + b.a2 * s1);
}

/// Fluxes and concentrations: forward Euler, but the cleft, which is in equilibrium:
///
///     c_d = (1e3 c_ss + tau (J_LCC + g n_O1 1e3 c_jsr)) / (1 + tau g n_O1)
///
/// @param c_d  of the last step [uM]
/// @param O1   open RyR
template <class Real, class V>
TAWARA_EVERYWHERE Flows<V> flows(const DyadConstants<Real>& k, const DyadInput<Real>& in, V c_d,
                                 V c_ss, V c_myo, V c_nsr, V c_jsr, V phi, V O1, V plain,
                                 V phosphorylated)
{
    Flows<V> f;
    f.open = (plain + k.phosphorylated * phosphorylated) * k.per_LCC;
    f.i_Ca = f.open * (in.i_Ca_slope * c_d + in.i_Ca_offset);
    const V J_LCC = k.lcc_flux * f.i_Ca;
    const V conductance = k.release * O1, jsr_uM = static_cast<Real>(1e3) * c_jsr;

    // all that depends on the old concentrations alone, with few divisions
    V ss_up, ss_free, myo_up, myo_free;
    free_part(k.ss, c_ss, ss_up, ss_free);
    free_part(k.myo, c_myo, myo_up, myo_free);
    const V ss2 = c_ss * c_ss, myo2 = c_myo * c_myo;
    V ncx_ss = (ss2 + k.K_ncx2) * (1 + in.ncx_s * c_ss);
    V ncx_myo = (myo2 + k.K_ncx2) * (1 + in.ncx_s * c_myo);
    const V j = c_jsr + k.K_csqn, j2 = j * j;
    V jsr_free = j2 + k.csqn;
    const V up_1 = c_myo + k.K_up, up_2 = c_myo + k.K_up_phosphorylated;
    V uptake = up_1 * up_2, pump = c_myo + k.K_pCa, cleft = 1 + k.tau_cleft * conductance;
    invert(ss_free, ncx_ss, jsr_free);
    invert(myo_free, ncx_myo);
    invert(uptake, pump, cleft);

    f.c_d = (static_cast<Real>(1e3) * c_ss + k.tau_cleft * (J_LCC + conductance * jsr_uM)) * cleft;
    f.release = conductance * (jsr_uM - f.c_d);
    const V i_ss = k.ncx_ss * (ss2 * ncx_ss) * (in.ncx_0 + in.ncx_1 * c_ss);
    const V i_myo = k.ncx_myo * (myo2 * ncx_myo) * (in.ncx_0 + in.ncx_1 * c_myo);
    f.ncx = i_ss + i_myo;
    f.pCa = k.pCa * c_myo * pump;
    const V i_Cab = in.Cab_slope * c_myo + in.Cab_offset;
    const V exchange = k.exchange * (c_ss - c_myo);
    const V up = c_myo * uptake * (k.up * ((1 - phi) * up_2) + k.up_phosphorylated * (phi * up_1));
    const V into_nsr = up - k.leak * c_nsr, transfer = k.tr * (c_nsr - c_jsr);
    f.c_ss =
        c_ss + ss_up * ss_free *
                   (2 * (k.ss_per_current * i_ss) - exchange + k.cleft_to_ss * (f.release + J_LCC));
    f.c_myo = c_myo - myo_up * myo_free *
                          (k.myo_per_current * (i_Cab + f.pCa - 2 * i_myo) +
                           k.nsr_per_myo * into_nsr - k.ss_per_myo * exchange);
    f.nsr = into_nsr - k.jsr_per_nsr * transfer;
    f.jsr = j2 * jsr_free * (transfer - k.cleft_to_jsr * f.release);
    return f;
}

/// What diffusion adds to a buffered concentration c in a step, its neighbours' being the sums of
/// two along each axis (explicit, with the old values; immobile buffers).
template <class Real, class V>
TAWARA_EVERYWHERE V spread(const Real* weight, V c, V x, V y, V z)
{
    return weight[0] * (x - 2 * c) + weight[1] * (y - 2 * c) + weight[2] * (z - 2 * c);
}
template <class Real, class V>
TAWARA_EVERYWHERE void spread_buffered(const DyadConstants<Real>& k, V& c_myo, V& c_ss, V myo, V ss)
{
    V myo_up, myo_free, ss_up, ss_free;
    free_part(k.myo, c_myo, myo_up, myo_free);
    free_part(k.ss, c_ss, ss_up, ss_free);
    invert(myo_free, ss_free);
    c_myo = c_myo + myo_up * myo_free * myo;
    c_ss = c_ss + ss_up * ss_free * ss;
}

#ifdef HWY_NAMESPACE
} // namespace tawara::calcium::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#else

/// The uniform numbers of a dyad in a step, in [0, 1) of 53 bits: 0 for its RyR, 1 for its LCC, and
/// behind these fresh ones that few dyads need: 2 to 4 for RyR.
struct DyadRandom
{
    RandomPlace at; ///< the unknown is the cell
    std::uint32_t dyad;

    TAWARA_EVERYWHERE double operator()(int k) const
    {
        const auto w = random_words(at, dyad * dyad_draws + static_cast<std::uint32_t>(k) / 2);
        return k % 2 == 0 ? uniform_of(w[0], w[1]) : uniform_of(w[2], w[3]);
    }
};

/// Everything that a dyad has; reservoirs always in double precision.
template <class Real>
struct DyadState
{
    Real c_myo, c_ss, c_d, n_ca, camk_t;
    double c_nsr, c_jsr;
    std::int32_t activated; ///< step in which it was active last
    std::uint8_t C1, O1, C2, C3;
};

/// A whole step of one dyad but diffusion, as devices take it.
/// @param sums  what it adds to its cell's
template <class Real>
TAWARA_EVERYWHERE void step_dyad(const DyadConstants<Real>& k, const DyadInput<Real>& in,
                                 const DyadRandom& random, DyadState<Real>& d, DyadSums& sums)
{
    if (static_cast<Real>(d.O1) > k.active)
        d.activated = in.step;
    const Real c_jsr = static_cast<Real>(d.c_jsr), before = d.c_myo;
    const Odds<Real> o =
        odds(k, in, d.c_d, c_jsr, d.n_ca, d.camk_t, in.step - d.activated > k.refractory);
    const auto real = [](auto x) { return static_cast<Real>(x); };
    const double u = random(0);
    if (in.forced) {
        d.C1 = d.C2 = d.C3 = 0;
        d.O1 = static_cast<std::uint8_t>(k.RyR);
    } else if (u < static_cast<double>(
                       most_moves(real(d.C1), real(d.O1), real(d.C2), real(d.C3), k.close, o))) {
        const Ring<double> n{double(d.C1), double(d.O1), double(d.C2), double(d.C3)};
        const auto to = ring_step(n, double(o.open), double(k.close), double(o.inhibit),
                                  double(o.recover), u, [&](int draw) { return random(2 + draw); });
        d.C1 = static_cast<std::uint8_t>(to.C1);
        d.O1 = static_cast<std::uint8_t>(to.O1);
        d.C2 = static_cast<std::uint8_t>(to.C2);
        d.C3 = static_cast<std::uint8_t>(to.C3);
    }
    const auto lcc =
        open_channels(double(k.LCC), double(o.plain), double(o.phosphorylated), random(1));
    const Flows<Real> f = flows(k, in, d.c_d, d.c_ss, d.c_myo, real(d.c_nsr), c_jsr, o.phi,
                                real(d.O1), real(lcc.plain), real(lcc.phosphorylated));
    d.c_d = f.c_d;
    d.c_ss = f.c_ss;
    d.c_myo = f.c_myo;
    d.c_nsr += static_cast<double>(f.nsr);
    d.c_jsr += static_cast<double>(f.jsr);
    const double add[] = {
        double(f.open), double(f.i_Ca), double(f.ncx),     double(f.pCa),
        double(before), double(o.camk), double(f.release), lcc.plain + lcc.phosphorylated,
        double(d.O1)};
    double* const sum[] = {&sums.open, &sums.i_Ca,    &sums.ncx, &sums.pCa, &sums.c_myo,
                           &sums.camk, &sums.release, &sums.LCC, &sums.RyR};
    for (int s = 0; s < DyadSums::count; ++s)
        *sum[s] += add[s];
}

} // namespace tawara::calcium
#endif
#endif
