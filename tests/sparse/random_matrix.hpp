// SPDX-License-Identifier: GPL-3.0-or-later
// Sparse matrices by chance, the same each time.
#pragma once
#include "engine/sparse/csr.hpp"

#include <algorithm>
#include <random>

namespace tawara::test {

/// Row i has lengths(i) entries (fewer where chance names a column twice), values in [-1, 1).
template <class Lengths>
sparse::Csr random_matrix(std::int32_t rows, std::int32_t columns, unsigned seed, Lengths lengths)
{
    std::mt19937 chance(seed);
    std::uniform_real_distribution<double> value(-1, 1);
    std::uniform_int_distribution<std::int32_t> column(0, std::max(0, columns - 1));
    std::vector<sparse::Entry> entries;
    for (std::int32_t i = 0; i < rows; ++i)
        for (int k = lengths(i); k > 0; --k)
            entries.push_back({i, column(chance), value(chance)});
    return sparse::csr_of(rows, columns, entries);
}

inline std::vector<double> random_vector(std::int64_t size, unsigned seed)
{
    std::mt19937 chance(seed);
    std::uniform_real_distribution<double> value(-1, 1);
    std::vector<double> x(static_cast<std::size_t>(size));
    std::generate(x.begin(), x.end(), [&] { return value(chance); });
    return x;
}

} // namespace tawara::test
