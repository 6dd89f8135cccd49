// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/partition/partition.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <metis.h>
#include <numeric>
#include <string>
#include <utility>

namespace tawara::partition {

namespace {

/// A graph as METIS wants it.
struct MetisGraph
{
    std::vector<idx_t> first, column;
};

enum class Goal { communication_volume, edge_cut };

std::vector<std::int32_t> metis(MetisGraph g, std::int64_t parts, Goal goal,
                                std::vector<real_t> shares = {}, std::vector<idx_t> weight = {})
{
    auto n = static_cast<idx_t>(g.first.size() - 1);
    std::vector<std::int32_t> part(static_cast<std::size_t>(n), 0);
    if (parts <= 1 || n == 0)
        return part;
    std::array<idx_t, METIS_NOPTIONS> options;
    METIS_SetDefaultOptions(options.data());
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_SEED] = 1;
    // Imbalance in thousandths: devices wait for the one with the largest part; clusters for none.
    options[METIS_OPTION_UFACTOR] = goal == Goal::communication_volume ? 5 : 30;
    options[METIS_OPTION_OBJTYPE] =
        goal == Goal::communication_volume ? METIS_OBJTYPE_VOL : METIS_OBJTYPE_CUT;
    idx_t constraints = 1, k = static_cast<idx_t>(parts), cost = 0;
    static_assert(sizeof(idx_t) == sizeof(std::int32_t));
    const int status = METIS_PartGraphKway(&n, &constraints, g.first.data(), g.column.data(),
                                           weight.empty() ? nullptr : weight.data(), nullptr,
                                           nullptr, &k, shares.empty() ? nullptr : shares.data(),
                                           nullptr, options.data(), &cost, part.data());
    if (status != METIS_OK)
        throw Error(status == METIS_ERROR_MEMORY ? "partition: not enough memory for METIS"
                                                 : "partition: METIS refused the graph");
    return part;
}

/// The graph of the unknowns `members` (ascending), renumbered by their place in the list.
/// @param place  scratch: -1 everywhere, and again so afterwards
MetisGraph subgraph(const Graph& g, std::span<const std::int32_t> members,
                    std::vector<std::int32_t>& place)
{
    for (std::size_t k = 0; k < members.size(); ++k)
        place[static_cast<std::size_t>(members[k])] = static_cast<std::int32_t>(k);
    MetisGraph out;
    out.first.reserve(members.size() + 1);
    out.first.push_back(0);
    std::size_t entries = 0;
    for (auto m : members)
        entries += static_cast<std::size_t>(g.first[static_cast<std::size_t>(m) + 1] -
                                            g.first[static_cast<std::size_t>(m)]);
    if (entries > static_cast<std::size_t>(std::numeric_limits<idx_t>::max()))
        throw Error("partition: more than 2^31 edges; split the graph into parts first");
    out.column.reserve(entries);
    for (auto m : members) {
        const auto i = static_cast<std::size_t>(m);
        for (auto e = g.first[i]; e < g.first[i + 1]; ++e) {
            const auto j = g.column[static_cast<std::size_t>(e)];
            if (j != m && place[static_cast<std::size_t>(j)] >= 0)
                out.column.push_back(place[static_cast<std::size_t>(j)]);
        }
        out.first.push_back(static_cast<idx_t>(out.column.size()));
    }
    for (auto m : members)
        place[static_cast<std::size_t>(m)] = -1;
    return out;
}

/// Clusters that touch, as lists without repetition.
std::vector<std::vector<std::int32_t>>
cluster_graph(const MetisGraph& g, std::span<const std::int32_t> cluster, std::size_t clusters)
{
    std::vector<std::vector<std::int32_t>> touch(clusters);
    for (std::size_t i = 0; i + 1 < g.first.size(); ++i)
        for (auto e = g.first[i]; e < g.first[i + 1]; ++e) {
            const auto other =
                cluster[static_cast<std::size_t>(g.column[static_cast<std::size_t>(e)])];
            auto& list = touch[static_cast<std::size_t>(cluster[i])];
            if (other != cluster[i] && (list.empty() || list.back() != other))
                list.push_back(other);
        }
    for (auto& list : touch) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return touch;
}

/// Appends the clusters that can be reached from `start` breadth first; marks them with `mark`.
void walk(const std::vector<std::vector<std::int32_t>>& touch, std::int32_t start,
          std::vector<int>& seen, int mark, std::vector<std::int32_t>& order)
{
    std::size_t next = order.size();
    order.push_back(start);
    seen[static_cast<std::size_t>(start)] = mark;
    for (; next < order.size(); ++next)
        for (auto c : touch[static_cast<std::size_t>(order[next])])
            if (seen[static_cast<std::size_t>(c)] != mark) {
                seen[static_cast<std::size_t>(c)] = mark;
                order.push_back(c);
            }
}

/// Rank of each cluster along a breadth-first walk that starts at an end of each connected piece.
std::vector<std::int32_t> walk_rank(const std::vector<std::vector<std::int32_t>>& touch)
{
    std::vector<int> seen(touch.size(), 0);
    std::vector<std::int32_t> order, trial;
    for (std::size_t c = 0; c < touch.size(); ++c) {
        if (seen[c] == 2)
            continue;
        trial.clear();
        walk(touch, static_cast<std::int32_t>(c), seen, 1, trial);
        walk(touch, trial.back(), seen, 2, order); // from the farthest one
    }
    std::vector<std::int32_t> rank(touch.size());
    for (std::size_t k = 0; k < order.size(); ++k)
        rank[static_cast<std::size_t>(order[k])] = static_cast<std::int32_t>(k);
    return rank;
}

/// Sorts the members (ascending) by cluster along the walk, then by old index.
void order_group(const Graph& g, std::span<std::int32_t> members, int cluster_size,
                 std::vector<std::int32_t>& place)
{
    const auto clusters =
        (static_cast<std::int64_t>(members.size()) + cluster_size / 2) / cluster_size;
    if (clusters <= 1)
        return;
    auto sub = subgraph(g, members, place);
    const auto cluster = metis(sub, clusters, Goal::edge_cut);
    const auto rank = walk_rank(cluster_graph(sub, cluster, static_cast<std::size_t>(clusters)));
    std::vector<std::int32_t> begin(static_cast<std::size_t>(clusters) + 1, 0);
    for (auto c : cluster)
        ++begin[static_cast<std::size_t>(rank[static_cast<std::size_t>(c)]) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::int32_t> sorted(members.size());
    for (std::size_t k = 0; k < members.size(); ++k) {
        const auto r = static_cast<std::size_t>(rank[static_cast<std::size_t>(cluster[k])]);
        sorted[static_cast<std::size_t>(begin[r]++)] = members[k];
    }
    std::copy(sorted.begin(), sorted.end(), members.begin());
}

/// Weights, of which none is more than what a part has to hold: an unknown that is heavier has a
/// part for itself, and the others share the rest.
std::vector<idx_t> bounded(std::span<const std::int32_t> weight, int count)
{
    std::vector<idx_t> heaviest(weight.begin(), weight.end()), out = heaviest;
    const auto few = std::min(heaviest.size(), static_cast<std::size_t>(count));
    std::partial_sort(heaviest.begin(), heaviest.begin() + static_cast<std::ptrdiff_t>(few),
                      heaviest.end(), std::greater<>());
    std::int64_t sum = std::accumulate(out.begin(), out.end(), std::int64_t{0}), left = count;
    for (std::size_t k = 0; k < few && left > 1 && left * heaviest[k] > sum; ++k, --left)
        sum -= heaviest[k];
    for (auto& w : out)
        w = static_cast<idx_t>(std::clamp<std::int64_t>(sum / left, 1, w));
    return out;
}

} // namespace

std::vector<std::int32_t> parts(const Graph& g, int count, std::span<const double> shares,
                                std::span<const std::int32_t> weight)
{
    const std::size_t n = g.size();
    if (count < 1)
        throw InputError("partition", "the number of parts must be at least 1");
    if (static_cast<std::size_t>(count) > std::max<std::size_t>(n, 1))
        throw InputError("partition", std::to_string(n) + " unknowns cannot fill " +
                                          std::to_string(count) + " parts");
    if (!shares.empty() &&
        (shares.size() != static_cast<std::size_t>(count) ||
         std::any_of(shares.begin(), shares.end(), [](double s) { return !(s > 0); })))
        throw InputError("partition", "a positive share is needed for each part, or none at all");
    if (!weight.empty() && weight.size() != n)
        throw InputError("partition", "a weight is needed for each unknown, or none at all");
    if (count == 1)
        return std::vector<std::int32_t>(n, 0);
    std::vector<std::int32_t> all(n), place(n, -1);
    std::iota(all.begin(), all.end(), 0);
    const auto by = [&](std::vector<idx_t> weights) {
        return metis(subgraph(g, all, place), count, Goal::communication_volume,
                     std::vector<real_t>(shares.begin(), shares.end()), std::move(weights));
    };
    auto part = by(bounded(weight, count));
    std::vector<bool> filled(static_cast<std::size_t>(count), false);
    for (const auto k : part)
        filled[static_cast<std::size_t>(k)] = true;
    if (!weight.empty() && std::find(filled.begin(), filled.end(), false) != filled.end())
        part = by({});
    return part;
}

Order cluster_order(const Graph& g, std::span<const std::int32_t> part,
                    std::span<const std::int32_t> major, int cluster_size)
{
    const std::size_t n = g.size();
    if (part.size() != n || (!major.empty() && major.size() != n) || cluster_size < 1)
        throw InputError("partition", "a part (and a group, or none) is needed per unknown, and a "
                                      "cluster size of at least 1");
    Order out;
    out.old_of.resize(n);
    std::iota(out.old_of.begin(), out.old_of.end(), 0);
    auto key = [&](std::int32_t i) {
        const auto u = static_cast<std::size_t>(i);
        return std::pair(part[u], major.empty() ? 0 : major[u]);
    };
    std::stable_sort(out.old_of.begin(), out.old_of.end(),
                     [&](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
    std::vector<std::int32_t> place(n, -1);
    for (std::size_t begin = 0; begin < n;) {
        std::size_t end = begin;
        while (end < n && key(out.old_of[end]) == key(out.old_of[begin]))
            ++end;
        order_group(g, std::span(out.old_of).subspan(begin, end - begin), cluster_size, place);
        begin = end;
    }
    out.new_of.resize(n);
    for (std::size_t k = 0; k < n; ++k)
        out.new_of[static_cast<std::size_t>(out.old_of[k])] = static_cast<std::int32_t>(k);
    return out;
}

} // namespace tawara::partition
