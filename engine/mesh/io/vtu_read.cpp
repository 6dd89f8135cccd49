// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/io/text.hpp"
#include "engine/mesh/io/vtk_cells.hpp"
#include "engine/mesh/io/vtk_errors.hpp"
#include "engine/mesh/io/vtu_blocks.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkFieldData.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkPointData.h>
#include <vtkStringArray.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLDataElement.h>
#include <vtkXMLUnstructuredGridReader.h>

namespace tawara::mesh::io {
namespace {

namespace fs = std::filesystem;

/// VTK 9.1 crashes when it cannot read a cell array and a piece has no PointData, or when an array
/// of strings is at fault: gives it an empty PointData, and takes arrays of strings away.
class Reader : public vtkXMLUnstructuredGridReader
{
  public:
    static Reader* New();
    // clang-format off
    vtkTypeMacro(Reader, vtkXMLUnstructuredGridReader)
        // clang-format on

        protected : int ReadPiece(vtkXMLDataElement* piece) override
    {
        const int read = Superclass::ReadPiece(piece);
        auto*& points = PointDataElements[Piece];
        if (!points) {
            none_->SetName("PointData");
            points = none_;
        }
        for (auto* data : {points, CellDataElements[Piece]})
            for (int i = data ? data->GetNumberOfNestedElements() - 1 : -1; i >= 0; --i) {
                auto* const array = data->GetNestedElement(i);
                const char* const type = array->GetAttribute("type");
                if (type && std::string_view(type) == "String")
                    data->RemoveNestedElement(array);
            }
        return read;
    }

