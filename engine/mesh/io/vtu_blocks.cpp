// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/io/vtu_blocks.hpp"

#include "engine/core/error.hpp"
#include "engine/mesh/io/raw.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace tawara::mesh::io {
namespace {

/// The value of an attribute within a tag, empty where it is not there.
std::string_view attribute(std::string_view tag, std::string_view name)
{
    for (auto at = tag.find(name); at != tag.npos; at = tag.find(name, at + 1)) {
        const auto quote = at + name.size() + 1;
        if (at == 0 || tag[at - 1] > ' ' || quote >= tag.size() || tag[quote - 1] != '=')
            continue;
        const auto end = tag.find(tag[quote], quote + 1);
        return end == tag.npos ? std::string_view{} : tag.substr(quote + 1, end - quote - 1);
    }
    return {};
}

/// Up to `bytes` bytes of base64 text from its begin.
std::string decoded(std::string_view text, std::size_t bytes)
{
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    unsigned held = 0;
    int bits = 0;
    for (const char c : text) {
        const auto d = digits.find(c);
        if (out.size() >= bytes || c == '=' || c == '<')
            break;
        if (d == digits.npos)
            continue;
        held = (held << 6 | static_cast<unsigned>(d)) & 0xFFFFFF;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out += static_cast<char>(held >> bits & 0xFF);
        }
    }
    return out;
}

struct Layout
{
    bool wide, swap, compressed;

    std::uint64_t number(std::string_view data, std::size_t i) const
    {
        const char* const p = data.data() + i * (wide ? 8 : 4);
        return wide ? stored<std::uint64_t>(p, swap) : stored<std::uint32_t>(p, swap);
    }
};

/// False when the header at the begin of `data` announces more than `left` bytes can hold.
bool plausible(const Layout& l, std::string_view data, std::uint64_t left)
{
    const std::size_t numbers = l.compressed ? 3 : 1;
    if (data.size() < numbers * (l.wide ? 8 : 4))
        return false;
    const auto first = l.number(data, 0);
    if (!l.compressed)
        return first <= left;
    const auto block = l.number(data, 1), last = l.number(data, 2);
    constexpr std::uint64_t most_shrinking = 10000;
    const std::uint64_t limit = most_shrinking * left + (1 << 20);
    return first <= left / 4 && block <= limit && last <= block + (block == 0 ? limit : 0) &&
           (first == 0 || block <= limit / first);
}

} // namespace

void check_vtu_blocks(const std::string& text, const std::string& file)
{
    const auto tag_at = [&](std::size_t at) {
        return std::string_view(text).substr(at, std::min(text.find('>', at), text.size()) - at);
    };
    const auto root = tag_at(text.find("<VTKFile"));
    const Layout layout{attribute(root, "header_type") == "UInt64",
                        (attribute(root, "byte_order") == "BigEndian") ==
                            (std::endian::native == std::endian::little),
                        !attribute(root, "compressor").empty()};
    const auto appended = text.find("<AppendedData");
    const bool has_appended = appended != text.npos;
    std::size_t base = text.size();
    bool base64 = false;
    if (has_appended) {
        const auto tag = tag_at(appended);
        base64 = attribute(tag, "encoding") == "base64";
        base = std::min(text.find('_', appended + tag.size()), text.size() - 1) + 1;
    }
    constexpr std::size_t header = 24;
    for (auto at = text.find("<DataArray"); at < std::min(appended, text.size());
         at = text.find("<DataArray", at + 1)) {
        const auto tag = tag_at(at);
        const auto format = attribute(tag, "format");
        std::size_t from = text.size();
        bool coded = true;
        if (format == "appended") {
            const auto offset = attribute(tag, "offset");
            std::uint64_t n = 0;
            std::from_chars(offset.data(), offset.data() + offset.size(), n);
            from = n < text.size() - base ? base + static_cast<std::size_t>(n) : text.size();
            coded = base64;
        } else if (format == "binary") {
            from = std::min(at + tag.size() + 1, text.size());
        } else {
            continue;
        }
        const std::string_view rest = std::string_view(text).substr(from);
        const std::string head =
            coded ? decoded(rest.substr(0, 400), header) : std::string(rest.substr(0, header));
        if (!plausible(layout, head, rest.size()))
            throw MeshError(
                file, 1 + std::count(text.begin(), text.begin() + std::ptrdiff_t(at), '\n'),
                "the data of array " + std::string(attribute(tag, "Name").substr(0, 40)) +
                    " do not fit into the file; it is damaged or truncated");
    }
}

} // namespace tawara::mesh::io
