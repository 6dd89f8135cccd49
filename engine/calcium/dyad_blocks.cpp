// SPDX-License-Identifier: GPL-3.0-or-later
// Vectorised for every instruction set of Highway (lanes.hpp) and chosen at run time.
#include "engine/calcium/dyad_blocks.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/calcium/dyad_blocks.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

// ahead of the formulas, which look for functions of vectors where they are written
#include "engine/calcium/lanes.hpp"

#include "engine/calcium/dyad.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace tawara::calcium::HWY_NAMESPACE {

constexpr std::size_t room = block_dyads + together;
constexpr std::size_t sides_of_sum = 16; ///< sums that are made side by side

/// What passes over a block keep of it.
template <class Real>
struct Block
{
    alignas(64) std::uint64_t draw[room];
    alignas(64) double u_RyR[room], u_LCC[room];
    alignas(64) Real moves[room], opens[room]; ///< bounds of u
    alignas(64) Real open[room], inhibit[room], recover[room], plain[room], phosphorylated[room];
    alignas(64) Real phi[room], camk[room], open_plain[room], open_phosphorylated[room];
    std::size_t listed = 0, padded = 0; ///< dyads; and with what fills the last chunk
    bool all = false;                   ///< all are listed, in their order
    std::uint16_t list[room];
    // of listed dyads, side by side
    alignas(64) double n[4][room], p[3][room], u[room], fresh[4][room];
    alignas(64) Real sums[DyadSums::count][sides_of_sum];
};

/// Lists the dyads of [0, n) with u below the bound; all of them where that are many.
/// @param n  a multiple of 16
template <class Real>
void list_below(Block<Real>& b, const double* u, const Real* bound, std::size_t n)
{
    b.listed = 0;
    for (std::size_t i = 0; i < n; i += lanes_of<double>)
        for (unsigned bits = below(u + i, bound + i); bits != 0; bits &= bits - 1)
            b.list[b.listed++] =
                static_cast<std::uint16_t>(i + static_cast<std::size_t>(std::countr_zero(bits)));
    b.all = 4 * b.listed > n; // bringing them together costs more than it saves
    if (b.all)
        b.listed = n;
    b.padded = (b.listed + together - 1) / together * together;
}

/// Brings a number of each listed dyad together, and as many of `rest` as fill the last chunk.
template <class Real, class T>
void gather(const Block<Real>& b, double* to, double rest, const T* from)
{
    if (b.all) {
        for (std::size_t i = 0; i < b.listed; i += lanes_of<double>)
            narrow(to + i, wide(from + i));
    } else {
        for (std::size_t k = 0; k < b.listed; ++k)
            to[k] = static_cast<double>(from[b.list[k]]);
    }
    std::fill(to + b.listed, to + b.padded, rest);
}

/// Takes such numbers back to their dyads.
template <class Real, class T>
void scatter(const Block<Real>& b, const double* from, T* to)
{
    if (b.all) {
        for (std::size_t i = 0; i < b.listed; i += lanes_of<double>)
            narrow(to + i, wide(from + i));
        return;
    }
    for (std::size_t k = 0; k < b.listed; ++k)
        to[b.list[k]] = static_cast<T>(from[k]);
}

/// Draws the fresh numbers of listed dyads, those of the given call (DyadRandom: 2 call, 2 call +
/// 1).
template <class Real>
void fresh_numbers(Block<Real>& b, const RandomPlace& at, std::size_t first, std::uint32_t call)
{
    for (std::size_t k = 0; k < b.listed; ++k)
        b.draw[k] = (first + (b.all ? k : b.list[k])) * dyad_draws + call;
    std::fill(b.draw + b.listed, b.draw + b.padded, 0);
    uniforms(at, b.draw, b.padded, b.fresh[2 * call - 2], b.fresh[2 * call - 1]);
}

