// SPDX-License-Identifier: GPL-3.0-or-later
//
// Legacy VTK files of unstructured grids and of lines, text and binary (big endian), with CELLS as
// before version 5.1 or as OFFSETS and CONNECTIVITY.
#include "engine/mesh/io/length_unit.hpp"
#include "engine/mesh/io/lines_raw.hpp"
#include "engine/mesh/io/text.hpp"
#include "engine/mesh/io/vtk_cells.hpp"

#include <algorithm>

namespace tawara::mesh::io {
namespace {

namespace fs = std::filesystem;

constexpr bool swap_big = std::endian::native == std::endian::little;

struct Array
{
    std::string name;
    Field::On on;
    int components;
    std::vector<double> values;
};

std::string percent_decoded(std::string_view s)
{
    std::string r;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const auto hex = [&](char c) {
            return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        };
        if (s[i] == '%' && i + 2 < s.size() && hex(s[i + 1]) >= 0 && hex(s[i + 2]) >= 0) {
            r += static_cast<char>(16 * hex(s[i + 1]) + hex(s[i + 2]));
            i += 2;
        } else {
            r += s[i];
        }
    }
    return r;
}

/// What is wanted of a file.
enum class Wanted { mesh, points, lines };

class LegacyReader
{
  public:
    LegacyReader(const fs::path& file, Wanted wanted)
        : points_only_(wanted == Wanted::points), lines_(wanted == Wanted::lines),
          content_(content_of(file)), in_(file.string(), content_, false)
    {
        raw_.bound.emplace(file.string(), content_.size());
    }

    Raw read()
    {
        header();
        while (!in_.at_end())
            section();
        const bool no_cells = cells_.types.empty() && !points_only_;
        if (have_points_ && no_cells &&
            std::any_of(arrays_.begin(), arrays_.end(), [](const auto& a) {
                return a.on == Field::On::vertices && a.components == 3;
            }))
            in_.fail("the file has points with vectors and no cells: it is no mesh. If they are "
                     "fibres, open their mesh and give it this file (mesh.fibres in a session, "
                     "--fibres, in the window Mesh > Fibres from a file)");
        if (!have_points_ || no_cells)
            in_.fail(std::string("the file ends without ") +
                     (have_points_ ? "CELLS and CELL_TYPES" : "POINTS") + "; it seems truncated");
        if (points_only_)
            cells_ = {};
        const auto kept = add_cells(raw_, cells_, in_.file());
        for (auto& a : arrays_)
            if (!points_only_ || a.on == Field::On::vertices)
                take_vtk_array(raw_, a.name, a.on, a.components, std::move(a.values), kept,
                               cells_.types.size(), in_.file());
        return std::move(raw_);
    }

    RawLines lines()
    {
        header();
        while (!in_.at_end())
            section();
        if (!have_points_)
            in_.fail("the file ends without POINTS; it seems truncated");
        RawLines out;
        for (auto& a : arrays_)
            if (a.on == Field::On::vertices && a.components == 1)
                out.arrays.push_back({a.name, std::move(a.values)});
        out.raw = std::move(raw_);
        out.cells = std::move(cells_);
        return out;
    }

  private:
    void header()
    {
        const auto first = in_.rest_of_line();
        if (!first.starts_with("# vtk DataFile Version"))
            in_.fail("the first line is not \"# vtk DataFile Version ...\"");
        Text version(in_.file(), first.substr(22), false);
        new_cells_ = version.number("the file version") >= 5.1;
        raw_.stated = noted_unit(in_.rest_of_line());
        const auto kind = in_.word("ASCII or BINARY");
        if (kind != "ASCII" && kind != "BINARY")
            in_.fail(in_quotes(kind) + " stands where ASCII or BINARY is due");
        binary_ = kind == "BINARY";
        raw_.format = binary_ ? "legacy VTK binary" : "legacy VTK";
        const auto dataset = in_.word("DATASET");
        const auto type = in_.word("the kind of data set");
        if (lines_ && dataset == "DATASET" && (type == "UNSTRUCTURED_GRID" || type == "POLYDATA"))
            return;
        if (lines_)
            in_.fail(in_quotes(dataset) + " " + in_quotes(type) +
                     " has no lines; DATASET POLYDATA or UNSTRUCTURED_GRID is due");
        if (dataset != "DATASET" || type != "UNSTRUCTURED_GRID")
            in_.fail(in_quotes(dataset) + " " + in_quotes(type) +
                     " is no mesh of tetrahedra; DATASET UNSTRUCTURED_GRID is due");
    }

