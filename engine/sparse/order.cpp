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

    /// Adds `seed` and what is reached from it; neighbours with few entries come first.
    void gather(std::int32_t seed)
    {
        auto head = order_.size();
        see(seed);
        for (; head < order_.size(); ++head) {
            const auto new_ones = order_.size();
            const auto row = at(order_[head]);
            for (auto e = a_.first[row]; e < a_.first[row + 1]; ++e)
                see(a_.column[at(e)]);
            std::stable_sort(order_.begin() + static_cast<std::ptrdiff_t>(new_ones), order_.end(),
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
    walk.gather(seed);
    for (std::int32_t i = 0; at(i) < all; ++i)
        if (!walk.seen(i))
            walk.gather(i);
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

} // namespace tawara::sparse
