// SPDX-License-Identifier: GPL-3.0-or-later
// Compressed rows in a device's memory, which several products share the form of.
#pragma once
#include "engine/core/error.hpp"
#include "engine/sparse/cuda/product.cuh"

#include <algorithm>
#include <limits>
#include <vector>

namespace tawara::sparse::cuda {

/// Enqueues to[k] = from[k], rounded to Stored, for n values.
template <class Stored>
void copy_values(StreamRef s, Stored* to, const double* from, std::int64_t n);

template <class Stored>
struct DeviceCsr
{
    std::int64_t rows = 0, columns = 0, entries = 0;
    Buffer<std::int32_t> first, column;
    Buffer<Stored> value;

    DeviceCsr(StreamRef s, const Csr& a) : rows(a.rows()), columns(a.columns), entries(a.entries())
    {
        if (entries > std::numeric_limits<std::int32_t>::max() - rows)
            throw Error("a sparse matrix has more rows and entries than 32 bits can count");
        first = uploaded(std::vector<std::int32_t>(a.first.begin(), a.first.end()), s);
        column = uploaded(a.column, s);
        value = uploaded(std::vector<Stored>(a.value.begin(), a.value.end()), s);
    }
    /// Bytes of a product that reads the matrix and x and writes y, once each.
    template <class Real>
    double bytes() const
    {
        return static_cast<double>(entries) * (sizeof(Stored) + 4.0) +
               static_cast<double>(rows) * 4.0 +
               static_cast<double>(rows + columns) * static_cast<double>(sizeof(Real));
    }
};

} // namespace tawara::sparse::cuda
