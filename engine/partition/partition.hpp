// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace tawara::partition {

/// A sparsity pattern: neighbours of i are column[first[i] .. first[i+1]). Views, nothing owned.
struct Graph
{
    std::span<const std::int64_t> first;
    std::span<const std::int32_t> column;
    std::size_t size() const { return first.size() - 1; }
};

/// A new order of the unknowns: old_of[new] and new_of[old].
struct Order
{
    std::vector<std::int32_t> old_of, new_of;
};

/// Part of each unknown by METIS k-way, minimising communication volume, imbalance 1.005.
/// Deterministic.
/// @param parts   1 gives zeros without calling METIS
/// @param shares  of the unknowns' weights for each part, sum 1; empty: all alike
/// @param weight  of each unknown, at least 1, sum below 2^31; empty: all alike. Unknowns that
///                are heavier than a part should be count as a part. No part is left empty: where
///                one would be, unknowns count alike
/// @throws InputError where there are fewer unknowns than parts, or not a positive share of each
std::vector<std::int32_t> parts(const Graph& g, int parts, std::span<const double> shares = {},
                                std::span<const std::int32_t> weight = {});

/// Orders unknowns by part, then within a part by `major` (ascending; e.g. the reaction group of
/// each unknown; may be empty), then by METIS cluster of about `cluster_size` unknowns, then by old
/// index; clusters follow each other along a breadth-first walk so that neighbours stay near.
Order cluster_order(const Graph& g, std::span<const std::int32_t> part,
                    std::span<const std::int32_t> major, int cluster_size = 4096);

} // namespace tawara::partition
