// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace tawara {

/// Bytes of the character that begins there; 0 where they are not UTF-8 (RFC 3629).
std::size_t utf8_length(std::string_view text, std::size_t at);

/// Whether all of it is UTF-8.
bool is_utf8(std::string_view text);

/// A foreign file's text made fit to be shown and written: UTF-8 stays, other text is taken as
/// ISO 8859-1, control characters become blanks.
std::string readable(std::string_view text);

/// A text for a message: the first `most` bytes at most, to the end of a character, and dots where
/// more follows.
std::string shortened(std::string_view text, std::size_t most);
/// As many bytes at most of the end of a text, from the beginning of a character on.
std::string_view ending(std::string_view text, std::size_t most);

} // namespace tawara
