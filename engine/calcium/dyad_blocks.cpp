// SPDX-License-Identifier: GPL-3.0-or-later
// Vectorised for every instruction set of Highway (lanes.hpp) and chosen at run time.
#include "engine/calcium/dyad_blocks.hpp"

#include "engine/core/machine.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/calcium/dyad_blocks.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

// ahead of the formulas, which look for functions of vectors where they are written
#include "engine/calcium/lanes.hpp"

#include "engine/calcium/dyad.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace tawara::calcium::HWY_NAMESPACE {

constexpr std::size_t sides_of_sum = 16; ///< sums that are made side by side
/// Blocks whose dyads draw side by side: with one alone, vectors are rarely full at rest.
constexpr std::size_t blocks_together = 8;
constexpr std::size_t room = block_dyads + together, most = blocks_together * block_dyads;

/// What is kept of a block until the dyads that draw are listed.
template <class Real>
struct BlockOdds
{
    alignas(64) std::uint64_t draw[room];
    alignas(64) double u_RyR[room], u_LCC[room];
    alignas(64) Real moves[room], opens[room]; ///< bounds of u
    alignas(64) Real open[room], inhibit[room], recover[room], plain[room], phosphorylated[room];
};

/// The dyads that draw, of several blocks, side by side in the order of blocks. Where many dyads of
/// a block draw, all of its dyads are taken: to list them would cost more than it saves.
struct Drawing
{
    struct OfBlock
    {
        std::size_t begin, count; ///< places side by side
        bool all;
    };
    OfBlock block[blocks_together];
    std::size_t size = 0;     ///< of all blocks
    std::uint16_t dyad[most]; ///< within its block, where not all of that draw
    alignas(64) double u[most + together];

    /// Adds the dyads of block b's [0, n) with u below the bound.
    /// @param n  a multiple of 16
    template <class Real>
    void list(std::size_t b, const double* u_of_all, const Real* bound, std::size_t n)
    {
        std::uint8_t bits_at[block_dyads];
        std::size_t draw = 0;
        for (std::size_t i = 0; i < n; i += lanes_of<double>) {
            const unsigned bits = below(u_of_all + i, bound + i);
            bits_at[i / lanes_of<double>] = static_cast<std::uint8_t>(bits);
            draw += static_cast<std::size_t>(std::popcount(bits));
        }
        OfBlock& of = block[b];
        of = {size, 0, 4 * draw > n};
        if (of.all)
            of.count = n;
        for (std::size_t i = 0; !of.all && i < n; i += lanes_of<double>)
            for (unsigned bits = bits_at[i / lanes_of<double>]; bits != 0; bits &= bits - 1)
                dyad[size + of.count++] = static_cast<std::uint16_t>(
                    i + static_cast<std::size_t>(std::countr_zero(bits)));
        size += of.count;
        gather(b, u, u_of_all);
    }
    /// Brings a number of each of block b's together.
    template <class T>
    void gather(std::size_t b, double* to, const T* from) const
    {
        const OfBlock& of = block[b];
        for (std::size_t i = 0; of.all && i < of.count; i += lanes_of<double>)
            narrow(to + of.begin + i, wide(from + i));
        for (std::size_t k = of.begin; !of.all && k < of.begin + of.count; ++k)
            to[k] = static_cast<double>(from[dyad[k]]);
    }
    /// Takes such numbers back to the dyads.
    template <class T>
    void scatter(std::size_t b, const double* from, T* to) const
    {
        const OfBlock& of = block[b];
        for (std::size_t i = 0; of.all && i < of.count; i += lanes_of<double>)
            narrow(to + i, wide(from + of.begin + i));
        for (std::size_t k = of.begin; !of.all && k < of.begin + of.count; ++k)
            to[dyad[k]] = static_cast<T>(from[k]);
    }
    std::size_t padded() const { return (size + together - 1) / together * together; }
    /// Fills the last chunk.
    template <class T>
    void pad(T* numbers, T rest) const
    {
        std::fill(numbers + size, numbers + padded(), rest);
    }
};
struct MovingRyR : Drawing
{
    alignas(64) double n[4][most + together], p[3][most + together], fresh[4][most + together];
    alignas(64) std::uint64_t draw[most + together];
};
struct OpeningLCC : Drawing
{
    alignas(64) double p[2][most + together], open[2][most + together];
};

