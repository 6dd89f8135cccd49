// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/batch.hpp"

#include "engine/core/random.hpp"

namespace tawara::cable {
namespace {

/// In [0, 1), from 32 bits.
double fraction(std::uint32_t word)
{
    return static_cast<double>(word) * 0x1p-32;
}

} // namespace

std::string_view name(Layout l)
{
    switch (l) {
    case Layout::flat:
        break;
    case Layout::full_interleaved:
        return "full-interleaved";
    case Layout::block_interleaved:
        return "block-interleaved";
    }
    return "flat";
}

template <class Real>
BatchNumbers<Real> random_systems(const Tree& t, const Batch& b, std::uint64_t seed)
{
    BatchNumbers<Real> out{std::vector<Real>(b.size(), 0), std::vector<Real>(b.size(), 0),
                           std::vector<Real>(b.size(), 1), std::vector<Real>(b.size(), 0)};
    const auto key0 = static_cast<std::uint32_t>(seed),
               key1 = static_cast<std::uint32_t>(seed >> 32);
    for (std::size_t s = 0; s < b.systems; ++s) {
        for (std::size_t i = 0; i < b.nodes; ++i) {
            const auto w =
                philox(random_counter({.seed = seed, .unknown = s, .step = i}, 0), key0, key1);
            const auto k = b.place(i, s);
            out.diagonal[k] = static_cast<Real>(0.05 + fraction(w[3]));
            out.rhs[k] = static_cast<Real>(2 * fraction(w[2]) - 1);
            if (i > 0) {
                out.upper[k] = static_cast<Real>(-0.1 - 0.9 * fraction(w[0]));
                out.lower[k] = static_cast<Real>(-0.1 - 0.9 * fraction(w[1]));
            }
        }
        for (std::size_t i = 1; i < b.nodes; ++i) { // rows: lower_i in row i, upper_i in p's
            const auto k = b.place(i, s);
            out.diagonal[k] -= out.lower[k];
            out.diagonal[b.place(static_cast<std::size_t>(t.parent[i]), s)] -= out.upper[k];
        }
    }
    return out;
}
template BatchNumbers<double> random_systems(const Tree&, const Batch&, std::uint64_t);
template BatchNumbers<float> random_systems(const Tree&, const Batch&, std::uint64_t);

std::vector<std::size_t> MixedBatch::first() const
{
    std::vector<std::size_t> out{0};
    for (const auto t : tree_of)
        out.push_back(out.back() + trees.at(t).nodes());
    return out;
}

template <class Real>
BatchNumbers<Real> random_systems(const MixedBatch& b, std::uint64_t seed, std::size_t different)
{
    std::vector<BatchNumbers<Real>> some;
    for (const auto& t : b.trees)
        some.push_back(random_systems<Real>(t, Batch{t.nodes(), different}, seed));
    BatchNumbers<Real> out;
    std::vector<std::size_t> taken(b.trees.size(), 0);
    for (const auto tree : b.tree_of) {
        const auto n = b.trees[tree].nodes();
        const auto at = static_cast<std::ptrdiff_t>(taken[tree]++ % different * n);
        const auto put = [&](std::vector<Real>& to, const std::vector<Real>& from) {
            to.insert(to.end(), from.begin() + at,
                      from.begin() + at + static_cast<std::ptrdiff_t>(n));
        };
        put(out.upper, some[tree].upper), put(out.lower, some[tree].lower);
        put(out.diagonal, some[tree].diagonal), put(out.rhs, some[tree].rhs);
    }
    return out;
}
template BatchNumbers<double> random_systems(const MixedBatch&, std::uint64_t, std::size_t);
template BatchNumbers<float> random_systems(const MixedBatch&, std::uint64_t, std::size_t);

} // namespace tawara::cable
