// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/layout.hpp"

#include "engine/partition/partition.hpp"

#include <algorithm>

namespace tawara::device {

Layout make_layout(const TissueProblem& p)
{
    const std::size_t n = p.size();
    const std::vector<std::int32_t> part(n, 0);
    std::vector<std::int32_t> major(n); // cells of one type together: a kernel steps them alike
    for (std::size_t u = 0; u < n; ++u)
        major[u] = static_cast<std::int32_t>(cell::most_types) * p.group[u] + p.type[u];
    const partition::Graph graph{p.system.alpha.first, p.system.alpha.column};
    const auto order = partition::cluster_order(graph, part, major);

    Layout l;
    l.new_of.resize(n);
    std::size_t next = 0;
    for (std::size_t g = 0; g < p.groups.size(); ++g) {
        while (l.old_of.size() % Layout::block)
            l.old_of.push_back(-1);
        l.begin.push_back(static_cast<std::int64_t>(l.old_of.size()));
        for (; next < n && p.group[static_cast<std::size_t>(order.old_of[next])] == g; ++next) {
            l.new_of[static_cast<std::size_t>(order.old_of[next])] =
                static_cast<std::int32_t>(l.old_of.size());
            l.old_of.push_back(order.old_of[next]);
        }
        l.end.push_back(static_cast<std::int64_t>(l.old_of.size()));
    }
    while (l.old_of.size() % Layout::block)
        l.old_of.push_back(-1);
    l.stepped = l.old_of.size();
    const bool of_others = !p.elsewhere.empty();
    const std::size_t behind = of_others ? n - next : std::min<std::size_t>(n - next, 1);
    l.old_of.resize(l.stepped + (behind + Layout::block - 1) / Layout::block * Layout::block, -1);
    for (std::size_t slot = l.stepped; next < n; ++next, slot += of_others ? 1 : 0) {
        l.new_of[static_cast<std::size_t>(order.old_of[next])] = static_cast<std::int32_t>(slot);
        if (of_others)
            l.old_of[slot] = order.old_of[next];
    }
    return l;
}

} // namespace tawara::device
