// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/json_size.hpp"

#include <algorithm>
#include <vector>

namespace tawara {
namespace {

/// The place behind the text that begins at a quote.
std::size_t behind_quotes(std::string_view text, std::size_t at)
{
    for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\')
            ++at;
    return at + 1;
}

/// The place behind the comment that begins at a slash, if one does.
std::size_t behind_comment(std::string_view text, std::size_t at)
{
    const char kind = at + 1 < text.size() ? text[at + 1] : '\0';
    if (kind == '/')
        return std::min(text.find_first_of("\r\n", at), text.size());
    if (kind == '*') {
        const auto end = text.find("*/", at + 2);
        return end == text.npos ? text.size() : end + 2;
    }
    return at + 1;
}

constexpr std::string_view blanks = " \t\r\n", ends_of_word = " \t\r\n{}[]:,\"/";

} // namespace

JsonSize json_size(std::string_view text, std::size_t deepest)
{
    JsonSize size;
    std::vector<std::size_t> open; // keys of each list or object that is open
    std::size_t blank = 0;         // bytes of white space since a text or a number
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '"') {
            blank = 0;
            at = behind_quotes(text, at);
            continue;
        }
        if (c == '/') {
            at = behind_comment(text, at);
            continue;
        }
        if (const auto end = text.find_first_not_of(blanks, at); end != at) {
            const auto behind = std::min(end, text.size());
            size.longest_blank = std::max(size.longest_blank, behind - at);
            size.blank_between = std::max(size.blank_between, blank += behind - at);
            at = behind;
            continue;
        }
        if (std::string_view("{}[]:,").find(c) == std::string_view::npos) {
            const auto behind = std::min(text.find_first_of(ends_of_word, at + 1), text.size());
            size.longest_word = std::max(size.longest_word, behind - at);
            if (c == '-' || (c >= '0' && c <= '9'))
                blank = 0;
            at = behind;
            continue;
        }
        ++at;
        if (c == '{' || c == '[') {
            open.push_back(0);
            ++size.values;
            size.depth = std::max(size.depth, open.size());
            if (size.depth > deepest)
                return size;
        } else if ((c == '}' || c == ']') && !open.empty()) {
            if (open.back() > large_json_object)
                size.keys_of_large += open.back();
            open.pop_back();
        } else if (c == ':' && !open.empty()) {
            ++size.values;
            ++size.keys;
            size.most_keys = std::max(size.most_keys, ++open.back());
        } else if (c == ',')
            ++size.values;
    }
    return size;
}

std::string json_excess(const JsonSize& size, std::size_t deepest)
{
    constexpr std::size_t most_values = 4'000'000, most_keys = 2'000, most_of_large = 20'000,
                          most_blank = 1U << 16, most_blank_between = 1U << 20, most_word = 1'000;
    if (size.depth > deepest)
        return "is nested more than " + std::to_string(deepest) + " deep";
    if (size.values > most_values)
        return "has more than " + std::to_string(most_values) + " values";
    if (size.most_keys > most_keys)
        return "has an object of more than " + std::to_string(most_keys) + " keys";
    if (size.longest_blank > most_blank)
        return "has more than " + std::to_string(most_blank) + " bytes of white space in a row";
    if (size.blank_between > most_blank_between)
        return "has more than " + std::to_string(most_blank_between) +
               " bytes of white space without a text or a number in between";
    if (size.longest_word > most_word)
        return "has a number or a word of more than " + std::to_string(most_word) + " characters";
    if (size.keys_of_large > most_of_large)
        return "has more than " + std::to_string(most_of_large) + " keys in objects of more than " +
               std::to_string(large_json_object);
    return {};
}

std::string json_excess(std::string_view text, std::size_t deepest)
{
    return json_excess(json_size(text, deepest), deepest);
}

} // namespace tawara
