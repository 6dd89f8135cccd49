// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/session/csv.hpp"

#include "engine/simulation/session/size_text.hpp"

#include <charconv>
#include <cmath>

namespace tawara::simulation {

void append_number(std::string& line, double x, int digits)
{
    if (!std::isfinite(x))
        return;
    char text[32];
    const auto r = std::to_chars(text, text + sizeof text, x, std::chars_format::general, digits);
    line.append(text, r.ptr);
}

std::string number_text(double x, int digits)
{
    constexpr double longest = 1e9;
    while (std::fabs(x) < longest && std::fabs(x) >= std::pow(10, digits) - 0.5)
        ++digits; // never with an exponent
    std::string out;
    append_number(out, x, digits);
    return out;
}

std::string csv_field(const std::string& text)
{
    if (text.find_first_of(",\"\n\r") == std::string::npos)
        return text;
    std::string out = "\"";
    for (char c : text) {
        if (c == '"')
            out += '"';
        out += c;
    }
    return out + "\"";
}

std::string size_text(double bytes)
{
    constexpr double kB = 1e3, MB = 1e6, GB = 1e9;
    return bytes < MB   ? number_text(bytes / kB, 3) + " kB"
           : bytes < GB ? number_text(bytes / MB, 3) + " MB"
                        : number_text(bytes / GB, 3) + " GB";
}

} // namespace tawara::simulation
