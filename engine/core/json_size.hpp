// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace tawara {

/// What a JSON text holds, counted by its brackets, commas and colons outside texts and comments:
/// exact for what is JSON, and up to the first fault of what is not.
struct JsonSize
{
    std::size_t depth = 0;         ///< lists and objects within each other
    std::size_t values = 0;        ///< elements and keys
    std::size_t keys = 0;          ///< of all objects; a key that is given twice counts twice
    std::size_t most_keys = 0;     ///< of one object
    std::size_t keys_of_large = 0; ///< of all objects of more than large_json_object keys
    std::size_t longest_blank = 0; ///< bytes of white space in a row
    std::size_t blank_between = 0; ///< bytes of white space between two texts or numbers
    std::size_t longest_word = 0;  ///< of a number or a word
};

inline constexpr std::size_t large_json_object = 64;

/// @param deepest  counting ends where lists and objects are nested deeper
/// Cost: linear.
JsonSize json_size(std::string_view text, std::size_t deepest);

/// What no file of this program comes near. A tree that keeps the order of its keys looks for each
/// key among all of its object, so that large objects take a time that is quadratic in their keys;
/// and a parser with a callback looks, at the end of each object, through the list it stands in.
/// And for its message a parser keeps a word, and all that stands between the last text or number
/// and that word. This is asked instead, before a text is parsed without one.
/// @return "is nested more than 100 deep" and the like; empty where the text may be parsed
/// Cost: linear.
std::string json_excess(std::string_view text, std::size_t deepest);
std::string json_excess(const JsonSize& size, std::size_t deepest);

} // namespace tawara
