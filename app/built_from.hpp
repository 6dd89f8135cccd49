// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tawara {

/// The commit that tawara was built from, twelve digits; with a "+" where tracked files differed
/// from it, empty where there is no git. Looked up by each build.
extern const char* const built_from;

} // namespace tawara
