// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reads CARP .igb files by what the format says, knowing nothing of the writer.
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tawara::test {

struct Igb
{
    std::map<std::string, std::string> header;
    std::int64_t x = 0, t = 0;
    double org_t = 0, inc_t = 0;
    std::vector<std::vector<float>> frames;
};

inline Igb read_igb(const std::string& file)
{
    std::ifstream in(file, std::ios::binary);
    const std::string all((std::istreambuf_iterator<char>(in)), {});
    // the header ends with the first form feed and fills whole kilobytes
    const auto end = all.find('\f');
    if (end == std::string::npos || (end + 1) % 1024 != 0)
        throw std::runtime_error("no header");
    std::string text = all.substr(0, end);
    for (std::size_t at = 0, line = 0; at < text.size(); ++at) {
        if (text[at] == '\n') {
            if (at == 0 || text[at - 1] != '\r')
                throw std::runtime_error("a line without CR LF");
            line = at + 1;
        } else if (at - line > 80) {
            throw std::runtime_error("a line above 80 characters");
        }
    }
    Igb out;
    std::istringstream words(text);
    for (std::string w; words >> w;) {
        const auto colon = w.find(':');
        if (colon == std::string::npos)
            throw std::runtime_error("no key:value: " + w);
        out.header[w.substr(0, colon)] = w.substr(colon + 1);
    }
    const auto number = [&](const char* key) { return std::stod(out.header.at(key)); };
    out.x = std::stoll(out.header.at("x"));
    out.t = std::stoll(out.header.at("t"));
    if (number("y") != 1 || number("z") != 1 || out.header.at("type") != "float" ||
        out.header.at("systeme") != "little_endian" || number("facteur") != 1 ||
        number("zero") != 0)
        throw std::runtime_error("an unexpected layout");
    out.org_t = number("org_t");
    out.inc_t = out.t > 1 ? number("dim_t") / static_cast<double>(out.t - 1) : 0;
    const std::size_t row = sizeof(float) * static_cast<std::size_t>(out.x);
    if (all.size() != end + 1 + row * static_cast<std::size_t>(out.t))
        throw std::runtime_error("the data do not fit the header");
    for (std::size_t k = 0; k < static_cast<std::size_t>(out.t); ++k) {
        std::vector<float> frame(static_cast<std::size_t>(out.x));
        std::memcpy(frame.data(), all.data() + end + 1 + k * row, row);
        out.frames.push_back(std::move(frame));
    }
    return out;
}

} // namespace tawara::test
