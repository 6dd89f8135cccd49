// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/generator/shape.hpp"

namespace tawara::mesh::generator {

/// Delaunay refinement of the domain (CGAL Mesh_3), then perturbation and exudation of slivers.
///
/// Vertices and corners only, region 1. Vertices on the base lie on it exactly. Deterministic.
/// @param edge_mm  the mean edge length of the result, approximately
/// @throws Cancelled; InputError when the edge is too long for the shape
TetMesh tetrahedralise(const Shape& shape, double edge_mm, const Progress& progress);

/// Volume of a mean tetrahedron of tetrahedralise() in units of edge_mm cubed, as measured. Walls
/// that are few edges thick get smaller tetrahedra.
/// @param edges  edge length over the thinnest wall
double mean_volume_per_edge_cubed(double edges);

} // namespace tawara::mesh::generator
