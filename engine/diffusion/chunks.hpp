// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/core/thread_pool.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace tawara::diffusion {

/// How a stage of long work reports: its name and the part of the stage that it fills.
struct Stage
{
    std::string_view name;
    double from = 0, to = 1;
};

/// Calls body(i) for i in [0, n) on all workers, in chunks between which progress is reported.
/// @throws Cancelled
template <class Body>
void for_each_index(ThreadPool& pool, std::size_t n, const Progress& progress, const Stage& stage,
                    const Body& body)
{
    constexpr std::size_t chunk = std::size_t(1) << 16;
    for (std::size_t done = 0; done < n; done += chunk) {
        progress.at(stage.from + (stage.to - stage.from) * static_cast<double>(done) /
                                     static_cast<double>(n),
                    stage.name);
        pool.for_range(std::min(chunk, n - done), 64,
                       [&](std::size_t begin, std::size_t end, unsigned) {
                           for (std::size_t i = done + begin; i < done + end; ++i)
                               body(i);
                       });
    }
}

/// Sums body(begin, end) over blocks of fixed size: the same result for every thread count.
/// @param sums  scratch, kept between calls
template <std::size_t block = 4096, class Body>
double block_sum(ThreadPool& pool, std::size_t n, std::vector<double>& sums, const Body& body)
{
    sums.assign((n + block - 1) / block, 0.0);
    pool.for_range(n, block, [&](std::size_t begin, std::size_t end, unsigned) {
        for (std::size_t b = begin; b < end; b += block)
            sums[b / block] = body(b, std::min(end, b + block));
    });
    double sum = 0;
    for (double s : sums)
        sum += s;
    return sum;
}

/// The entries of one row while it is put together: few, so that a linear search is quick.
template <std::size_t capacity>
struct RowBuffer
{
    std::array<std::pair<std::int32_t, double>, capacity> entry;
    std::size_t count = 0;

    void add(std::int32_t column, double value)
    {
        for (std::size_t k = 0; k < count; ++k)
            if (entry[k].first == column) {
                entry[k].second += value;
                return;
            }
        entry[count++] = {column, value};
    }
    void sort() { std::sort(entry.begin(), entry.begin() + static_cast<std::ptrdiff_t>(count)); }
};

} // namespace tawara::diffusion
