// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tawara::calcium {

/// Quantiles of values that come one after the other, in bounded memory: of the values themselves
/// up to `kept` of them, else of their counts in classes 1 % wide.
class Quantiles
{
  public:
    static constexpr std::size_t kept = 16'384;

    /// Takes a value; one that is not finite is left out. Once there are more than `kept`, values
    /// below 1e-6 count as 1e-6 and those above 1e9 as 1e9.
    void add(double x);
    /// How many were taken.
    std::int64_t count() const { return count_; }
    /// Whether quantiles are of the values, not of classes.
    bool exact() const { return classes_.empty(); }
    /// The value below which a part q of them lies, interpolated between the two beside it (rank
    /// q (n - 1)); of classes within 1 %. NaN without values.
    /// @pre   0 <= q <= 1
    /// @cost  sorts a copy of the values
    double at(double q) const;

  private:
    static std::size_t class_of(double x);
    static double middle_of(std::size_t k);

    std::int64_t count_ = 0;
    std::vector<double> values_;
    std::vector<std::int64_t> classes_;
};

} // namespace tawara::calcium
