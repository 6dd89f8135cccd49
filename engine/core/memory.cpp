// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/memory.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace tawara {
namespace {

/// The number that a file of the kernel begins with; -1: there is none ("max").
double first_number(const char* file)
{
    std::ifstream in(file);
    double x = -1;
    return in >> x ? x : -1;
}

/// What the control group holds of files that nobody has used of late [bytes]: the kernel gives it
/// back where memory is asked for.
double unused_files()
{
    std::ifstream in("/sys/fs/cgroup/memory.stat");
    std::string key;
    for (double x = 0; in >> key >> x;)
        if (key == "inactive_file")
            return x;
    return 0;
}

} // namespace

double available_memory_bytes()
{
    double available = 0;
    std::ifstream in("/proc/meminfo");
    constexpr double bytes_of_kB = 1024;
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("MemAvailable:"))
            available = bytes_of_kB * std::stod(line.substr(line.find(':') + 1));
    const double most = first_number("/sys/fs/cgroup/memory.max"),
                 used = first_number("/sys/fs/cgroup/memory.current");
    if (most > 0 && used >= 0 && available > 0)
        available = std::min(available, std::max(most - used + unused_files(), 0.0));
    return available;
}

} // namespace tawara
