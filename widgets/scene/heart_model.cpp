// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/heart_model.hpp"

#include <algorithm>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>

namespace tawara::scene {
namespace {

vtkSmartPointer<vtkPolyData> poly_data(const WallGeometry& g)
{
    const auto n = static_cast<vtkIdType>(g.source.size());
    vtkNew<vtkFloatArray> xyz, normals;
    xyz->SetNumberOfComponents(3);
    xyz->SetNumberOfTuples(n);
    std::copy(g.points.begin(), g.points.end(), xyz->GetPointer(0));
    normals->SetName("Normals");
    normals->SetNumberOfComponents(3);
    normals->SetNumberOfTuples(n);
    std::copy(g.normals.begin(), g.normals.end(), normals->GetPointer(0));
    vtkNew<vtkPoints> points;
    points->SetData(xyz);
    vtkNew<vtkCellArray> cells;
    cells->AllocateEstimate(static_cast<vtkIdType>(g.triangles.size()), 3);
    for (const auto& t : g.triangles)
        cells->InsertNextCell({t[0], t[1], t[2]});
    auto poly = vtkSmartPointer<vtkPolyData>::New();
    poly->SetPoints(points);
    poly->SetPolys(cells);
    poly->GetPointData()->SetNormals(normals);
    return poly;
}

} // namespace

HeartModelPtr heart_model(const mesh::TetMesh& m, const mesh::Surface& s)
{
    if (s.triangles.empty())
        return {};
    auto model = std::make_shared<HeartModel>();
    model->wall = wall_geometry(m, s);
    model->surface_vertices = s.vertices.size();
    model->poly = poly_data(model->wall);
    // everything that VTK would otherwise make on first use
    model->poly->BuildCells();
    model->poly->ComputeBounds();
    model->locator = vtkSmartPointer<vtkStaticCellLocator>::New();
    model->locator->SetDataSet(model->poly);
    model->locator->CacheCellBoundsOn();
    model->locator->BuildLocator();
    return model;
}

} // namespace tawara::scene
