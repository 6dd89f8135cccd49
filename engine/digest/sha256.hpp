// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tawara {

/// SHA-256 (FIPS 180-4) of some bytes, as 64 hexadecimal digits.
/// @cost  about 300 MB/s
std::string sha256(std::string_view bytes);

/// The same of bytes that come piece by piece.
class Sha256
{
  public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;
    void add(std::string_view bytes);
    /// Of all that were added; nothing is added behind it.
    std::string digits();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// That of several parts, each with its length before it: ("ab", "c") is not ("a", "bc").
std::string sha256_of_parts(std::span<const std::string_view> parts);

} // namespace tawara
