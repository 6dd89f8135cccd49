// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string>

namespace tawara {

/// That a launcher of ranks, or taskset, leaves this process fewer of the machine's cores than are
/// wanted: a sentence for people. Empty: it does not, or that is not known.
/// @param wanted  threads that compute
/// @param what    they do, e.g. "computes 4 runs at once"
std::string few_cores(std::size_t wanted, const std::string& what);

} // namespace tawara