    std::size_t values_left(std::int64_t n, const char* what)
    {
        if (n < 0 || static_cast<std::uint64_t>(n) > in_.left())
            in_.fail(std::string(what) + " is " + std::to_string(n) +
                     ", which the file cannot hold; it is wrong or the file is truncated");
        return static_cast<std::size_t>(n);
    }

    template <class T, class To>
    void binary(std::size_t n, const char* what, std::vector<To>& to)
    {
        const char* const p = in_.take(n * sizeof(T), what);
        for (std::size_t i = 0; i < n; ++i)
            to.push_back(static_cast<To>(stored<T>(p + i * sizeof(T), swap_big)));
    }

    /// n values of the file's type; the line with the type has been read up to it.
    template <class To>
    std::vector<To> values(std::size_t n, const std::string& type, const char* what)
    {
        std::vector<To> to;
        values_left(static_cast<std::int64_t>(n), what);
        to.reserve(n);
        if (!binary_) {
            for (std::size_t i = 0; i < n; ++i) {
                if constexpr (std::is_integral_v<To>)
                    to.push_back(in_.integer(what));
                else
                    to.push_back(in_.any_number(what));
            }
            return to;
        }
        if (std::is_integral_v<To> && (type == "double" || type == "float"))
            in_.fail("data type " + in_quotes(type) + " stands where one of integers is due (" +
                     what + ")");
        in_.skip_line();
        if (type == "double")
            binary<double>(n, what, to);
        else if (type == "float")
            binary<float>(n, what, to);
        else if (type == "int" || type == "vtkIdType")
            binary<std::int32_t>(n, what, to);
        else if (type == "unsigned_int")
            binary<std::uint32_t>(n, what, to);
        else if (type == "vtktypeint64" || type == "long" || type == "long_long")
            binary<std::int64_t>(n, what, to);
        else if (type == "vtktypeuint64" || type == "unsigned_long" || type == "unsigned_long_long")
            binary<std::uint64_t>(n, what, to);
        else if (type == "short")
            binary<std::int16_t>(n, what, to);
        else if (type == "unsigned_short")
            binary<std::uint16_t>(n, what, to);
        else if (type == "char" || type == "signed_char")
            binary<std::int8_t>(n, what, to);
        else if (type == "unsigned_char")
            binary<std::uint8_t>(n, what, to);
        else if (type == "bit")
            bits(n, what, to);
        else
            in_.fail("data type " + in_quotes(type) + " is not known");
        return to;
    }
    template <class To>
    void bits(std::size_t n, const char* what, std::vector<To>& to)
    {
        const char* const p = in_.take((n + 7) / 8, what);
        for (std::size_t i = 0; i < n; ++i)
            to.push_back((p[i / 8] >> (7 - i % 8)) & 1);
    }

