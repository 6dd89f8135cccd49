// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sparse/order.hpp"

#include <algorithm>

namespace tawara::sparse {
namespace {

using Order = std::vector<std::int32_t>;

std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

/// Walks breadth first over all unknowns that nobody has seen, from `seed` and then from each left.
class Walk
{
  public:
    explicit Walk(const Csr& a) : a_(a), seen_(at(a.rows()), 0) { order_.reserve(at(a.rows())); }

    /// Adds `seed` and what is reached from it, at most `most` unknowns.
    /// @param short_first  neighbours with few entries come first, else in the row's order
    void gather(std::int32_t seed, std::size_t most, bool short_first)
    {
        const auto begin = order_.size();
        see(seed);
        for (auto head = begin; head < order_.size() && order_.size() - begin < most; ++head) {
            const auto new_ones = order_.size();
            const auto row = at(order_[head]);
            for (auto e = a_.first[row]; e < a_.first[row + 1]; ++e)
                if (order_.size() - begin < most)
                    see(a_.column[at(e)]);
            if (short_first)
                std::stable_sort(order_.begin() + static_cast<std::ptrdiff_t>(new_ones),
                                 order_.end(),
                                 [&](auto i, auto j) { return a_.length(i) < a_.length(j); });
        }
    }
    bool seen(std::int32_t i) const { return seen_[at(i)] != 0; }
    Order take() { return std::move(order_); }

  private:
    void see(std::int32_t i)
    {
        if (seen_[at(i)] == 0) {
            seen_[at(i)] = 1;
            order_.push_back(i);
        }
    }

    const Csr& a_;
    std::vector<std::uint8_t> seen_;
    Order order_;
};

Order breadth_first(const Csr& a, std::int32_t seed)
{
    Walk walk(a);
    const auto all = at(a.rows());
    walk.gather(seed, all, true);
    for (std::int32_t i = 0; at(i) < all; ++i)
        if (!walk.seen(i))
            walk.gather(i, all, true);
    return walk.take();
}

Order clusters(const Csr& a, const Order& along, std::size_t size)
{
    Walk walk(a);
    for (const auto i : along)
        if (!walk.seen(i))
            walk.gather(i, size, false);
    return walk.take();
}

} // namespace

std::vector<std::int32_t> cuthill_mckee(const Csr& a)
{
    if (a.rows() == 0)
        return {};
    auto order = breadth_first(a, 0);
    // The last one reached lies far outside; from there, once more.
    order = breadth_first(a, order.back());
    order = breadth_first(a, order.back());
    std::reverse(order.begin(), order.end());
    return order;
}

std::vector<std::int32_t> nested_clusters(const Csr& a, std::int32_t least)
{
    auto order = cuthill_mckee(a);
    for (const std::size_t size : {std::size_t{65536}, std::size_t{4096}, at(std::max(1, least))})
        order = clusters(a, order, size);
    return order;
}

} // namespace tawara::sparse
