// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tawara::bench {

/// The commit that this program was built from, twelve digits; with a "+" where tracked files
/// differed from it, empty where there is no git. Looked up by each build, not when CMake ran.
extern const char* const built_from;

} // namespace tawara::bench
