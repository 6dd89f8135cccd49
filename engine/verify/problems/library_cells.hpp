// SPDX-License-Identifier: GPL-3.0-or-later
// The library's cells: each model as it is, and each of its variants.
#pragma once
#include <span>
#include <string>
#include <vector>

namespace tawara::verify {

struct LibraryCell
{
    std::string model, variant;
};

/// Those of the library with whose values none of `known` is: a variant that differs from a known
/// cell in its name alone is known.
std::vector<LibraryCell> cells_beyond(std::span<const LibraryCell> known);

} // namespace tawara::verify
