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

} // namespace tawara::cable
