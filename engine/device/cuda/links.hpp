// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/cuda/shards.hpp"
#include "engine/partition/placement.hpp"

namespace tawara::device::cuda {

/// Lets each device write to the others' memory; once a pair in the life of the program.
/// @throws InputError where the machine does not let them
void enable_peers(const std::vector<int>& devices);

/// Time that a value takes from devices[a] to devices[b] over that of the fastest link, measured by
/// peer copies and rounded to powers of the square root of two, so that links of one kind count as
/// alike; 1 everywhere for fewer than three devices and for links within a device.
/// @pre   peer access is enabled between all of them
/// @cost  0.1 ms and 32 MiB for each pair, once for a set of devices in the life of the program
partition::Table link_costs(const std::vector<int>& devices);

/// Values that shard a sends to shard b at each exchange.
partition::Table traffic(const Sharding& sharding);

/// The device of each shard: neighbours where links are fast; `devices` as they are where all links
/// are alike. @pre as for link_costs()
std::vector<int> placed_on(const std::vector<int>& devices, const Sharding& sharding);

} // namespace tawara::device::cuda
