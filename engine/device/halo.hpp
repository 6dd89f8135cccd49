// SPDX-License-Identifier: GPL-3.0-or-later
// Where another process' share of a tissue begins.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tawara::device {

/// The unknowns that two or more processes need of each other (TissueProblem::elsewhere). A stepper
/// calls it wherever its next rows read values that others have computed since.
/// @thread that of the stepper
class Halo
{
  public:
    virtual ~Halo() = default;
    /// Unknowns whose values others read, one after the other process; an unknown may be there
    /// several times.
    virtual std::span<const std::int32_t> given() const = 0;
    /// Unknowns of others that are read here.
    virtual std::span<const std::int32_t> taken() const = 0;
    /// @param give  `each` values for each of given()
    /// @param take  becomes the values of taken()
    /// @throws DeviceError where another process has ended
    virtual void swap(std::span<const double> give, std::span<double> take, std::size_t each) = 0;
    /// Whether any of the processes says so.
    virtual bool any(bool here) = 0;
};

} // namespace tawara::device