/// What passes over some blocks keep of them.
template <class Real>
struct Blocks
{
    alignas(64) Real phi[most + together], camk[most + together];
    alignas(64) Real open_plain[most + together], open_phosphorylated[most + together];
    MovingRyR ryr;
    OpeningLCC lcc;
    alignas(64) Real sums[DyadSums::count][sides_of_sum];
};

/// The dyads of a block: [first, first + n) of the cell's, n a multiple of 32; `valid` of them are
/// the cell's.
struct Range
{
    std::size_t first, n, valid;

    Range(std::size_t block, std::size_t dyads)
        : first(block * block_dyads), n(0), valid(std::min(block_dyads, dyads - first))
    {
        n = (valid + together - 1) / together * together;
    }
};

/// The odds of a block's channels, and what may stay as it is.
template <class Real>
void find_odds(const DyadConstants<Real>& k, const DyadInput<Real>& in, const DyadArrays<Real>& a,
               const Range& r, BlockOdds<Real>& b, Real* phi, Real* camk)
{
    using M = Memory<Real>;
    using V = typename M::V;
    const Real all_LCC = static_cast<Real>(static_cast<float>(k.LCC) * 1.00001F);
    for (std::size_t i = 0; i < r.n; i += lanes_of<Real>) {
        const std::size_t at = r.first + i;
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
        M::store(phi + i, o.phi);
        M::store(camk + i, o.camk);
        M::store(b.open + i, o.open);
        M::store(b.inhibit + i, o.inhibit);
        M::store(b.recover + i, o.recover);
        M::store(b.plain + i, o.plain);
        M::store(b.phosphorylated + i, o.phosphorylated);
        M::store(b.moves + i, most_moves(C1, O1, C2, C3, k.close, o));
        M::store(b.opens + i, all_LCC * (o.plain + o.phosphorylated));
    }
}

template <class Real>
std::array<std::uint8_t*, 4> counts_of(const DyadArrays<Real>& a, std::size_t first)
{
    return {a.C1 + first, a.O1 + first, a.C2 + first, a.C3 + first};
}

/// Lists the dyads of a block that draw, and brings their counts and probabilities together.
template <class Real>
void list_block(const DyadArrays<Real>& a, const Range& r, std::size_t block, bool forced,
                const BlockOdds<Real>& b, MovingRyR& ryr, OpeningLCC& lcc)
{
    if (!forced) {
        ryr.list(block, b.u_RyR, b.moves, r.n);
        const auto count = counts_of(a, r.first);
        for (std::size_t s = 0; s < 4; ++s)
            ryr.gather(block, ryr.n[s], count[s]);
        const Real* const p[3] = {b.open, b.inhibit, b.recover};
        for (std::size_t s = 0; s < 3; ++s)
            ryr.gather(block, ryr.p[s], p[s]);
        const auto& of = ryr.block[block];
        for (std::size_t i = 0; i < of.count; ++i)
            ryr.draw[of.begin + i] = (r.first + (of.all ? i : ryr.dyad[of.begin + i])) * dyad_draws;
    }
    lcc.list(block, b.u_LCC, b.opens, r.n);
    lcc.gather(block, lcc.p[0], b.plain);
    lcc.gather(block, lcc.p[1], b.phosphorylated);
}

