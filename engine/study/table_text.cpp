// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/table_text.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace tawara::study {

std::string field(const std::string& text)
{
    if (text.find_first_of(",\"\n\r") == std::string::npos)
        return text;
    std::string out = "\"";
    for (const char c : text)
        out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
}

std::string exact(double x)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", x);
    double back = 0;
    for (int digits = 6; digits < 17; ++digits) { // the shortest that is read as the same
        char tried[40];
        std::snprintf(tried, sizeof tried, "%.*g", digits, x);
        if (std::sscanf(tried, "%lf", &back) == 1 && back == x)
            return tried;
    }
    return text;
}

std::string rounded(double x)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.5g", x);
    return text;
}

std::string plain(const std::string& json)
{
    const auto value = nlohmann::json::parse(json, nullptr, false);
    return value.is_string() ? value.get<std::string>() : json;
}

} // namespace tawara::study
