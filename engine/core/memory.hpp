// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tawara {

/// Memory that this machine can give now without swapping [bytes]: what Linux calls available, at
/// most the limit of the program's control group; 0 where nothing is known.
/// @thread any
double available_memory_bytes();

} // namespace tawara
