// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/io/base64.hpp"

#include <array>
#include <cstdint>

namespace tawara::mesh::io {
namespace {

constexpr std::int8_t blank = -1, padding = -2, other = -3;

constexpr std::array<std::int8_t, 256> letters = [] {
    std::array<std::int8_t, 256> t{};
    for (auto& v : t)
        v = other;
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t i = 0; i < digits.size(); ++i)
        t[static_cast<unsigned char>(digits[i])] = static_cast<std::int8_t>(i);
    for (const char c : {' ', '\t', '\r', '\n'})
        t[static_cast<unsigned char>(c)] = blank;
    t[static_cast<unsigned char>('=')] = padding;
    return t;
}();

} // namespace

/// Four letters to up to three bytes.
bool Base64::next()
{
    std::uint32_t bits = 0;
    int met = 0, padded = 0;
    while (met < 4) {
        if (at_ == text_.size())
            return false;
        const auto v = letters[static_cast<unsigned char>(text_[at_])];
        if (v == other || (v >= 0 && padded > 0) || (v == padding && met < 2))
            return false;
        ++at_;
        if (v == blank)
            continue;
        padded += v == padding;
        bits = bits << 6 | static_cast<std::uint32_t>(v == padding ? 0 : v);
        ++met;
    }
    have_ = 3 - padded;
    given_ = 0;
    for (int i = 0; i < 3; ++i)
        ready_[i] = static_cast<unsigned char>(bits >> (16 - 8 * i) & 0xFF);
    return true;
}

void Base64::read(std::string& to, std::size_t bytes)
{
    for (; bytes > 0; --bytes) {
        if (given_ == have_ && (!next() || have_ == 0))
            return;
        to += static_cast<char>(ready_[given_++]);
    }
}

} // namespace tawara::mesh::io
