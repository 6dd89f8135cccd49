// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of dyads. A thread has a dyad, a block of threads a block of dyads.
#include "engine/calcium/cuda/view.cuh"
#include "engine/calcium/dyad.hpp"

namespace tawara::calcium::cuda {
namespace {

using device::cuda::launch;

constexpr int threads = static_cast<int>(block_dyads);
constexpr int side_by_side = 16;            ///< sums of a block that are made side by side
constexpr int row = threads + side_by_side; ///< of numbers to be summed, no two in a bank

/// Numbers of the dyads beside one; mirrored, or itself, at the cell's faces.
struct Around
{
    std::int32_t own, x0, x1, y0, y1, z0, z1;
};
template <class Real>
__device__ Around around(const View<Real>& w, std::uint32_t i, bool closed)
{
    const std::uint32_t line = w.by_nx.into(i), plane = w.by_ny.into(line);
    const auto at = static_cast<std::int32_t>(i);
    const auto x = static_cast<std::int32_t>(i - line * static_cast<std::uint32_t>(w.nx));
    const auto y = static_cast<std::int32_t>(line - plane * static_cast<std::uint32_t>(w.ny));
    const auto z = static_cast<std::int32_t>(plane);
    Around n{at, at, at, at, at, at, at};
    const auto beside = [&](std::int32_t& low, std::int32_t& high, std::int32_t k,
                            std::int32_t size, std::int32_t stride) {
        const std::int32_t outside = closed || size == 1 ? 0 : stride;
        low += k == 0 ? outside : -stride;
        high += k + 1 == size ? -outside : stride;
    };
    beside(n.x0, n.x1, x, w.nx, 1);
    beside(n.y0, n.y1, y, w.ny, w.nx);
    beside(n.z0, n.z1, z, w.nz, w.nx * w.ny);
    return n;
}

/// c_myo, c_ss, c_nsr of a dyad; diffused unless they are settled.
template <class Real>
struct Spaces
{
    Real myo, ss;
    double nsr;
};
template <class Real>
__device__ Spaces<Real> diffused(const DyadConstants<Real>& k, const Fields<Real>& f,
                                 const Around& n, bool settled)
{
    Spaces<Real> c{f.myo[n.own], f.ss[n.own], f.nsr[n.own]};
    if (settled)
        return c;
    const auto change = [&](const auto* weight, const auto* field, auto own) {
        return spread(weight, own, field[n.x0] + field[n.x1], field[n.y0] + field[n.y1],
                      field[n.z0] + field[n.z1]);
    };
    const double nsr = change(k.spread_nsr, f.nsr, c.nsr);
    const Real myo = change(k.spread_myo, f.myo, c.myo), ss = change(k.spread_ss, f.ss, c.ss);
    spread_buffered(k, c.myo, c.ss, myo, ss);
    c.nsr += nsr;
    return c;
}

/// Which of a block's dyads draw channels, and what they draw with and get: brought together, so
/// that few warps do what few dyads need.
template <class Real>
struct Drawing
{
    double u_RyR[threads], u_LCC[threads];
    Real open[threads], inhibit[threads], recover[threads], plain[threads], phosphorylated[threads];
    uchar4 ring[threads];
    uchar2 LCC[threads];
    std::uint8_t of_RyR[threads], of_LCC[threads]; ///< lists of dyads
};

/// Appends the caller's thread to a list where it is one of those.
/// @thread all of a block
__device__ void list(bool mine, std::uint8_t* to, unsigned& count)
{
    const unsigned who = __ballot_sync(~0U, mine), lane = threadIdx.x % 32;
    if (who == 0)
        return;
    unsigned at = 0;
    if (lane == 0)
        at = atomicAdd(&count, static_cast<unsigned>(__popc(who)));
    at = __shfl_sync(~0U, at, 0);
    if (mine)
        to[at + static_cast<unsigned>(__popc(who & ((1U << lane) - 1)))] =
            static_cast<std::uint8_t>(threadIdx.x);
}

template <class Real>
__device__ void draw_RyR(const DyadConstants<Real>& k, const DyadRandom& random, Drawing<Real>& d,
                         unsigned t)
{
    const uchar4 n = d.ring[t];
    const auto to =
        ring_step(Ring<double>{double(n.x), double(n.y), double(n.z), double(n.w)},
                  double(d.open[t]), double(k.close), double(d.inhibit[t]), double(d.recover[t]),
                  d.u_RyR[t], [&](int draw) { return random(2 + draw); });
    d.ring[t] = make_uchar4(static_cast<unsigned char>(to.C1), static_cast<unsigned char>(to.O1),
                            static_cast<unsigned char>(to.C2), static_cast<unsigned char>(to.C3));
}

template <class Real>
__device__ void draw_LCC(const DyadConstants<Real>& k, Drawing<Real>& d, unsigned t)
{
    const auto open =
        open_channels(double(k.LCC), double(d.plain[t]), double(d.phosphorylated[t]), d.u_LCC[t]);
    d.LCC[t] = make_uchar2(static_cast<unsigned char>(open.plain),
                           static_cast<unsigned char>(open.phosphorylated));
}

/// Sums of a block's terms, by the order of processors: sixteen side by side in Real, these in
/// double precision.
template <class Real>
__device__ void sum_up(const Real (&terms)[DyadSums::count][row],
                       Real (&side)[DyadSums::count][side_by_side], double* to)
{
    for (unsigned q = threadIdx.x; q < DyadSums::count * side_by_side; q += threads) {
        const unsigned s = q / side_by_side, lane = q % side_by_side;
        Real sum = 0;
        for (unsigned i = lane; i < threads; i += side_by_side)
            sum += terms[s][i];
        side[s][lane] = sum;
    }
    __syncthreads();
    if (threadIdx.x < DyadSums::count) {
        double sum = 0;
        for (const Real x : side[threadIdx.x])
            sum += static_cast<double>(x);
        to[threadIdx.x] = sum;
    }
}

/// Which dyad a thread has.
struct Place
{
    std::uint32_t cell, block, i; ///< dyad i of the cell, in a block of its
    std::uint32_t own;            ///< i, or the last dyad where there is none
    bool there;
};
template <class Real>
__device__ Place place_of(const View<Real>& w)
{
    Place p;
    p.cell = w.by_blocks.into(blockIdx.x);
    p.block = blockIdx.x - p.cell * w.blocks;
    p.i = p.block * threads + threadIdx.x;
    p.there = p.i < w.dyads;
    p.own = p.there ? p.i : w.dyads - 1;
    return p;
}

/// What a thread knows of its dyad from its odds on.
template <class Real>
struct Known
{
    Real c_d;
    double c_jsr;
    uchar4 ring; ///< C1, O1, C2, C3
    Odds<Real> odds;
};

/// Reads a dyad and finds the odds of its channels; writes n_ca, trapped CaMKII, when it was
/// active.
template <class Real>
__device__ Known<Real> find_odds(const DyadConstants<Real>& k, const DyadInput<Real>& in,
                                 const DyadArrays<Real>& a, const Place& p)
{
    Known<Real> d;
    d.c_d = a.c_d[p.own];
    d.c_jsr = a.c_jsr[p.own];
    Real n_ca = a.n_ca[p.own], camk_t = a.camk_t[p.own];
    d.ring = make_uchar4(a.C1[p.own], a.O1[p.own], a.C2[p.own], a.C3[p.own]);
    std::int32_t activated = a.activated[p.own];
    if (static_cast<Real>(d.ring.y) > k.active) {
        activated = in.step;
        if (p.there)
            a.activated[p.i] = activated;
    }
    d.odds = odds(k, in, d.c_d, static_cast<Real>(d.c_jsr), n_ca, camk_t,
                  in.step - activated > k.refractory);
    if (p.there) {
        a.n_ca[p.i] = n_ca;
        a.camk_t[p.i] = camk_t;
    }
    return d;
}

/// Draws the channels of a block's dyads: moves their RyR, writes these, gives the open LCC.
/// @pre     count is 0 for all threads after a barrier
/// @thread  all of a block
template <class Real>
__device__ uchar2 draw_channels(const DyadConstants<Real>& k, const DyadInput<Real>& in,
                                const RandomPlace& at, const DyadArrays<Real>& a, const Place& p,
                                Known<Real>& dyad, Drawing<Real>& d, unsigned (&count)[2])
{
    const std::uint32_t t = threadIdx.x;
    const Odds<Real>& o = dyad.odds;
    const Words4 words = random_words(at, p.i * dyad_draws);
    const auto real = [](auto x) { return static_cast<Real>(x); };
    const auto least = [](std::uint32_t word) { // the number is this or a little more
        return static_cast<Real>(uniform_of(word));
    };
    const uchar4 n = dyad.ring;
    const bool moves =
        p.there && !in.forced &&
        least(words[0]) < most_moves(real(n.x), real(n.y), real(n.z), real(n.w), k.close, o);
    const bool opens = p.there && least(words[2]) < static_cast<float>(k.LCC) * 1.00001F *
                                                        (o.plain + o.phosphorylated);
    __syncthreads();
    list(moves, d.of_RyR, count[0]);
    list(opens, d.of_LCC, count[1]);
    if (moves) {
        d.u_RyR[t] = uniform_of(words[0], words[1]);
        d.open[t] = o.open;
        d.inhibit[t] = o.inhibit;
        d.recover[t] = o.recover;
        d.ring[t] = n;
    }
    if (opens) {
        d.u_LCC[t] = uniform_of(words[2], words[3]);
        d.plain[t] = o.plain;
        d.phosphorylated[t] = o.phosphorylated;
    }
    __syncthreads();
    if (t < count[0])
        draw_RyR(k, DyadRandom{at, p.block * threads + d.of_RyR[t]}, d, d.of_RyR[t]);
    if (const unsigned back = threads - 1 - t; back < count[1]) // other warps, where both are few
        draw_LCC(k, d, d.of_LCC[back]);
    __syncthreads();
    if (in.forced)
        dyad.ring = make_uchar4(0, static_cast<unsigned char>(k.RyR), 0, 0);
    else if (moves)
        dyad.ring = d.ring[t];
    if (p.there && (in.forced || moves)) {
        a.C1[p.i] = dyad.ring.x;
        a.O1[p.i] = dyad.ring.y;
        a.C2[p.i] = dyad.ring.z;
        a.C3[p.i] = dyad.ring.w;
    }
    return opens ? d.LCC[t] : make_uchar2(0, 0);
}

template <class Real>
constexpr int least_blocks = sizeof(Real) == 8 ? 6 : 8; ///< on a multiprocessor

/// Copies the constants of a cell's type to where its block of threads has them.
/// @thread all of a block
template <class Real>
__device__ void bring(DyadConstants<Real>& to, const View<Real>& w, std::uint32_t cell)
{
    static_assert(sizeof to % sizeof(std::uint32_t) == 0);
    const auto* from = reinterpret_cast<const std::uint32_t*>(w.of_type + w.type[cell]);
    auto* words = reinterpret_cast<std::uint32_t*>(&to);
    for (unsigned q = threadIdx.x; q < sizeof to / sizeof(std::uint32_t); q += threads)
        words[q] = from[q];
    __syncthreads();
}

/// Steps the dyads of a block of threads.
template <class Real>
__device__ __forceinline__ void step_block(const DyadConstants<Real>& k, const View<Real>& w,
                                           const Place& p)
{
    __shared__ union {
        Drawing<Real> drawing;
        Real terms[DyadSums::count][row];
    } shared;
    __shared__ Real side[DyadSums::count][side_by_side];
    __shared__ unsigned count[2];

    const std::uint32_t t = threadIdx.x;
    const CellInput<Real>& input = w.input[p.cell];
    const DyadInput<Real>& in = input.dyads;
    const DyadArrays<Real> a = arrays_of(w, p.cell);
    const auto real = [](auto x) { return static_cast<Real>(x); };
    if (t < 2)
        count[t] = 0;
    Known<Real> d = find_odds(k, in, a, p);
    const RandomPlace at{w.seed, input.number, input.time_step, w.stream};
    const uchar2 LCC = draw_channels(k, in, at, a, p, d, shared.drawing, count);

    // fluxes
    const auto c = diffused(k, fields_of(w, a, p.cell, input.at.place),
                            around(w, p.own, input.closed), input.at.settled != 0);
    const Flows<Real> f = flows(k, in, d.c_d, c.ss, c.myo, real(c.nsr), real(d.c_jsr), d.odds.phi,
                                real(d.ring.y), real(LCC.x), real(LCC.y));
    if (p.there) {
        const auto to = fields_of(w, a, p.cell, 1 - input.at.place);
        a.c_d[p.i] = f.c_d;
        a.c_jsr[p.i] = d.c_jsr + static_cast<double>(f.jsr);
        to.myo[p.i] = f.c_myo;
        to.ss[p.i] = f.c_ss;
        to.nsr[p.i] = c.nsr + static_cast<double>(f.nsr);
    }
    const Real terms[DyadSums::count] = {f.open,        f.i_Ca,      f.ncx,     f.pCa,
                                         c.myo,         d.odds.camk, f.release, real(LCC.x + LCC.y),
                                         real(d.ring.y)};
    __syncthreads(); // what was drawn has been read
    for (int s = 0; s < DyadSums::count; ++s)
        shared.terms[s][t] = p.there ? terms[s] : 0;
    __syncthreads();
    sum_up(shared.terms, side, &w.sums[blockIdx.x].open);
}

template <bool by_type, class Real>
__global__ void __launch_bounds__(threads, least_blocks<Real>)
    dyad_kernel(const __grid_constant__ DyadConstants<Real> k, const __grid_constant__ View<Real> w)
{
    const Place p = place_of(w);
    if (w.input[p.cell].idle)
        return;
    if constexpr (by_type) {
        __shared__ DyadConstants<Real> own;
        bring(own, w, p.cell);
        step_block(own, w, p);
    } else {
        step_block(k, w, p);
    }
}

template <class Real>
__global__ void __launch_bounds__(threads)
    settle_kernel(const __grid_constant__ DyadConstants<Real> all,
                  const __grid_constant__ View<Real> w)
{
    const std::uint32_t cell = w.by_blocks.into(blockIdx.x);
    const std::uint32_t i = (blockIdx.x - cell * w.blocks) * threads + threadIdx.x;
    const Position at = w.position[cell];
    if (i >= w.dyads || at.settled != 0)
        return;
    const DyadConstants<Real>& k = w.of_type ? w.of_type[w.type[cell]] : all;
    const DyadArrays<Real> a = arrays_of(w, cell);
    const auto c =
        diffused(k, fields_of(w, a, cell, at.place), around(w, i, w.input[cell].closed), false);
    const auto to = fields_of(w, a, cell, 1 - at.place);
    to.myo[i] = c.myo;
    to.ss[i] = c.ss;
    to.nsr[i] = c.nsr;
}

/// Says that dyads are settled, in the other place.
__global__ void settled_kernel(Position* position, std::uint32_t cells)
{
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells || position[i].settled != 0)
        return;
    position[i].place = 1 - position[i].place;
    position[i].settled = 1;
}

template <class Real>
__global__ void __launch_bounds__(threads)
    spread_kernel(const __grid_constant__ View<Real> w, double RyR, double available)
{
    const std::uint32_t cell = w.by_blocks.into(blockIdx.x);
    const std::uint32_t i = (blockIdx.x - cell * w.blocks) * threads + threadIdx.x;
    if (i == 0) {
        w.cell[cell] = w.cell[0];
        w.v[cell] = w.cell[0].v;
        w.position[cell] = {};
        w.step[cell] = {};
    }
    if (i >= w.room)
        return;
    const DyadArrays<Real> from = w.first, to = arrays_of(w, cell);
    to.c_myo[i] = from.c_myo[i];
    to.c_ss[i] = from.c_ss[i];
    to.c_d[i] = from.c_d[i];
    to.n_ca[i] = from.n_ca[i];
    to.camk_t[i] = from.camk_t[i];
    to.c_nsr[i] = from.c_nsr[i];
    to.c_jsr[i] = from.c_jsr[i];
    to.activated[i] = from.activated[i];
    const double u = DyadRandom{{w.seed, w.number + cell, 0, start_stream}, i}(0);
    const double C1 = i < w.dyads ? binomial(RyR, available, u).events : 0;
    to.C1[i] = static_cast<std::uint8_t>(C1);
    to.C2[i] = i < w.dyads ? static_cast<std::uint8_t>(RyR - C1) : 0;
    to.O1[i] = to.C3[i] = 0;
}

constexpr int observing = 256; ///< threads that share a cell

template <class Real>
__global__ void __launch_bounds__(observing)
    observe_kernel(const __grid_constant__ View<Real> w, double active, Observation* out)
{
    constexpr int means = 10;
    static_assert(sizeof(Observation) == means * sizeof(double));
    __shared__ double part[means][observing];
    const std::uint32_t cell = blockIdx.x, t = threadIdx.x;
    const DyadArrays<Real> a = arrays_of(w, cell);
    const auto f = fields_of(w, a, cell, w.position[cell].place);
    Observation o;
    for (std::uint32_t i = t; i < w.dyads; i += observing) {
        o.c_myo += static_cast<double>(f.myo[i]);
        o.c_ss += static_cast<double>(f.ss[i]);
        o.c_nsr += f.nsr[i];
        o.c_jsr += a.c_jsr[i];
        o.c_d += static_cast<double>(a.c_d[i]);
        o.largest_c_d = fmax(o.largest_c_d, static_cast<double>(a.c_d[i]));
        o.open_RyR += a.O1[i];
        o.active += a.O1[i] > active ? 1 : 0;
        o.n_ca += static_cast<double>(a.n_ca[i]);
        o.camk_t += static_cast<double>(a.camk_t[i]);
    }
    constexpr int largest = 5, open = 6, counted = 7; // of Observation's numbers
    auto* const own = reinterpret_cast<double*>(&o);
    for (int m = 0; m < means; ++m)
        part[m][t] = own[m];
    for (unsigned half = observing / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            for (int m = 0; m < means; ++m)
                part[m][t] = m == largest ? fmax(part[m][t], part[m][t + half])
                                          : part[m][t] + part[m][t + half];
    }
    if (t == 0)
        for (int m = 0; m < means; ++m)
            reinterpret_cast<double*>(out + cell)[m] =
                m == largest || m == open || m == counted ? part[m][0] : part[m][0] / w.dyads;
}

} // namespace

