// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/context.hpp"

#include <algorithm>
#include <thread>

namespace tawara {

Context Context::whole_machine()
{
    return {std::max(1U, std::thread::hardware_concurrency())};
}

} // namespace tawara