    void section()
    {
        const std::string key(in_.word("a keyword"));
        if (key == "POINTS")
            points();
        else if (key == "CELLS")
            cells();
        else if (lines_ && (key == "VERTICES" || key == "LINES" || key == "POLYGONS" ||
                            key == "TRIANGLE_STRIPS"))
            poly_cells(key == "LINES" ? polyline : 0);
        else if (key == "CELL_TYPES")
            cells_.types = values<std::int64_t>(
                values_left(in_.integer("the number of cell types"), "the number of cell types"),
                "int", "a cell type");
        else if (key == "CELL_DATA" || key == "POINT_DATA")
            data(key == "POINT_DATA");
        else if (key == "METADATA")
            metadata();
        else if (key == "FIELD")
            field();
        else if (in_data_ && attribute(key))
            return;
        else
            in_.fail(in_quotes(key) + " is no known keyword here; the file may be truncated or a "
                                      "count before this line wrong");
    }

    void points()
    {
        const auto n = values_left(in_.integer("the number of points"), "the number of points");
        const std::string type(in_.word("a data type"));
        std::vector<double> v;
        if (binary_) {
            v = values<double>(3 * n, type, "a coordinate");
        } else {
            v.reserve(3 * n);
            for (std::size_t i = 0; i < 3 * n; ++i)
                v.push_back(in_.coordinate());
        }
        TetMesh& m = raw_.mesh;
        for (std::size_t i = 0; i < n; ++i)
            m.add_vertex({v[3 * i], v[3 * i + 1], v[3 * i + 2]});
        have_points_ = true;
    }

    /// Cells of poly data, whose types the key tells; behind those before.
    void poly_cells(std::int64_t type)
    {
        VtkCells before = std::move(cells_);
        cells_ = {};
        cells();
        const auto n = cells_.offsets.empty() ? 0 : cells_.offsets.size() - 1;
        if (before.offsets.empty())
            before.offsets = {0};
        for (std::size_t i = 0; i < n; ++i) {
            before.offsets.push_back(static_cast<std::int64_t>(before.connectivity.size()) +
                                     cells_.offsets[i + 1]);
            before.types.push_back(type);
        }
        before.connectivity.insert(before.connectivity.end(), cells_.connectivity.begin(),
                                   cells_.connectivity.end());
        cells_ = std::move(before);
    }

    void cells()
    {
        const auto a = in_.integer("the number of cells");
        const auto b =
            values_left(in_.integer("the size of the cell list"), "the size of the cell list");
        const auto n = values_left(a, "the number of cells");
        if (new_cells_) {
            cells_.offsets = id_array("OFFSETS", n);
            cells_.connectivity = id_array("CONNECTIVITY", b);
            return;
        }
        const auto list = values<std::int64_t>(b, "int", "a cell's entry");
        cells_.offsets = {0};
        for (std::size_t i = 0, at = 0; i < n; ++i) {
            if (at >= list.size() || list[at] < 0 ||
                static_cast<std::size_t>(list[at]) > list.size() - at - 1)
                in_.fail("cell " + std::to_string(i) + " of " + std::to_string(n) +
                         " does not fit into the cell list of " + std::to_string(b) + " entries");
            const auto count = static_cast<std::size_t>(list[at]);
            for (std::size_t k = 1; k <= count; ++k)
                cells_.connectivity.push_back(list[at + k]);
            cells_.offsets.push_back(static_cast<std::int64_t>(cells_.connectivity.size()));
            at += 1 + count;
        }
    }

    std::vector<std::int64_t> id_array(const char* key, std::size_t n)
    {
        const auto w = in_.word(key);
        if (w != key)
            in_.fail(in_quotes(w) + " stands where " + key + " is due");
        const std::string type(in_.word("a data type"));
        return values<std::int64_t>(n, type, "a cell's entry");
    }

    void data(bool at_points)
    {
        rows_ = values_left(in_.integer("a number of tuples"), "a number of tuples");
        const std::size_t due = at_points ? raw_.mesh.vertex_count() : cells_.types.size();
        if (rows_ != due)
            in_.fail(std::string(at_points ? "POINT_DATA" : "CELL_DATA") + " announces " +
                     std::to_string(rows_) + " tuples, but there are " + std::to_string(due) +
                     (at_points ? " points" : " cells"));
        on_ = at_points ? Field::On::vertices : Field::On::tetrahedra;
        in_data_ = true;
    }