/// Moves the RyR of those dyads in which any may move.
void move_RyR(double closing, const RandomPlace& at, MovingRyR& d)
{
    if (d.size == 0)
        return;
    for (auto& n : d.n)
        d.pad(n, 0.0);
    for (auto& p : d.p)
        d.pad(p, 0.0);
    d.pad(d.u, 0.5);
    d.pad(d.draw, std::uint64_t{0});
    for (int call = 0; call < 2; ++call) { // those of DyadRandom behind a dyad's first two
        for (std::size_t i = 0; i < d.size; ++i)
            ++d.draw[i];
        uniforms(at, d.draw, d.padded(), d.fresh[2 * call], d.fresh[2 * call + 1]);
    }
    by_vectors(d.size, [&](auto as, std::size_t i) {
        const auto load = [&](const double* all) { return as.load(all + i); };
        const Ring<decltype(load(d.u))> from{load(d.n[0]), load(d.n[1]), load(d.n[2]),
                                             load(d.n[3])};
        const auto to = ring_step(from, load(d.p[0]), closing, load(d.p[1]), load(d.p[2]),
                                  load(d.u), [&](int f) { return load(d.fresh[f]); });
        as.store(d.n[0] + i, to.C1);
        as.store(d.n[1] + i, to.O1);
        as.store(d.n[2] + i, to.C2);
        as.store(d.n[3] + i, to.C3);
    });
}

/// Draws the open LCC of those dyads in which any may be open.
void open_LCC(int channels, OpeningLCC& d)
{
    if (d.size == 0)
        return;
    for (auto& p : d.p)
        d.pad(p, 0.0);
    d.pad(d.u, 0.5);
    by_vectors(d.size, [&](auto as, std::size_t i) {
        const auto u = as.load(d.u + i);
        const auto open =
            open_channels(u * 0 + channels, as.load(d.p[0] + i), as.load(d.p[1] + i), u);
        as.store(d.open[0] + i, open.plain);
        as.store(d.open[1] + i, open.phosphorylated);
    });
}

/// What was drawn goes to the dyads of a block.
template <class Real>
void take_back(const DyadConstants<Real>& k, const DyadArrays<Real>& a, const Range& r,
               std::size_t block, bool forced, Blocks<Real>& s)
{
    const auto count = counts_of(a, r.first);
    if (forced)
        for (std::size_t state = 0; state < 4; ++state)
            std::fill_n(count[state], r.valid, static_cast<std::uint8_t>(state == 1 ? k.RyR : 0));
    else
        for (std::size_t state = 0; state < 4; ++state)
            s.ryr.scatter(block, s.ryr.n[state], count[state]);
    Real* const open[2] = {s.open_plain + block * block_dyads,
                           s.open_phosphorylated + block * block_dyads};
    for (std::size_t kind = 0; kind < 2; ++kind) {
        if (!s.lcc.block[block].all)
            std::fill_n(open[kind], r.n, Real(0));
        s.lcc.scatter(block, s.lcc.open[kind], open[kind]);
    }
}

/// Concentrations of a block's dyads.
template <class Real>
DyadSums flow(const DyadConstants<Real>& k, const DyadInput<Real>& in, const DyadArrays<Real>& a,
              Ahead<Real>& ahead, const Range& r, std::size_t block, Blocks<Real>& s)
{
    using M = Memory<Real>;
    using V = typename M::V;
    alignas(64) static constexpr Real ones[2 * sides_of_sum] = {1, 1, 1, 1, 1, 1, 1, 1,
                                                                1, 1, 1, 1, 1, 1, 1, 1};
    for (auto& sum : s.sums)
        std::fill_n(sum, sides_of_sum, Real(0));
    for (std::size_t i = 0; i < r.n; i += lanes_of<Real>) {
        const std::size_t at = r.first + i, here = block * block_dyads + i;
        const V O1 = M::of_bytes(a.O1 + at), c_myo = M::load(a.c_myo + at);
        const V plain = M::load(s.open_plain + here), phos = M::load(s.open_phosphorylated + here);
        const Flows<V> f = flows(k, in, M::load(a.c_d + at), M::load(a.c_ss + at), c_myo,
                                 M::of_double(a.c_nsr + at), M::of_double(a.c_jsr + at),
                                 M::load(s.phi + here), O1, plain, phos);
        M::store(a.c_d + at, f.c_d);
        M::store(ahead.c_ss() + at, f.c_ss);
        M::store(ahead.c_myo() + at, f.c_myo);
        M::add_to(ahead.c_nsr() + at, a.c_nsr + at, f.nsr);
        M::add_to(a.c_jsr + at, a.c_jsr + at, f.jsr);
        const V terms[DyadSums::count] = {f.open,    f.i_Ca,       f.ncx,
                                          f.pCa,     c_myo,        M::load(s.camk + here),
                                          f.release, plain + phos, O1};
        const std::size_t chunk = i / sides_of_sum * sides_of_sum, lane = i - chunk;
        if (chunk + sides_of_sum <= r.valid) {
            for (int t = 0; t < DyadSums::count; ++t)
                M::store(s.sums[t] + lane, M::load(s.sums[t] + lane) + terms[t]);
        } else if (chunk < r.valid) { // the cell's last dyads
            const V weight = M::load(ones + (sides_of_sum - (r.valid - chunk)) + lane);
            for (int t = 0; t < DyadSums::count; ++t)
                M::store(s.sums[t] + lane, M::load(s.sums[t] + lane) + weight * terms[t]);
        }
    }
    double sums[DyadSums::count];
    for (int t = 0; t < DyadSums::count; ++t) {
        sums[t] = 0;
        for (const Real x : s.sums[t])
            sums[t] += static_cast<double>(x);
    }
    return {sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7], sums[8]};
}

