// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/io/surface_io.hpp"

#include "engine/core/error.hpp"
#include "engine/core/provenance.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/mesh/io/vtk_errors.hpp"

#include <vtkCellArray.h>
#include <vtkFieldData.h>
#include <vtkFloatArray.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkStringArray.h>
#include <vtkXMLPolyDataWriter.h>

#include <algorithm>

namespace tawara::mesh::io {

void write_surface_vtp(const TetMesh& m, const Surface& s, const std::vector<Extra>& at_vertices,
                       const std::filesystem::path& file, const std::string& provenance)
{
    const auto n = static_cast<vtkIdType>(s.vertices.size());
    vtkNew<vtkPoints> points;
    points->SetNumberOfPoints(n);
    vtkNew<vtkIntArray> number;
    number->SetName("mesh_vertex");
    number->SetNumberOfValues(n);
    for (vtkIdType i = 0; i < n; ++i) {
        const auto v = s.vertices[static_cast<std::size_t>(i)];
        const Vec3 p = m.vertex(static_cast<std::size_t>(v));
        points->SetPoint(i, p.data());
        number->SetValue(i, v);
    }
    vtkNew<vtkCellArray> triangles;
    for (const auto& t : s.triangles) {
        const vtkIdType corners[] = {t[0], t[1], t[2]};
        triangles->InsertNextCell(3, corners);
    }
    vtkNew<vtkPolyData> poly;
    poly->SetPoints(points);
    poly->SetPolys(triangles);
    poly->GetPointData()->AddArray(number);
    for (const auto& e : at_vertices) {
        if (e.values.size() != s.vertices.size())
            throw InputError(file.string(), "array " + e.name + " has " +
                                                std::to_string(e.values.size()) + " values where " +
                                                std::to_string(n) + " are due");
        vtkNew<vtkFloatArray> a;
        a->SetName(e.name.c_str());
        a->SetNumberOfValues(n);
        std::copy(e.values.begin(), e.values.end(), a->GetPointer(0));
        poly->GetPointData()->AddArray(a);
    }
    if (!at_vertices.empty())
        poly->GetPointData()->SetActiveScalars(at_vertices.front().name.c_str());
    vtkNew<vtkStringArray> made_by;
    made_by->SetName(provenance_name);
    made_by->InsertNextValue(provenance.empty() ? program_provenance() : provenance);
    poly->GetFieldData()->AddArray(made_by);
    vtkNew<vtkXMLPolyDataWriter> writer;
    writer->SetInputData(poly);
    writer->SetDataModeToAppended();
    writer->EncodeAppendedDataOff();
    writer->SetCompressorTypeToZLib();
    writer->SetCompressionLevel(3);
    write_whole_by_path(file, [&](const std::filesystem::path& part) {
        VtkErrors errors;
        writer->SetFileName(part.c_str());
        const bool written = writer->Write() == 1;
        const auto e = errors.first(part, file);
        if (!written || !e.empty())
            throw InputError(file.string(),
                             "cannot be written: " + (e.empty() ? "is the disk full?" : e));
    });
}

} // namespace tawara::mesh::io
