// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/png_text.hpp"

#include "engine/core/error.hpp"
#include "engine/core/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <zlib.h>

namespace tawara::simulation {
namespace {

/// What zlib has packed.
std::string inflated(std::string_view packed, std::size_t most, const std::string& file)
{
    std::string out(std::min<std::size_t>(most, 1U << 16), '\0');
    z_stream z{};
    if (inflateInit(&z) != Z_OK)
        throw std::bad_alloc();
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    z.avail_in = static_cast<uInt>(packed.size());
    std::size_t size = 0;
    int state = Z_OK;
    while (state == Z_OK && size < most) {
        out.resize(std::min(most, std::max(out.size(), 2 * size)));
        z.next_out = reinterpret_cast<Bytef*>(out.data() + size);
        z.avail_out = static_cast<uInt>(out.size() - size);
        state = inflate(&z, Z_NO_FLUSH);
        size = out.size() - z.avail_out;
    }
    inflateEnd(&z);
    if (state != Z_STREAM_END)
        throw InputError(file, size == most
                                   ? "has a text of more than " + std::to_string(most >> 20) +
                                         " MB; what this program writes is smaller"
                                   : "has a damaged compressed text");
    out.resize(size);
    return out;
}

/// Behind the keyword of an iTXt chunk: two bytes of compression, language, translated keyword.
std::string_view behind_languages(std::string_view rest)
{
    rest.remove_prefix(2);
    for (int k = 0; k < 2; ++k) {
        const auto end = rest.find('\0');
        if (end == rest.npos)
            return {};
        rest.remove_prefix(end + 1);
    }
    return rest;
}

/// A chunk's text where it has that name, else nothing.
std::string text_of(std::string_view kind, std::string_view data, std::string_view name,
                    std::size_t most, const std::string& file)
{
    if (!data.starts_with(name) || data.size() < name.size() + 3 || data[name.size()] != '\0')
        return {};
    const auto rest = data.substr(name.size() + 1);
    if (kind == "tEXt")
        return readable(rest);
    if (kind == "zTXt")
        return readable(inflated(rest.substr(1), most, file));
    const bool packed = rest[0] != '\0';
    const auto text = behind_languages(rest);
    return packed ? inflated(text, most, file) : std::string(text);
}

} // namespace

std::string png_text(const std::filesystem::path& file, std::string_view name, std::size_t most)
{
    constexpr std::string_view signature("\x89PNG\r\n\x1a\n", 8);
    std::ifstream in(file, std::ios::binary);
    std::array<char, 8> head{};
    if (!in.read(head.data(), head.size()) ||
        std::string_view(head.data(), head.size()) != signature)
        return {};
    while (in.read(head.data(), head.size())) { // each: length, kind, data, checksum
        std::uint32_t length = 0;
        for (std::size_t k = 0; k < 4; ++k)
            length = length << 8 | static_cast<unsigned char>(head[k]);
        const std::string_view kind(head.data() + 4, 4);
        if (kind == "IEND")
            return {};
        if (kind != "tEXt" && kind != "zTXt" && kind != "iTXt") {
            in.seekg(std::streamoff{length} + 4, std::ios::cur);
            continue;
        }
        if (length > most)
            throw InputError(file.string(), "has a text of more than " +
                                                std::to_string(most >> 20) +
                                                " MB; what this program writes is smaller");
        std::string data(length, '\0');
        if (!in.read(data.data(), length))
            return {};
        if (auto text = text_of(kind, data, name, most, file.string()); !text.empty())
            return text;
        in.seekg(4, std::ios::cur);
    }
    return {};
}

} // namespace tawara::simulation
