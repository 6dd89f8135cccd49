// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/tet_mesh.hpp"

#include <optional>
#include <span>

namespace tawara {
struct InputError;
}

namespace tawara::mesh::generator {

enum class HeartShape { lv, biventricular };
/// "lv" or "biventricular", as files and panels write it.
std::string_view name(HeartShape s);
std::optional<HeartShape> heart_shape(std::string_view text);

/// An idealised heart. Plain values; ranges and meanings are in parameter_table().
///
/// Frame [mm]: the long axis of the left ventricle is z, the base is a plane z = const at the top,
/// the apex points down; the right ventricle lies towards -x, anterior is -y (so x points to the
/// left of the body, y to the back, z up). The left ventricle lies between two ellipsoids of
/// revolution about z centred in the origin, the cavity of the right one in a third ellipsoid
/// centred on the -x axis.
struct HeartParameters
{
    HeartShape shape = HeartShape::biventricular;
    double edge_mm = 2.6;

    double lv_short_axis_mm = 22;
    double lv_long_axis_mm = 62;
    double lv_wall_mm = 9.5;
    double apex_wall_mm = 8;
    double base_plane_mm = 22;

    double septum_mm = 9;
    double rv_wall_mm = 4;
    double rv_offset_mm = 22;
    double rv_reach_mm = 57;
    double rv_span_mm = 30;
    double rv_long_axis_mm = 58;
    double rv_lean = 0.22;
    double blend_mm = 9;

    double helix_endo_deg = 60;
    double helix_epi_deg = -60;
    double sheet_endo_deg = -65;
    double sheet_epi_deg = 25;

    double endo_fraction = 0.33;
    double epi_fraction = 0.33;

    bool operator==(const HeartParameters&) const = default;
};

/// One number of HeartParameters, for files and panels to iterate over.
struct HeartParameter
{
    std::string_view name; ///< as in HeartParameters, e.g. "lv_wall_mm"
    std::string_view unit; ///< "mm", "deg" or "1"
    double fallback;       ///< default
    double min, max;       ///< allowed, both inclusive
    std::string_view description;
    double HeartParameters::*value;
    bool biventricular_only = false;
};
/// Every number of HeartParameters, in their order (shape is the one member that is no number).
std::span<const HeartParameter> parameter_table();

/// What errors of parameters name where others name a file (InputError::file): they lie in none.
inline constexpr const char* no_heart_file = "heart";
/// Whether an error is of parameters that lie in no file.
bool of_parameters(const InputError& e);
/// @throws InputError naming the parameter, its value and what is allowed; also where single values
///         are fine but the shape they give together is not
void validate(const HeartParameters& p, const std::string& file = no_heart_file);

/// What region[] holds: 3 * (ventricle - 1) + 1 + (0 endo, 1 mid, 2 epi).
///
/// | label | where | label | where | label | where |
/// | --- | --- | --- | --- | --- | --- |
/// | 1 | LV endocardial layer | 4 | RV endocardial layer | 7 | septum, left endocardial layer |
/// | 2 | LV mid-myocardium | 5 | RV mid-myocardium | 8 | septum, mid-myocardium |
/// | 3 | LV epicardial layer | 6 | RV epicardial layer | 9 | septum, right endocardial layer |
enum RegionLabel : std::int32_t {
    lv_endo = 1,
    lv_mid,
    lv_epi,
    rv_endo,
    rv_mid,
    rv_epi,
    septum_left,
    septum_mid,
    septum_right
};
std::string_view name(RegionLabel label);

/// Generates the tetrahedral heart: mesh (CGAL Mesh_3, the rims of the base kept sharp and flat),
/// coordinates, layers, segments, rule-based fibres (fibres.hpp).
///
/// Fields:
/// - "transmural", vertices: 0 on the endocardia, 1 on the epicardium; in the septum, both faces of
///   which are endocardial, it rises to 0.5 in the middle (phi_epi + min(phi_lv, phi_rv),
///   fibres.hpp);
/// - "apex_base", vertices: 0 at the apex, 1 on the base;
/// - "layer", tetrahedra: 0 endo, 1 mid, 2 epi, by the fractions (the septum is endo, mid, endo);
/// - "ventricle", tetrahedra: 1 left, 2 right, 3 septum;
/// - "aha_segment", tetrahedra: 1 to 17 in the left ventricle with the septum, 0 in the right wall.
///
/// The same parameters give the same mesh, bit for bit, on one machine and build. It satisfies the
/// invariants of TetMesh.
/// @throws InputError, Cancelled
/// @cost   about 12 s for 83 thousand tetrahedra, 150 s for 1.3 million; one thread. Most of it is
/// spent on
///         removing slivers; for finer meshes refine() a coarser one.
TetMesh generate_heart(const HeartParameters& p, const Progress& progress = {});

/// The edge length that gives about `tetrahedra` of them (within 1 % for fine meshes, a few
/// otherwise): from the volume of the domain and the measured volume of a mean tetrahedron per edge
/// length cubed.
double edge_mm_for(const HeartParameters& p, std::int64_t tetrahedra);

/// The volume that the parameters describe [mm3], by numerical integration of the exact shape.
/// @param spacing_mm  of the integration grid; the error is about 0.1 % at 0.5 mm
double domain_volume_mm3(const HeartParameters& p, double spacing_mm = 0.5);

} // namespace tawara::mesh::generator
