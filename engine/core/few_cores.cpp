// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/few_cores.hpp"

#include <cstdlib>
#include <sched.h>
#include <unistd.h>

namespace tawara {

std::string few_cores(std::size_t wanted, const std::string& what)
{
    cpu_set_t may;
    if (sched_getaffinity(0, sizeof may, &may) != 0)
        return {};
    const long there = sysconf(_SC_NPROCESSORS_ONLN);
    const auto cores = CPU_COUNT(&may);
    if (cores >= there || static_cast<std::size_t>(cores) >= wanted)
        return {};
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody sets it
    const bool by_mpirun = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE") != nullptr;
    return "this process may use " + std::to_string(cores) + " of the machine's " +
           std::to_string(there) + " cores, and " + what +
           (by_mpirun ? "; mpirun --bind-to none lets it use all" : "");
}

} // namespace tawara
