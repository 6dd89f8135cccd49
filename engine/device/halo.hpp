// SPDX-License-Identifier: GPL-3.0-or-later
// Where another process' share of a tissue begins.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
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
    /// Where all of the processes see each other's memory, values are put there, and read there.
    struct Shelf
    {
        /// Room for the values of given(), in its order, up to sizeof(double) each.
        std::span<std::byte> given;
        /// Some of taken(): `count` values from number `first` on of what another process has
        /// given.
        struct Piece
        {
            const std::byte* given;
            std::size_t first, count;
        };
        std::vector<Piece> taken; ///< one after the other
    };
    struct Shelves
    {
        std::array<Shelf, 2> set;
        std::vector<std::span<std::byte>> memory; ///< all that they lie in, this process' first
    };
    /// Two sets of shelves: of those that come one after the other, a meet() in each, values are
    /// put on the other set each time. Nothing where there is no such memory. Every process calls
    /// it once, before all others of these.
    virtual std::optional<Shelves> shelves() { return {}; }
    /// Returns when all processes that values are read of, or that read here, have come as far.
    /// @throws DeviceError where another process has ended
    virtual void meet() {}
    /// Whether any of the processes says so.
    virtual bool any(bool here) = 0;
};

} // namespace tawara::device
