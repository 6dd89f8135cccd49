// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// How a recording stores its frames: potentials as codes, codes as compressed differences.
namespace tawara::simulation {

using Codes = std::vector<std::uint16_t>;

/// Potentials as codes of `bits` bits: 0 below the range, 1 to 2^bits - 3 within it at equal steps,
/// 2^bits - 2 above it, 2^bits - 1 not a number.
class Quantiser
{
  public:
    /// @pre 8 <= bits <= 16, low < high
    Quantiser(float low_mV, float high_mV, int bits);
    double step_mV() const { return step_; }
    void encode(std::span<const float> values, Codes& out) const;
    /// @return how many lay outside of the range or were no number
    std::int64_t decode(std::span<const std::uint16_t> codes, std::vector<float>& out) const;

  private:
    float low_, high_, scale_;
    double step_;
    std::uint16_t above_, nan_;
    std::vector<float> table_; ///< value of each code
};

/// Codes as compressed bytes: differences from a frame of the same size, or along the frame where
/// `from` is empty; low bytes, then high bytes; deflate.
std::string compress_codes(std::span<const std::uint16_t> codes,
                           std::span<const std::uint16_t> from);

/// The inverse.
/// @throws Error  when the bytes are no such frame of `count` values
Codes decompress_codes(std::string_view bytes, std::span<const std::uint16_t> from,
                       std::size_t count);

} // namespace tawara::simulation
