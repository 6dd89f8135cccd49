// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace tawara::mesh::io {

/// Decodes base64 text piece by piece; blanks between its letters do not count, and what is padded
/// by '=' may be followed by more.
class Base64
{
  public:
    explicit Base64(std::string_view text) : text_(text) {}
    /// Appends up to `bytes` further bytes; fewer where the text ends or a letter is none of
    /// base64's.
    void read(std::string& to, std::size_t bytes);

  private:
    bool next();

    std::string_view text_;
    std::size_t at_ = 0;
    unsigned char ready_[3] = {};
    int have_ = 0, given_ = 0;
};

} // namespace tawara::mesh::io
