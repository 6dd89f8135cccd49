// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

namespace tawara::mesh::generator {

/// What tells the hearts of this build from those of others: generate_heart() of equal parameters
/// gives equal meshes where this is equal (a sum over the sources of engine/mesh, CGAL's version,
/// the compiler). Made by .cmake/identity.cmake when the program is built.
std::string_view identity();

} // namespace tawara::mesh::generator
