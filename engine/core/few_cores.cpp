// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/few_cores.hpp"

#include <cstdlib>
#include <sched.h>
#include <unistd.h>

namespace tawara {

CoresToUse cores_to_use()
{
    cpu_set_t may;
    if (sched_getaffinity(0, sizeof may, &may) != 0)
        return {};
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody sets it
    const bool by_mpirun = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE") != nullptr;
    return {CPU_COUNT(&may), sysconf(_SC_NPROCESSORS_ONLN), by_mpirun};
}

std::string few_cores(std::size_t wanted, const std::string& what, const CoresToUse& cores)
{
    if (cores.may <= 0 || cores.may >= cores.there || static_cast<std::size_t>(cores.may) >= wanted)
        return {};
    return "this process may use " + std::to_string(cores.may) + " of the machine's " +
           std::to_string(cores.there) + " cores, and " + what +
           (cores.by_mpirun ? "; mpirun --bind-to none lets it use all" : "");
}

} // namespace tawara
