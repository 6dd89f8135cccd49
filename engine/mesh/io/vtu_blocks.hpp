// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace tawara::mesh::io {

/// Looks at the headers of a VTU file's binary arrays (appended or inline, raw or base64,
/// compressed or not) and refuses sizes that the file cannot hold, for which VTK would fetch memory
/// by the gigabyte. Compares the length of every array (text, too) with the points and cells that
/// its piece announces, and refuses words that are no numbers.
/// @throws MeshError
void check_vtu_blocks(const std::string& text, const std::string& file);

} // namespace tawara::mesh::io