  private:
    vtkNew<vtkXMLDataElement> none_;
};
// clang-format off
vtkStandardNewMacro(Reader)
    // clang-format on

/// The line that a byte of the file lies in.
long line_at(const std::string& text, std::size_t at)
{
    return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
}

/// What VTK does not check well by itself: the root element, the kind of data, counts that cannot
/// be.
void check_head(const std::string& text, const std::string& file)
{
    const auto root = text.find("<VTKFile");
    if (root == text.npos)
        throw MeshError(file, 1, "has no <VTKFile> element; it is no VTU file");
    const auto root_end = text.find('>', root);
    const auto head = text.substr(root, root_end - root);
    if (head.find("\"PolyData\"") != std::string::npos)
        throw MeshError(file, line_at(text, root),
                        "is a surface (PolyData); Tawara needs tetrahedra (VTU)");
    if (head.find("\"UnstructuredGrid\"") == std::string::npos)
        throw MeshError(file, line_at(text, root),
                        "is no unstructured grid; type=\"UnstructuredGrid\" is due");
    const auto appended = std::min(text.find("<AppendedData"), text.size());
    bool any = false;
    for (const char* key : {"NumberOfPoints=", "NumberOfCells="})
        for (auto at = text.find(key); at < appended; at = text.find(key, at + 1)) {
            any = true;
            const auto from = at + std::string_view(key).size() + 1;
            const auto to = std::min(text.find_first_of("\"'", from), text.size());
            std::int64_t n = -1;
            const auto r = std::from_chars(text.data() + from, text.data() + to, n);
            if (r.ec != std::errc() || r.ptr != text.data() + to || n < 0)
                throw MeshError(file, line_at(text, at),
                                std::string(key) + in_quotes(text.substr(from, to - from)) +
                                    " is no count");
            // deflate shrinks to a thousandth at most
            if (static_cast<std::uint64_t>(n) > 1000 * static_cast<std::uint64_t>(text.size()))
                throw MeshError(
                    file, line_at(text, at),
                    std::string(key) + std::to_string(n) +
                        " is more than the file can hold; it is wrong or the file truncated");
        }
    if (!any)
        throw MeshError(file, line_at(text, root), "has no <Piece>; it seems truncated");
    if (text.rfind("</VTKFile>") == text.npos)
        throw MeshError(file, "has no closing </VTKFile>; it seems truncated");
}

[[noreturn]] void refuse(const std::string& file, const std::string& error)
{
    // the XML parser says "... line 7 ..." in its message
    const auto at = error.find(" line ");
    long line = 0;
    if (at != error.npos)
        std::from_chars(error.data() + at + 6, error.data() + error.size(), line);
    const std::string reason = "cannot be read as VTU: " + error;
    if (line > 0)
        throw MeshError(file, line, reason);
    throw MeshError(file, reason);
}

std::vector<std::int64_t> integers(vtkDataArray* a)
{
    std::vector<std::int64_t> v;
    if (!a)
        return v;
    v.reserve(static_cast<std::size_t>(a->GetNumberOfValues()));
    for (vtkIdType i = 0; i < a->GetNumberOfValues(); ++i)
        v.push_back(static_cast<std::int64_t>(a->GetComponent(i, 0)));
    return v;
}

void take_arrays(Raw& raw, vtkDataSetAttributes* from, Field::On on,
                 const std::vector<std::size_t>& kept, std::size_t cells, const std::string& file)
{
    for (int i = 0; i < from->GetNumberOfArrays(); ++i) {
        vtkDataArray* const a = from->GetArray(i);
        if (!a || !a->GetName())
            continue;
        std::vector<double> v;
        const int components = a->GetNumberOfComponents();
        v.reserve(static_cast<std::size_t>(a->GetNumberOfValues()));
        for (vtkIdType t = 0; t < a->GetNumberOfTuples(); ++t)
            for (int c = 0; c < components; ++c)
                v.push_back(a->GetComponent(t, c));
        take_vtk_array(raw, a->GetName(), on, components, std::move(v), kept, cells, file);
    }
}

std::optional<LengthUnit> stated_unit(vtkUnstructuredGrid* grid)
{
    auto* const s =
        vtkStringArray::SafeDownCast(grid->GetFieldData()->GetAbstractArray("length_unit"));
    return s && s->GetNumberOfValues() > 0 ? length_unit(std::string_view(s->GetValue(0)))
                                           : std::nullopt;
}

/// What add_label_names() wrote; nothing where the two arrays do not fit each other.
void take_label_names(TetMesh& m, vtkFieldData* from)
{
    auto* const labels = from->GetArray("region_labels");
    auto* const names = vtkStringArray::SafeDownCast(from->GetAbstractArray("region_names"));
    if (!labels || !names || labels->GetNumberOfComponents() != 1 ||
        labels->GetNumberOfTuples() != names->GetNumberOfValues())
        return;
    for (vtkIdType i = 0; i < names->GetNumberOfValues(); ++i)
        if (const double label = labels->GetTuple1(i);
            std::abs(label) <= std::numeric_limits<std::int32_t>::max())
            m.label_names[static_cast<std::int32_t>(label)] = names->GetValue(i);
}

} // namespace

Raw read_vtu(const fs::path& file, const Progress& progress, bool points_only)
{
    const std::string name = file.string();
    {
        const std::string text = content_of(file);
        check_head(text, name);
        check_vtu_blocks(text, name);
    }
    progress.at(0.1, "reading");
    vtkNew<Reader> reader;
    {
        VtkErrors errors;
        reader->SetFileName(name.c_str());
        reader->Update();
        if (const auto e = errors.first(); !e.empty() || reader->GetErrorCode() != 0)
            refuse(name, e.empty() ? "the data are incomplete" : e);
    }
    progress.at(0.6, "reading");
    vtkUnstructuredGrid* const grid = reader->GetOutput();
    Raw raw;
    raw.format = "VTU";
    raw.stated = stated_unit(grid);
    take_label_names(raw.mesh, grid->GetFieldData());
    if (grid->GetPoints())
        for (vtkIdType i = 0; i < grid->GetNumberOfPoints(); ++i) {
            Vec3 p{};
            grid->GetPoint(i, p.data());
            raw.mesh.add_vertex(p);
        }
    VtkCells cells;
    cells.types = integers(grid->GetCellTypesArray());
    if (auto* const c = grid->GetCells()) {
        cells.offsets = integers(c->GetOffsetsArray());
        cells.connectivity = integers(c->GetConnectivityArray());
    }
    if (points_only)
        cells = {};
    const auto kept = add_cells(raw, cells, name);
    if (!points_only)
        take_arrays(raw, grid->GetCellData(), Field::On::tetrahedra, kept, cells.types.size(),
                    name);
    take_arrays(raw, grid->GetPointData(), Field::On::vertices, kept, cells.types.size(), name);
    return raw;
}

} // namespace tawara::mesh::io
