// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/parallel/files.hpp"

namespace tawara::mesh::parallel {

/// The index as JSON, as read_index() reads it back.
std::string text_of(const Index& index);

} // namespace tawara::mesh::parallel
