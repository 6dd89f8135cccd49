// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/tet_mesh.hpp"

namespace tawara::mesh {

/// Name of the field that carries face markers of a file (TetGen's .face): on tetrahedra, four
/// components, component k being the marker of the face opposite to corner k, 0 where there is
/// none. On the boundary of hearts 1 base, 2 epicardium, 3 left and 4 right endocardium is
/// understood.
inline constexpr std::string_view face_marker_name = "face_marker";

/// That field of the mesh, or null where there is none or its shape differs.
inline Field* face_markers(TetMesh& m)
{
    for (auto& f : m.fields)
        if (f.name == face_marker_name && f.on == Field::On::tetrahedra && f.components == 4)
            return &f;
    return nullptr;
}
inline const Field* face_markers(const TetMesh& m)
{
    return face_markers(const_cast<TetMesh&>(m));
}

} // namespace tawara::mesh
