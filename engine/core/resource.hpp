// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <filesystem>

namespace tawara {

/// The path of a file that ships with the program, e.g. "models/stewart_2009.mmt". Looked for in
/// $TAWARA_DATA, beside the program (../share/tawara, ..), then in the source tree it was built
/// from.
/// @throws InputError naming the folders that were searched
std::filesystem::path resource(const std::filesystem::path& relative);

} // namespace tawara
