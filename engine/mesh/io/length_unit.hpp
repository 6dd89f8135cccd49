// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/io/raw.hpp"

namespace tawara::mesh::io {

/// The words in which our own files name their unit, in a comment or a note: "length unit: mm".
inline constexpr std::string_view unit_note = "length unit: ";

/// The unit named after unit_note within `text`, if any.
std::optional<LengthUnit> noted_unit(std::string_view text);

/// The length unit of a file: the given one, else the one that the file states, else the format's
/// convention where the size of a heart allows it, else inferred from the bounding box's diagonal
/// (and the mean edge where that is ambiguous). Adds a notice that says which, how, and how large
/// the mesh is.
LengthUnit choose_unit(Raw& raw, std::optional<LengthUnit> given);

} // namespace tawara::mesh::io