/// @param out  of at most blocks_together blocks
template <class Real>
void react_blocks(const DyadConstants<Real>& k, const DyadInput<Real>& in, const RandomPlace& at,
                  const DyadArrays<Real>& a, Ahead<Real>& ahead, std::size_t first,
                  std::span<DyadSums> out, std::size_t dyads)
{
    Blocks<Real> s;
    {
        BlockOdds<Real> b;
        for (std::size_t block = 0; block < out.size(); ++block) {
            const Range r(first + block, dyads);
            for (std::size_t i = 0; i < r.n; ++i)
                b.draw[i] = (r.first + i) * dyad_draws;
            uniforms(at, b.draw, r.n, b.u_RyR, b.u_LCC);
            find_odds(k, in, a, r, b, s.phi + block * block_dyads, s.camk + block * block_dyads);
            list_block(a, r, block, in.forced, b, s.ryr, s.lcc);
        }
    }
    move_RyR(static_cast<double>(k.close), at, s.ryr);
    open_LCC(k.LCC, s.lcc);
    for (std::size_t block = 0; block < out.size(); ++block) {
        const Range r(first + block, dyads);
        take_back(k, a, r, block, in.forced, s);
        out[block] = flow(k, in, a, ahead, r, block, s);
    }
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

void react_double(const DyadConstants<double>& k, const DyadInput<double>& in,
                  const RandomPlace& at, const DyadArrays<double>& a, Ahead<double>& ahead,
                  std::size_t first, std::span<DyadSums> out, std::size_t dyads)
{
    for (std::size_t b = 0; b < out.size(); b += blocks_together)
        react_blocks(k, in, at, a, ahead, first + b,
                     out.subspan(b, std::min(blocks_together, out.size() - b)), dyads);
}
void react_mixed(const DyadConstants<float>& k, const DyadInput<float>& in, const RandomPlace& at,
                 const DyadArrays<float>& a, Ahead<float>& ahead, std::size_t first,
                 std::span<DyadSums> out, std::size_t dyads)
{
    for (std::size_t b = 0; b < out.size(); b += blocks_together)
        react_blocks(k, in, at, a, ahead, first + b,
                     out.subspan(b, std::min(blocks_together, out.size() - b)), dyads);
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

void react(const DyadConstants<double>& k, const DyadInput<double>& in, const RandomPlace& at,
           const DyadArrays<double>& a, Ahead<double>& ahead, std::size_t first,
           std::span<DyadSums> sums, std::size_t dyads)
{
    HWY_DYNAMIC_DISPATCH(react_double)(k, in, at, a, ahead, first, sums, dyads);
}
void react(const DyadConstants<float>& k, const DyadInput<float>& in, const RandomPlace& at,
           const DyadArrays<float>& a, Ahead<float>& ahead, std::size_t first,
           std::span<DyadSums> sums, std::size_t dyads)
{
    HWY_DYNAMIC_DISPATCH(react_mixed)(k, in, at, a, ahead, first, sums, dyads);
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
    return instruction_set_name(HWY_DYNAMIC_DISPATCH(target_name)());
}

} // namespace tawara::calcium
#endif
