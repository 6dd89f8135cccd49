// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/scene/wall_geometry.hpp"

#include <memory>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>
#include <vtkStaticCellLocator.h>

namespace tawara::scene {

/// A wall made ready to be drawn and picked, shared by all views that show it. Immutable.
struct HeartModel
{
    WallGeometry wall;
    vtkSmartPointer<vtkPolyData> poly; ///< triangles in the order of `wall.triangles`
    vtkSmartPointer<vtkStaticCellLocator> locator;
    std::size_t surface_vertices = 0;
};
using HeartModelPtr = std::shared_ptr<const HeartModel>;

/// Null for an empty surface.
/// @thread any; what it returns may be used on another thread
/// @cost   linear; about 0.1 s for 100 thousand triangles
HeartModelPtr heart_model(const mesh::TetMesh& m, const mesh::Surface& s);

} // namespace tawara::scene
