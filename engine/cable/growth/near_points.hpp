// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/vec3.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

namespace tawara::cable {

/// Points that come one after another, and which of them is nearest: cubes in a hash table.
class NearPoints
{
  public:
    /// @param range_mm  points farther away are not found
    explicit NearPoints(double range_mm) : range_(range_mm), cube_(range_mm / 2) {}

    void add(const Vec3& p)
    {
        cubes_[key(cell(p[0]), cell(p[1]), cell(p[2]))].push_back(
            static_cast<std::int32_t>(points_.size()));
        points_.push_back(p);
    }
    struct Found
    {
        std::int32_t point = -1; ///< in the order of add(); -1: none within the range
        double distance_mm = std::numeric_limits<double>::infinity();
    };
    /// @param wanted  whether a point counts
    template <class F>
    Found nearest(const Vec3& p, F&& wanted) const
    {
        Found best;
        const std::int64_t at[3]{cell(p[0]), cell(p[1]), cell(p[2])};
        constexpr std::int64_t reach = 2; // cubes
        for (std::int64_t k = at[2] - reach; k <= at[2] + reach; ++k)
            for (std::int64_t j = at[1] - reach; j <= at[1] + reach; ++j)
                for (std::int64_t i = at[0] - reach; i <= at[0] + reach; ++i) {
                    const auto cube = cubes_.find(key(i, j, k));
                    if (cube == cubes_.end())
                        continue;
                    for (const auto q : cube->second) {
                        const double d = norm(points_[static_cast<std::size_t>(q)] - p);
                        if (d <= range_ && d < best.distance_mm && wanted(q))
                            best = {q, d};
                    }
                }
        return best;
    }

  private:
    std::int64_t cell(double x) const { return std::llround(std::floor(x / cube_)); }
    static std::uint64_t key(std::int64_t i, std::int64_t j, std::int64_t k)
    {
        constexpr std::uint64_t mask = (1U << 21) - 1;
        return (static_cast<std::uint64_t>(i) & mask) << 42 |
               (static_cast<std::uint64_t>(j) & mask) << 21 |
               (static_cast<std::uint64_t>(k) & mask);
    }
    double range_, cube_;
    std::vector<Vec3> points_;
    std::unordered_map<std::uint64_t, std::vector<std::int32_t>> cubes_;
};

} // namespace tawara::cable
