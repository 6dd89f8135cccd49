// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/diffusion/whole.hpp"
#include "engine/simulation/parts/part_tissue.hpp"

namespace tawara::simulation::parts {

/// What the operator of a part asks, answered by all processes together.
class WholeParts final : public diffusion::Whole
{
  public:
    /// @param t  with owners, numbers and borders; both live as long
    WholeParts(const PartTissue& t, Group& group);
    std::span<const char> own() const override { return tissue_.own; }
    std::span<const std::int64_t> number() const override { return tissue_.number; }
    std::size_t size() const override { return size_; }
    void share(std::span<double> values) override { share_values(tissue_, group_, values); }
    double sum_in_order(std::span<const double> values) override;
    double sum(double here) override { return group_.sum(here); }
    double largest(double here) override { return group_.largest(here); }
    bool any(bool here) override { return group_.any(here); }
    double
    in_order(std::span<const Row> sorted,
             const std::function<double(const std::function<bool(Row&)>& next)>& use) override;

  private:
    const PartTissue& tissue_;
    Group& group_;
    std::size_t size_;
    std::vector<std::int64_t> own_number_;
    std::vector<std::int32_t> own_at_;
};

} // namespace tawara::simulation::parts
