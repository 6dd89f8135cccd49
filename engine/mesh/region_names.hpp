// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/tet_mesh.hpp"

#include <string>
#include <vector>

namespace tawara::mesh {

/// A label of a mesh in words.
struct RegionName
{
    std::int32_t label = 0;
    std::int64_t tetrahedra = 0;
    double volume_mm3 = 0, share = 0; ///< share: of the mesh's volume
    /// What the mesh's file calls the label; else what it coincides with by the mesh's own fields
    /// "ventricle", "layer" and "aha_segment" (95 % of its volume), e.g. "left ventricle,
    /// mid-wall"; empty where by none. Of two endocardial labels in the septum, "left septum" is
    /// the one that goes over into the left ventricle's.
    std::string name;
};

/// All labels of a mesh, ascending.
/// @cost linear in the tetrahedra
std::vector<RegionName> region_names(const TetMesh& m);

/// Several labels: "endocardial: left ventricle, septum (labels 1, 7, 9)" where their names end
/// alike, else one after the other. Labels that the mesh does not have are said by number.
std::string text_of(const std::vector<RegionName>& names, const std::vector<std::int32_t>& labels);

/// For a narrow column: "endocardial (labels 1, 4, 7, 9)", "septum, mid-wall (label 8)", without
/// names "labels 1, 2 (34 %)"; numbers alone where `names` is empty.
std::string short_text(const std::vector<RegionName>& names,
                       const std::vector<std::int32_t>& labels);

/// "left ventricle, mid-wall (label 2)", else "label 2 (12 % of the volume)".
std::string text_of(const RegionName& r);

} // namespace tawara::mesh