template <class Real>
void enqueue_dyads(StreamRef s, const DyadConstants<Real>& k, const View<Real>& w)
{
    launch(s, "dyads", std::int64_t{w.cells} * w.blocks * threads, threads,
           w.of_type ? dyad_kernel<true, Real> : dyad_kernel<false, Real>, k, w);
}
template void enqueue_dyads(StreamRef, const DyadConstants<double>&, const View<double>&);
template void enqueue_dyads(StreamRef, const DyadConstants<float>&, const View<float>&);

template <class Real>
void enqueue_settle(StreamRef s, const DyadConstants<Real>& k, const View<Real>& w)
{
    launch(s, "settle", std::int64_t{w.cells} * w.blocks * threads, threads, settle_kernel<Real>, k,
           w);
    launch(s, "settled", w.cells, threads, settled_kernel, w.position, w.cells);
}
template void enqueue_settle(StreamRef, const DyadConstants<double>&, const View<double>&);
template void enqueue_settle(StreamRef, const DyadConstants<float>&, const View<float>&);

template <class Real>
void enqueue_spread(StreamRef s, const View<Real>& w, double RyR, double available)
{
    launch(s, "spread", std::int64_t{w.cells} * w.blocks * threads, threads, spread_kernel<Real>, w,
           RyR, available);
}
template void enqueue_spread(StreamRef, const View<double>&, double, double);
template void enqueue_spread(StreamRef, const View<float>&, double, double);

template <class Real>
void enqueue_observe(StreamRef s, const DyadConstants<Real>& k, const View<Real>& w,
                     Observation* out)
{
    launch(s, "observe", std::int64_t{w.cells} * observing, observing, observe_kernel<Real>, w,
           static_cast<double>(k.active), out);
}
template void enqueue_observe(StreamRef, const DyadConstants<double>&, const View<double>&,
                              Observation*);
template void enqueue_observe(StreamRef, const DyadConstants<float>&, const View<float>&,
                              Observation*);

} // namespace tawara::calcium::cuda
