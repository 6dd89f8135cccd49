// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tawara::cli {

/// The commit that tawara-cli was built from, twelve digits; with a "+" where tracked files
/// differed from it, empty where there is no git. Looked up by each build; of the program alone, so
/// that nothing else is linked anew.
extern const char* const built_from;

} // namespace tawara::cli