/// Moves the RyR of those dyads in which any may move.
template <class Real>
void move_RyR(const DyadConstants<Real>& k, const RandomPlace& at, const DyadArrays<Real>& a,
              std::size_t first, std::size_t n, Block<Real>& b)
{
    list_below(b, b.u_RyR, b.moves, n);
    if (b.listed == 0)
        return;
    std::uint8_t* const count[4] = {a.C1 + first, a.O1 + first, a.C2 + first, a.C3 + first};
    const Real* const p[3] = {b.open, b.inhibit, b.recover};
    for (int s = 0; s < 4; ++s)
        gather(b, b.n[s], 0, count[s]);
    for (int s = 0; s < 3; ++s)
        gather(b, b.p[s], 0, p[s]);
    gather(b, b.u, 0.5, b.u_RyR);
    for (std::uint32_t call = 1; call <= 2; ++call)
        fresh_numbers(b, at, first, call);
    by_vectors(b.listed, [&](auto as, std::size_t i) {
        const auto load = [&](const double* from_block) { return as.load(from_block + i); };
        const Ring<decltype(load(b.u))> from{load(b.n[0]), load(b.n[1]), load(b.n[2]),
                                             load(b.n[3])};
        const auto to = ring_step(from, load(b.p[0]), static_cast<double>(k.close), load(b.p[1]),
                                  load(b.p[2]), load(b.u), [&](int f) { return load(b.fresh[f]); });
        as.store(b.n[0] + i, to.C1);
        as.store(b.n[1] + i, to.O1);
        as.store(b.n[2] + i, to.C2);
        as.store(b.n[3] + i, to.C3);
    });
    for (int s = 0; s < 4; ++s)
        scatter(b, b.n[s], count[s]);
}

/// Draws the open LCC of those dyads in which any may be open.
template <class Real>
void open_LCC(const DyadConstants<Real>& k, std::size_t n, Block<Real>& b)
{
    list_below(b, b.u_LCC, b.opens, n);
    if (!b.all) {
        std::fill_n(b.open_plain, n, Real(0));
        std::fill_n(b.open_phosphorylated, n, Real(0));
    }
    if (b.listed == 0)
        return;
    gather(b, b.p[0], 0, b.plain);
    gather(b, b.p[1], 0, b.phosphorylated);
    gather(b, b.u, 0.5, b.u_LCC);
    by_vectors(b.listed, [&](auto as, std::size_t i) {
        const auto u = as.load(b.u + i);
        const auto open = open_channels(u * 0 + k.LCC, as.load(b.p[0] + i), as.load(b.p[1] + i), u);
        as.store(b.n[0] + i, open.plain);
        as.store(b.n[1] + i, open.phosphorylated);
    });
    scatter(b, b.n[0], b.open_plain);
    scatter(b, b.n[1], b.open_phosphorylated);
}

/// The odds of n dyads' channels, and what may stay as it is.
template <class Real>
void find_odds(const DyadConstants<Real>& k, const DyadInput<Real>& in, const DyadArrays<Real>& a,
               std::size_t first, std::size_t n, Block<Real>& b)
{
    using M = Memory<Real>;
    using V = typename M::V;
    const Real all_LCC = static_cast<Real>(static_cast<float>(k.LCC) * 1.00001F);
    for (std::size_t i = 0; i < n; i += lanes_of<Real>) {
        const std::size_t at = first + i;
        const V C1 = M::of_bytes(a.C1 + at), O1 = M::of_bytes(a.O1 + at);
        const V C2 = M::of_bytes(a.C2 + at), C3 = M::of_bytes(a.C3 + at);
        auto activated = M::of_ints(a.activated + at);
        activated = O1 > k.active ? activated * 0 + in.step : activated;
        M::to_ints(a.activated + at, activated);
        V n_ca = M::load(a.n_ca + at), camk_t = M::load(a.camk_t + at);
        const auto o = odds(k, in, M::load(a.c_d + at), M::of_double(a.c_jsr + at), n_ca, camk_t,
                            in.step - activated > k.refractory);
        M::store(a.n_ca + at, n_ca);
        M::store(a.camk_t + at, camk_t);
        M::store(b.phi + i, o.phi);
        M::store(b.camk + i, o.camk);
        M::store(b.open + i, o.open);
        M::store(b.inhibit + i, o.inhibit);
        M::store(b.recover + i, o.recover);
        M::store(b.plain + i, o.plain);
        M::store(b.phosphorylated + i, o.phosphorylated);
        M::store(b.moves + i, most_moves(C1, O1, C2, C3, k.close, o));
        M::store(b.opens + i, all_LCC * (o.plain + o.phosphorylated));
    }
}

