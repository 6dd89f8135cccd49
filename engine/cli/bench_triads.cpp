// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cli/bench_triads.hpp"

#include "engine/core/error.hpp"
#include "engine/device/stepper.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace tawara::cli {

int gpu_of(const DeviceArguments& device)
{
    const device::Devices wanted(device.devices);
    if (wanted.kind == device::Devices::Kind::cpu)
        return -1;
    if (!wanted.numbers.empty())
        return wanted.numbers.front();
    for (const auto& d : device::devices())
        if (d.usable && d.cuda >= 0)
            return d.cuda;
    if (wanted.kind == device::Devices::Kind::cuda)
        throw InputError("--devices", "is cuda, and there is no CUDA device that can be used");
    return -1;
}

Triads::Triads(const Context& c, const DeviceArguments& device, unsigned threads)
    : gpu_number(gpu_of(device))
{
    const bool gpu_alone = device::Devices(device.devices).kind == device::Devices::Kind::cuda;
    for (const unsigned n : {1U, threads})
        if (!gpu_alone && (cpu.empty() || n > 1))
            cpu.emplace_back(n, device::measure_ceilings("cpu", n).triad_GB_per_s);
    for (const auto& [n, triad] : cpu)
        json.push_back({{"device", "cpu"}, {"threads", n}, {"triad_GB_per_s", triad}});
    if (gpu_number >= 0) {
        gpu = device::measure_ceilings(device::Devices::cuda({gpu_number}), threads).triad_GB_per_s;
        json.push_back({{"device", "cuda:" + std::to_string(gpu_number)}, {"triad_GB_per_s", gpu}});
    }
    char line[120];
    for (const auto& t : json) {
        std::snprintf(line, sizeof line, "triad %.2f GB/s: %s, %u threads",
                      t["triad_GB_per_s"].get<double>(), t["device"].get<std::string>().c_str(),
                      t.value("threads", 0U));
        c.say(line);
    }
}

double least_seconds(const std::function<void()>& work, const std::function<void()>& prepare)
{
    using Clock = std::chrono::steady_clock;
    double least = 1e30, all = 0;
    for (int k = 0; k < 5 || (all < 0.3 && k < 2000); ++k) {
        if (prepare)
            prepare();
        const auto start = Clock::now();
        work();
        const double s = std::chrono::duration<double>(Clock::now() - start).count();
        least = std::min(least, s);
        all += s;
    }
    return least;
}

} // namespace tawara::cli
