// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/machine.hpp"

#include <ctime>
#include <fstream>

namespace tawara {

std::string processor_name()
{
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("model name"))
            if (const auto at = line.find(": "); at != std::string::npos)
                return line.substr(at + 2);
    return {};
}

std::string instruction_set_name(std::string_view of_highway)
{
    return std::string(of_highway.starts_with("AVX3") ? "AVX-512" : of_highway);
}

std::string utc_now()
{
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    return text;
}

} // namespace tawara