/// Concentrations of n dyads; `valid` of them are the cell's.
template <class Real>
void flow(const DyadConstants<Real>& k, const DyadInput<Real>& in, const DyadArrays<Real>& a,
          Ahead<Real>& ahead, std::size_t first, std::size_t n, std::size_t valid, Block<Real>& b)
{
    using M = Memory<Real>;
    using V = typename M::V;
    alignas(64) static constexpr Real ones[2 * sides_of_sum] = {1, 1, 1, 1, 1, 1, 1, 1,
                                                                1, 1, 1, 1, 1, 1, 1, 1};
    for (auto& sum : b.sums)
        std::fill_n(sum, sides_of_sum, Real(0));
    for (std::size_t i = 0; i < n; i += lanes_of<Real>) {
        const std::size_t at = first + i;
        const V O1 = M::of_bytes(a.O1 + at), c_myo = M::load(a.c_myo + at);
        const V plain = M::load(b.open_plain + i), phos = M::load(b.open_phosphorylated + i);
        const Flows<V> f = flows(k, in, M::load(a.c_d + at), M::load(a.c_ss + at), c_myo,
                                 M::of_double(a.c_nsr + at), M::of_double(a.c_jsr + at),
                                 M::load(b.phi + i), O1, plain, phos);
        M::store(a.c_d + at, f.c_d);
        M::store(ahead.c_ss() + at, f.c_ss);
        M::store(ahead.c_myo() + at, f.c_myo);
        M::add_to(ahead.c_nsr() + at, a.c_nsr + at, f.nsr);
        M::add_to(a.c_jsr + at, a.c_jsr + at, f.jsr);
        const V terms[DyadSums::count] = {
            f.open, f.i_Ca, f.ncx, f.pCa, c_myo, M::load(b.camk + i), f.release, plain + phos, O1};
        const std::size_t chunk = i / sides_of_sum * sides_of_sum, lane = i - chunk;
        if (chunk + sides_of_sum <= valid) {
            for (int s = 0; s < DyadSums::count; ++s)
                M::store(b.sums[s] + lane, M::load(b.sums[s] + lane) + terms[s]);
        } else if (chunk < valid) { // the cell's last dyads
            const V weight = M::load(ones + (sides_of_sum - (valid - chunk)) + lane);
            for (int s = 0; s < DyadSums::count; ++s)
                M::store(b.sums[s] + lane, M::load(b.sums[s] + lane) + weight * terms[s]);
        }
    }
}

template <class Real>
DyadSums react_block(const DyadConstants<Real>& k, const DyadInput<Real>& in, const RandomPlace& at,
                     const DyadArrays<Real>& a, Ahead<Real>& ahead, std::size_t block,
                     std::size_t dyads)
{
    Block<Real> b;
    const std::size_t first = block * block_dyads;
    const std::size_t valid = std::min(block_dyads, dyads - first);
    const std::size_t n = (valid + together - 1) / together * together;
    for (std::size_t i = 0; i < n; ++i)
        b.draw[i] = (first + i) * dyad_draws;
    uniforms(at, b.draw, n, b.u_RyR, b.u_LCC);
    find_odds(k, in, a, first, n, b);
    if (in.forced) {
        std::fill_n(a.O1 + first, valid, static_cast<std::uint8_t>(k.RyR));
        for (auto* none : {a.C1, a.C2, a.C3})
            std::fill_n(none + first, valid, std::uint8_t{0});
    } else {
        move_RyR(k, at, a, first, n, b);
    }
    open_LCC(k, n, b);
    flow(k, in, a, ahead, first, n, valid, b);
    double sums[DyadSums::count];
    for (int s = 0; s < DyadSums::count; ++s) {
        sums[s] = 0;
        for (const Real x : b.sums[s])
            sums[s] += static_cast<double>(x);
    }
    return {sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7], sums[8]};
}

