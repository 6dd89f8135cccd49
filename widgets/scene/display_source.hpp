// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tawara::scene {

/// Writes the newest values of a live field into an OpenGL buffer, by a way of its own that does
/// not pass through this program's memory. Each scene has one for itself.
///
/// @thread  the thread of the OpenGL context, which is current
class DisplaySource
{
  public:
    virtual ~DisplaySource() = default;
    /// Writes the newest field unless the buffer holds it already: element i gets the value of
    /// vertex[i]. A buffer that is not the last one is made known first.
    /// @param missing  what stands for values that are not finite
    /// @return the time of the field that the buffer holds now [ms]; nothing where there is none or
    ///         it failed, then error() says why
    virtual std::optional<double> write(unsigned int buffer, std::span<const std::int32_t> vertex,
                                        float missing) = 0;
    /// Forgets the buffer; to be called before its storage changes and before the context goes.
    virtual void release() noexcept = 0;
    /// Why write() failed; empty while it did not.
    virtual const std::string& error() const = 0;
};

} // namespace tawara::scene
