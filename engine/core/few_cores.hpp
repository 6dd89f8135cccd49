// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string>

namespace tawara {

/// The cores that this process may use, and why they may be few.
struct CoresToUse
{
    long may = 0, there = 0; ///< of the machine; 0: not known
    bool by_mpirun = false;  ///< which binds its ranks
};
CoresToUse cores_to_use();

/// That a launcher of ranks, taskset or a container leaves this process fewer of the machine's
/// cores than are wanted: a sentence for people. Empty: it does not, or that is not known.
/// @param wanted  threads that compute
/// @param what    they do, e.g. "computes 4 runs at once"
std::string few_cores(std::size_t wanted, const std::string& what,
                      const CoresToUse& cores = cores_to_use());

} // namespace tawara