/// A row of dyads, and those beside it; mirrored, or itself, at the cell's faces.
template <class T>
struct Row
{
    Row(const T* field, const Grid& g, bool closed, std::size_t row)
    {
        const auto nx = static_cast<std::size_t>(g.nx), ny = static_cast<std::size_t>(g.ny);
        const auto nz = static_cast<std::size_t>(g.nz);
        const std::size_t y = row % ny, z = row / ny;
        centre = field + row * nx;
        const auto beside = [&](std::size_t at, std::size_t size, std::size_t stride, bool up) {
            const bool outside = up ? at + 1 == size : at == 0;
            if (outside && (closed || size == 1))
                return centre;
            return up != outside ? centre + stride : centre - stride;
        };
        y0 = beside(y, ny, nx, false);
        y1 = beside(y, ny, nx, true);
        z0 = beside(z, nz, nx * ny, false);
        z1 = beside(z, nz, nx * ny, true);
    }
    /// What diffusion adds to V's lanes from x on; they are not the row's first or last.
    template <class V, class Real, class Load>
    V inside(const Real* weight, std::size_t x, const Load& load) const
    {
        return spread(weight, load(centre + x), load(centre + x - 1) + load(centre + x + 1),
                      load(y0 + x) + load(y1 + x), load(z0 + x) + load(z1 + x));
    }
    /// The same of one dyad, its neighbours along x being given.
    template <class Real>
    T at(const Real* weight, std::size_t x, std::size_t left, std::size_t right) const
    {
        return spread(weight, centre[x], centre[left] + centre[right], y0[x] + y1[x],
                      z0[x] + z1[x]);
    }
    const T *centre, *y0, *y1, *z0, *z1;
};

template <class Real>
void diffuse_rows(const DyadConstants<Real>& k, const Grid& g, bool closed, Ahead<Real>& ahead,
                  const DyadArrays<Real>& a, std::size_t first_row, std::size_t end_row)
{
    using M = Memory<Real>;
    using V = typename M::V;
    const auto nx = static_cast<std::size_t>(g.nx);
    for (std::size_t r = first_row; r < end_row; ++r) {
        const Row<Real> myo(ahead.c_myo(), g, closed, r), ss(ahead.c_ss(), g, closed, r);
        const Row<double> nsr(ahead.c_nsr(), g, closed, r);
        Real* const to_myo = a.c_myo + r * nx;
        Real* const to_ss = a.c_ss + r * nx;
        double* const to_nsr = a.c_nsr + r * nx;
        const auto one = [&](std::size_t x, std::size_t left, std::size_t right) {
            Real c_myo = myo.centre[x], c_ss = ss.centre[x];
            spread_buffered(k, c_myo, c_ss, myo.at(k.spread_myo, x, left, right),
                            ss.at(k.spread_ss, x, left, right));
            to_myo[x] = c_myo;
            to_ss[x] = c_ss;
            to_nsr[x] = nsr.centre[x] + nsr.at(k.spread_nsr, x, left, right);
        };
        // whole vectors, the last one as far back as it must be; then the row's ends once more
        constexpr std::size_t lanes = lanes_of<Real>, few = lanes_of<double>;
        for (std::size_t begin = 0; nx >= lanes && begin < nx; begin += lanes) {
            const std::size_t x = std::min(begin, nx - lanes);
            V c_myo = M::load(myo.centre + x), c_ss = M::load(ss.centre + x);
            spread_buffered(k, c_myo, c_ss, myo.template inside<V>(k.spread_myo, x, M::load),
                            ss.template inside<V>(k.spread_ss, x, M::load));
            M::store(to_myo + x, c_myo);
            M::store(to_ss + x, c_ss);
        }
        using D = Memory<double>;
        for (std::size_t begin = 0; nx >= lanes && begin < nx; begin += few) {
            const std::size_t x = std::min(begin, nx - few);
            D::store(to_nsr + x, D::load(nsr.centre + x) +
                                     nsr.template inside<Doubles>(k.spread_nsr, x, D::load));
        }
        const std::size_t last = nx - 1, in_left = nx > 1 ? 1 : 0, in_right = nx > 1 ? nx - 2 : 0;
        for (std::size_t x = 1; nx < lanes && x + 1 < nx; ++x)
            one(x, x - 1, x + 1);
        one(0, closed ? 0 : in_left, in_left);
        if (nx > 1)
            one(last, in_right, closed ? last : in_right);
    }
}

