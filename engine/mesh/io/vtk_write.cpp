// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "engine/core/provenance.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/mesh/io/length_unit.hpp"
#include "engine/mesh/io/provenance_field.hpp"
#include "engine/mesh/io/vtk_errors.hpp"
#include "engine/mesh/io/write.hpp"

#include <cerrno>
#include <cstring>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkErrorCode.h>
#include <vtkFieldData.h>
#include <vtkFloatArray.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkStringArray.h>
#include <vtkTypeInt64Array.h>
#include <vtkUnstructuredGrid.h>
#include <vtkUnstructuredGridWriter.h>
#include <vtkXMLUnstructuredGridWriter.h>
#include <vtkZLibDataCompressor.h>

namespace tawara::mesh::io {
namespace {

namespace fs = std::filesystem;

void add_floats(vtkFieldData* to, const std::string& name, int components, std::size_t tuples,
                const auto& value)
{
    vtkNew<vtkFloatArray> a;
    a->SetName(name.c_str());
    a->SetNumberOfComponents(components);
    a->SetNumberOfTuples(static_cast<vtkIdType>(tuples));
    float* const p = a->GetPointer(0);
    const auto c = static_cast<std::size_t>(components);
    for (std::size_t i = 0; i < tuples * c; ++i)
        p[i] = value(i / c, i % c);
    to->AddArray(a);
}

void add_geometry(vtkUnstructuredGrid* grid, const TetMesh& m)
{
    vtkNew<vtkDoubleArray> xyz;
    xyz->SetNumberOfComponents(3);
    xyz->SetNumberOfTuples(static_cast<vtkIdType>(m.vertex_count()));
    double* const p = xyz->GetPointer(0);
    for (std::size_t v = 0; v < m.vertex_count(); ++v)
        p[3 * v] = m.x[v], p[3 * v + 1] = m.y[v], p[3 * v + 2] = m.z[v];
    vtkNew<vtkPoints> points;
    points->SetData(xyz);
    grid->SetPoints(points);

    const std::size_t n = m.tetrahedron_count();
    vtkNew<vtkTypeInt64Array> offsets, connectivity;
    offsets->SetNumberOfValues(static_cast<vtkIdType>(n + 1));
    connectivity->SetNumberOfValues(static_cast<vtkIdType>(4 * n));
    for (std::size_t t = 0; t <= n; ++t)
        offsets->SetValue(static_cast<vtkIdType>(t), static_cast<vtkTypeInt64>(4 * t));
    for (std::size_t t = 0; t < n; ++t)
        for (std::size_t k = 0; k < 4; ++k)
            connectivity->SetValue(static_cast<vtkIdType>(4 * t + k), m.corner[k][t]);
    vtkNew<vtkCellArray> cells;
    cells->SetData(offsets, connectivity);
    grid->SetCells(VTK_TETRA, cells);
}

vtkSmartPointer<vtkUnstructuredGrid> grid_of(const TetMesh& m)
{
    auto grid = vtkSmartPointer<vtkUnstructuredGrid>::New();
    add_geometry(grid, m);
    const std::size_t n = m.tetrahedron_count();
    vtkNew<vtkIntArray> region;
    region->SetName("region");
    region->SetNumberOfValues(static_cast<vtkIdType>(n));
    for (std::size_t t = 0; t < n; ++t)
        region->SetValue(static_cast<vtkIdType>(t), m.region[t]);
    grid->GetCellData()->AddArray(region);
    const auto directions = [&](const char* name, const Directions& d) {
        if (!d.empty())
            add_floats(grid->GetCellData(), name, 3, n, [&](std::size_t t, std::size_t c) {
                return c == 0 ? d.x[t] : c == 1 ? d.y[t] : d.z[t];
            });
    };
    directions("fibre", m.fibre);
    directions("sheet", m.sheet);
    directions("normal", m.normal);
    for (const auto& f : m.fields) {
        const bool at_points = f.on == Field::On::vertices;
        vtkFieldData* const to = at_points ? static_cast<vtkFieldData*>(grid->GetPointData())
                                           : static_cast<vtkFieldData*>(grid->GetCellData());
        const auto c = static_cast<std::size_t>(f.components);
        add_floats(to, f.name, f.components, at_points ? m.vertex_count() : n,
                   [&](std::size_t i, std::size_t k) { return f.values[i * c + k]; });
    }
    return grid;
}

/// Lets VTK write to a temporary file and renames it.
void write_by(const auto& writer, const fs::path& file)
{
    write_whole_by_path(file, [&](const fs::path& part) {
        VtkErrors errors;
        writer->SetFileName(part.c_str());
        errno = 0;
        const bool written = writer->Write() == 1;
        const int why = errno;
        const auto e = errors.first(part, file);
        const bool full = why == ENOSPC || why == EFBIG || why == EDQUOT || why == EIO;
        if (written && e.empty())
            return;
        if (full || writer->GetErrorCode() == vtkErrorCode::OutOfDiskSpaceError)
            throw InputError(file.string(), std::string("writing failed: ") +
                                                std::strerror(full ? why : ENOSPC) +
                                                "; is the disk full?");
        throw InputError(file.string(),
                         "cannot be written: " + (e.empty() ? "is the disk full?" : e));
    });
}

/// What the labels are called: two arrays of one length, read back by read_vtu().
void add_label_names(vtkFieldData* to, const TetMesh& m)
{
    if (m.label_names.empty())
        return;
    vtkNew<vtkIntArray> labels;
    labels->SetName("region_labels");
    vtkNew<vtkStringArray> names;
    names->SetName("region_names");
    for (const auto& [label, name] : m.label_names) {
        labels->InsertNextValue(label);
        names->InsertNextValue(name);
    }
    to->AddArray(labels);
    to->AddArray(names);
}

} // namespace

void write_vtu(const TetMesh& m, const std::vector<Extra>& extras, const fs::path& file)
{
    write_vtu(m, extras, file, program_provenance());
}

void write_vtu(const TetMesh& m, const std::vector<Extra>& extras, const fs::path& file,
               const std::string& provenance)
{
    const auto grid = grid_of(m);
    for (const auto& e : extras) {
        const bool at_points = e.on == Field::On::vertices;
        const std::size_t n = at_points ? m.vertex_count() : m.tetrahedron_count();
        if (e.values.size() != n)
            throw InputError(file.string(), "array " + e.name + " has " +
                                                std::to_string(e.values.size()) + " values where " +
                                                std::to_string(n) + " are due");
        vtkFieldData* const to = at_points ? static_cast<vtkFieldData*>(grid->GetPointData())
                                           : static_cast<vtkFieldData*>(grid->GetCellData());
        add_floats(to, e.name, 1, n, [&](std::size_t i, std::size_t) { return e.values[i]; });
    }
    vtkNew<vtkStringArray> unit;
    unit->SetName("length_unit");
    unit->InsertNextValue("mm");
    grid->GetFieldData()->AddArray(unit);
    vtkNew<vtkStringArray> made_by;
    made_by->SetName(provenance_name);
    made_by->InsertNextValue(provenance);
    grid->GetFieldData()->AddArray(made_by);
    add_label_names(grid->GetFieldData(), m);
    vtkNew<vtkXMLUnstructuredGridWriter> writer;
    writer->SetInputData(grid);
    writer->SetDataModeToAppended();
    writer->EncodeAppendedDataOff();
    writer->SetCompressorTypeToZLib();
    writer->SetCompressionLevel(3);
    write_by(writer.Get(), file);
}

void write_vtk_legacy(const TetMesh& m, const fs::path& file)
{
    const auto grid = grid_of(m);
    vtkNew<vtkUnstructuredGridWriter> writer;
    writer->SetInputData(grid);
    writer->SetFileTypeToBinary();
    const std::string title = program_text() + ", mesh, " + std::string(unit_note) + "mm";
    writer->SetHeader(title.c_str());
    write_by(writer.Get(), file);
}

} // namespace tawara::mesh::io
