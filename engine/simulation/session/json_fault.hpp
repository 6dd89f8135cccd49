// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tawara::simulation {

/// Lists and objects within each other; more are refused.
inline constexpr std::size_t most_json_depth = 100;
/// Of a session's text; no file of this program comes near.
inline constexpr std::size_t most_session_bytes = 32U << 20;

/// Where a text stops being JSON, for a person: both counted from 1, columns in characters.
struct JsonFault
{
    std::size_t line = 0, column = 0;
    std::string what; ///< what was expected there, and what was found
};

/// The first fault of a text, or none where it is JSON (RFC 8259) whose numbers are finite.
std::optional<JsonFault> json_fault(std::string_view text);

/// The first key that its object has already; none where the text is no JSON.
std::optional<JsonFault> json_key_twice(std::string_view text);

} // namespace tawara::simulation
