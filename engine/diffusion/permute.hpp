// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/diffusion/system.hpp"

namespace tawara::diffusion {

/// The same rows in a new order of unknowns; columns ascend within each row.
/// @param old_of, new_of  inverse permutations: old_of[new], new_of[old]
Rows permuted(const Rows& rows, std::span<const std::int32_t> old_of,
              std::span<const std::int32_t> new_of);

/// The same System in a new order of unknowns, e.g. that of partition::cluster_order().
System permuted(const System& s, std::span<const std::int32_t> old_of,
                std::span<const std::int32_t> new_of);

} // namespace tawara::diffusion
