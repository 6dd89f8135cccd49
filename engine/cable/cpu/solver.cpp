// SPDX-License-Identifier: GPL-3.0-or-later
// Vectorised by Highway for every instruction set and chosen at run time.
#include "engine/cable/cpu/solver.hpp"

#include "engine/cable/cpu/rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cable/cpu/solver.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace tawara::cable::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Hines' two sweeps over `systems` systems, by vectors of a width that the whole piece has.
template <class Real, class D>
void sweeps(D d, const std::int32_t* parent, std::size_t nodes, const Rows<Real>& r,
            std::size_t systems)
{
    const std::size_t width = hn::Lanes(d);
    for (std::size_t i = nodes - 1; i > 0; --i) {
        const std::size_t row = i * r.apart, up = static_cast<std::size_t>(parent[i]) * r.apart;
        for (std::size_t s = 0; s < systems; s += width) {
            const auto f =
                hn::Div(hn::LoadU(d, r.upper + row + s), hn::LoadU(d, r.diagonal + row + s));
            hn::StoreU(hn::NegMulAdd(f, hn::LoadU(d, r.lower + row + s),
                                     hn::LoadU(d, r.diagonal + up + s)),
                       d, r.diagonal + up + s);
            hn::StoreU(
                hn::NegMulAdd(f, hn::LoadU(d, r.rhs + row + s), hn::LoadU(d, r.rhs + up + s)), d,
                r.rhs + up + s);
        }
    }
    for (std::size_t s = 0; s < systems; s += width)
        hn::StoreU(hn::Div(hn::LoadU(d, r.rhs + s), hn::LoadU(d, r.diagonal + s)), d, r.rhs + s);
    for (std::size_t i = 1; i < nodes; ++i) {
        const std::size_t row = i * r.apart, up = static_cast<std::size_t>(parent[i]) * r.apart;
        for (std::size_t s = 0; s < systems; s += width) {
            const auto x =
                hn::NegMulAdd(hn::LoadU(d, r.lower + row + s), hn::LoadU(d, r.rhs + up + s),
                              hn::LoadU(d, r.rhs + row + s));
            hn::StoreU(hn::Div(x, hn::LoadU(d, r.diagonal + row + s)), d, r.rhs + row + s);
        }
    }
}

template <class Real>
void piece(const std::int32_t* parent, std::size_t nodes, const Rows<Real>& r, std::size_t systems)
{
    const hn::CappedTag<Real, 16> d;
    const std::size_t whole = systems / hn::Lanes(d) * hn::Lanes(d);
    if (whole > 0)
        sweeps(d, parent, nodes, r, whole);
    if (whole < systems)
        sweeps(hn::CappedTag<Real, 1>(), parent, nodes, r.from(whole), systems - whole);
}

void piece_double(const std::int32_t* parent, std::size_t nodes, const Rows<double>& r,
                  std::size_t systems)
{
    piece(parent, nodes, r, systems);
}
void piece_single(const std::int32_t* parent, std::size_t nodes, const Rows<float>& r,
                  std::size_t systems)
{
    piece(parent, nodes, r, systems);
}

} // namespace tawara::cable::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tawara::cable::cpu {

HWY_EXPORT(piece_double);
HWY_EXPORT(piece_single);

namespace {

void sweep_piece(const Tree& t, const Rows<double>& r, std::size_t systems)
{
    HWY_DYNAMIC_DISPATCH(piece_double)(t.parent.data(), t.nodes(), r, systems);
}
void sweep_piece(const Tree& t, const Rows<float>& r, std::size_t systems)
{
    HWY_DYNAMIC_DISPATCH(piece_single)(t.parent.data(), t.nodes(), r, systems);
}

} // namespace

template <class Real>
void solve(const Tree& t, const Batch& b, BatchNumbers<Real>& n, ThreadPool& pool)
{
    if (b.layout == Layout::flat) {
        pool.for_range(b.systems, 1, [&](std::size_t begin, std::size_t end, unsigned) {
            for (auto s = begin; s < end; ++s) {
                const auto of = [&](std::vector<Real>& v) {
                    return std::span<Real>(v).subspan(s * b.nodes, b.nodes);
                };
                cable::solve(t, System<Real>{of(n.upper), of(n.lower), of(n.diagonal), of(n.rhs)});
            }
        });
        return;
    }
    // so many that a node's row of a piece is some whole cache lines
    const std::size_t together = b.layout == Layout::block_interleaved ? b.block : 32;
    pool.for_range(b.systems, together, [&](std::size_t begin, std::size_t end, unsigned) {
        for (auto s = begin; s < end; s += together) {
            const auto at = b.place(0, s);
            const bool blocks = b.layout == Layout::block_interleaved;
            const Rows<Real> rows{n.upper.data() + at, n.lower.data() + at, n.diagonal.data() + at,
                                  n.rhs.data() + at, blocks ? b.block : b.systems};
            sweep_piece(t, rows, blocks ? b.block : std::min(together, end - s));
        }
    });
}
template void solve(const Tree&, const Batch&, BatchNumbers<double>&, ThreadPool&);
template void solve(const Tree&, const Batch&, BatchNumbers<float>&, ThreadPool&);

template <class Real>
void solve(const MixedBatch& b, BatchNumbers<Real>& n, ThreadPool& pool)
{
    const auto first = b.first();
    pool.for_range(b.systems(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
        for (auto s = begin; s < end; ++s) {
            const auto of = [&](std::vector<Real>& v) {
                return std::span<Real>(v).subspan(first[s], first[s + 1] - first[s]);
            };
            cable::solve(b.trees[b.tree_of[s]],
                         System<Real>{of(n.upper), of(n.lower), of(n.diagonal), of(n.rhs)});
        }
    });
}
template void solve(const MixedBatch&, BatchNumbers<double>&, ThreadPool&);
template void solve(const MixedBatch&, BatchNumbers<float>&, ThreadPool&);

} // namespace tawara::cable::cpu
#endif
