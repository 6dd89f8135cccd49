// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/io/memory_bound.hpp"

#include "engine/mesh/mesh_error.hpp"

#include <algorithm>

namespace tawara::mesh::io {

void MemoryBound::take(std::uint64_t bytes)
{
    constexpr std::uint64_t always = std::uint64_t{64} << 20, times = 100;
    const std::uint64_t most = std::max(always, times * file_bytes_);
    if (bytes > most - taken_)
        throw MeshError(file_, "its arrays would take more than " + std::to_string(most >> 20) +
                                   " MB, and the file has " +
                                   std::to_string((file_bytes_ + 1023) >> 10) +
                                   " kB; a count in it is wrong, or it has arrays that are not "
                                   "needed: leave them out");
    taken_ += bytes;
}

void MemoryBound::take_array()
{
    constexpr std::uint64_t most = 10000;
    if (++arrays_ > most)
        throw MeshError(file_, "has more than " + std::to_string(most) +
                                   " arrays; leave out those that are not needed");
}

} // namespace tawara::mesh::io