DyadSums react_double(const DyadConstants<double>& k, const DyadInput<double>& in,
                      const RandomPlace& at, const DyadArrays<double>& a, Ahead<double>& ahead,
                      std::size_t block, std::size_t dyads)
{
    return react_block(k, in, at, a, ahead, block, dyads);
}
DyadSums react_mixed(const DyadConstants<float>& k, const DyadInput<float>& in,
                     const RandomPlace& at, const DyadArrays<float>& a, Ahead<float>& ahead,
                     std::size_t block, std::size_t dyads)
{
    return react_block(k, in, at, a, ahead, block, dyads);
}
void diffuse_double(const DyadConstants<double>& k, const Grid& g, bool closed,
                    Ahead<double>& ahead, const DyadArrays<double>& a, std::size_t first_row,
                    std::size_t end_row)
{
    diffuse_rows(k, g, closed, ahead, a, first_row, end_row);
}
void diffuse_mixed(const DyadConstants<float>& k, const Grid& g, bool closed, Ahead<float>& ahead,
                   const DyadArrays<float>& a, std::size_t first_row, std::size_t end_row)
{
    diffuse_rows(k, g, closed, ahead, a, first_row, end_row);
}
const char* target_name()
{
    return hwy::TargetName(HWY_TARGET);
}

} // namespace tawara::calcium::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tawara::calcium {

HWY_EXPORT(react_double);
HWY_EXPORT(react_mixed);
HWY_EXPORT(diffuse_double);
HWY_EXPORT(diffuse_mixed);
HWY_EXPORT(target_name);

DyadSums react(const DyadConstants<double>& k, const DyadInput<double>& in, const RandomPlace& at,
               const DyadArrays<double>& a, Ahead<double>& ahead, std::size_t block,
               std::size_t dyads)
{
    return HWY_DYNAMIC_DISPATCH(react_double)(k, in, at, a, ahead, block, dyads);
}
DyadSums react(const DyadConstants<float>& k, const DyadInput<float>& in, const RandomPlace& at,
               const DyadArrays<float>& a, Ahead<float>& ahead, std::size_t block,
               std::size_t dyads)
{
    return HWY_DYNAMIC_DISPATCH(react_mixed)(k, in, at, a, ahead, block, dyads);
}
void diffuse(const DyadConstants<double>& k, const Grid& g, bool closed, Ahead<double>& ahead,
             const DyadArrays<double>& a, std::size_t first_row, std::size_t end_row)
{
    HWY_DYNAMIC_DISPATCH(diffuse_double)(k, g, closed, ahead, a, first_row, end_row);
}
void diffuse(const DyadConstants<float>& k, const Grid& g, bool closed, Ahead<float>& ahead,
             const DyadArrays<float>& a, std::size_t first_row, std::size_t end_row)
{
    HWY_DYNAMIC_DISPATCH(diffuse_mixed)(k, g, closed, ahead, a, first_row, end_row);
}

std::string instruction_set()
{
    return HWY_DYNAMIC_DISPATCH(target_name)();
}

} // namespace tawara::calcium
#endif