    void metadata() // up to an empty line
    {
        in_.skip_line();
        while (in_.left() > 0 && !in_.rest_of_line().empty()) {
        }
    }

    void keep(std::string_view name, std::int64_t components, const std::string& type)
    {
        arrays_.push_back(
            {percent_decoded(name), on_, static_cast<int>(components),
             values<double>(rows_ * static_cast<std::size_t>(components), type, "a value")});
    }

    bool attribute(const std::string& key)
    {
        if (key == "LOOKUP_TABLE") {
            in_.word("a table's name");
            values<double>(4 * values_left(in_.integer("a table's size"), "a table's size"),
                           "unsigned_char", "a colour");
            return true;
        }
        int components = 0;
        for (const auto& [k, c] : {std::pair<const char*, int>{"SCALARS", 1},
                                   {"VECTORS", 3},
                                   {"NORMALS", 3},
                                   {"TENSORS", 9},
                                   {"TENSORS6", 6},
                                   {"TEXTURE_COORDINATES", 2},
                                   {"COLOR_SCALARS", 4},
                                   {"GLOBAL_IDS", 1},
                                   {"PEDIGREE_IDS", 1},
                                   {"EDGE_FLAGS", 1}})
            if (key == k)
                components = c;
        if (components == 0)
            return false;
        const std::string name(in_.word("an array's name"));
        if (key == "TEXTURE_COORDINATES" || key == "COLOR_SCALARS")
            components = static_cast<int>(in_.integer("the number of components", 1, 9));
        if (key == "COLOR_SCALARS") {
            keep(name, components, "unsigned_char");
            return true;
        }
        const std::string type(in_.word("a data type"));
        if (key == "SCALARS") {
            if (in_.more_in_line())
                components = static_cast<int>(in_.integer("the number of components", 1, 9));
            Text look(in_.file(), std::string_view(in_.take(0, ""), in_.left()), false);
            if (!look.at_end() && look.word("") == "LOOKUP_TABLE") {
                in_.word("LOOKUP_TABLE");
                in_.word("a table's name");
            }
        }
        keep(name, components, type);
        return true;
    }

    void field()
    {
        in_.word("a field's name");
        const auto n = in_.integer("the number of arrays", 0, 10000);
        for (std::int64_t i = 0; i < n; ++i) {
            std::string name(in_.word("an array's name"));
            if (name == "METADATA") {
                metadata();
                name = in_.word("an array's name");
            }
            const auto components = in_.integer("the number of components", 0, 1000);
            const auto tuples = in_.integer("the number of tuples");
            const std::string type(in_.word("a data type"));
            if (type == "string")
                in_.fail("string arrays are not understood; write the file without them");
            const auto count =
                values_left(tuples, "the number of tuples") * static_cast<std::size_t>(components);
            auto v = values<double>(count, type, "a value");
            if (in_data_ && components > 0)
                arrays_.push_back(
                    {percent_decoded(name), on_, static_cast<int>(components), std::move(v)});
        }
    }

    static constexpr std::int64_t polyline = 4;

    bool points_only_, lines_;
    std::string content_;
    Text in_;
    Raw raw_;
    VtkCells cells_;
    std::vector<Array> arrays_;
    std::size_t rows_ = 0;
    Field::On on_ = Field::On::vertices;
    bool binary_ = false, new_cells_ = false, have_points_ = false, in_data_ = false;
};

} // namespace

Raw read_vtk_legacy(const fs::path& file, const Progress& progress, bool points_only)
{
    progress.at(0, "reading");
    return LegacyReader(file, points_only ? Wanted::points : Wanted::mesh).read();
}

RawLines read_vtk_legacy_lines(const fs::path& file, const Progress& progress)
{
    progress.at(0, "reading");
    return LegacyReader(file, Wanted::lines).lines();
}

} // namespace tawara::mesh::io
