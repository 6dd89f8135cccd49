// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/utf8.hpp"

#include <algorithm>

namespace tawara {

std::size_t utf8_length(std::string_view text, std::size_t at)
{
    const auto byte = [&](std::size_t i) -> unsigned {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    };
    const unsigned first = byte(0);
    if (first < 0x80)
        return 1;
    const std::size_t n = first >= 0xC2 && first <= 0xDF   ? 2
                          : first >= 0xE0 && first <= 0xEF ? 3
                          : first >= 0xF0 && first <= 0xF4 ? 4
                                                           : 0;
    for (std::size_t i = 1; i < n; ++i)
        if ((byte(i) & 0xC0) != 0x80)
            return 0;
    const unsigned second = byte(1);
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool beyond = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
    return overlong || beyond ? 0 : n;
}

bool is_utf8(std::string_view text)
{
    for (std::size_t at = 0, n = 0; at < text.size(); at += n)
        if (n = utf8_length(text, at); n == 0)
            return false;
    return true;
}

std::string readable(std::string_view text)
{
    const bool utf8 = is_utf8(text);
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7F) {
            out += ' ';
        } else if (byte < 0x80 || utf8) {
            out += c;
        } else {
            out += static_cast<char>(0xC0 | (byte >> 6));
            out += static_cast<char>(0x80 | (byte & 0x3F));
        }
    }
    return out;
}

std::string shortened(std::string_view text, std::size_t most)
{
    if (text.size() <= most)
        return std::string(text);
    std::size_t end = 0;
    while (end < text.size()) {
        const auto next = end + std::max<std::size_t>(utf8_length(text, end), 1);
        if (next > most)
            break;
        end = next;
    }
    return std::string(text.substr(0, end)) + "...";
}

std::string_view ending(std::string_view text, std::size_t most)
{
    auto from = text.size() - std::min(text.size(), most);
    while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80)
        ++from;
    return text.substr(from);
}

} // namespace tawara
