// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/observe/network_frame.hpp"
#include "engine/simulation/session/purkinje_keys.hpp"

#include <memory>

namespace tawara::fake {

/// A tree inside the bowl: the bundle of His (branch 0), the left bundle (1) and the right one (2),
/// each with one junction at its end, of the resistance that the keys say.
/// @throws InputError as cable::pieces_cut()
std::shared_ptr<const simulation::NetworkShape> network(const simulation::PurkinjeKeys& keys);

/// 20 mV from when the pulse has come to a point, 2 mm/ms after 0; -80 mV before, and beyond a cut.
/// Walls follow their junctions by 3 ms, and the right one's does not at all (blocked).
std::shared_ptr<const simulation::NetworkFrame> network_frame(const simulation::NetworkShape& shape,
                                                              double time_ms);

} // namespace tawara::fake
