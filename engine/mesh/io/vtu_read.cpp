// SPDX-License-Identifier: GPL-3.0-or-later
//
// Unstructured grids of VTK's XML format, several pieces joined; the lines of such and of poly
// data.
#include "engine/core/error.hpp"
#include "engine/core/provenance.hpp"
#include "engine/mesh/io/lines_raw.hpp"
#include "engine/mesh/io/provenance_field.hpp"
#include "engine/mesh/io/text.hpp"
#include "engine/mesh/io/vtk_cells.hpp"
#include "engine/mesh/io/vtu_file.hpp"
#include "engine/mesh/io/vtu_series.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

namespace tawara::mesh::io {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_components = 1000;

/// An array of all pieces.
struct Joined
{
    std::string name;
    int components = 1;
    std::vector<double> values;
};

bool is_array(pugi::xml_node n)
{
    const std::string_view name = n.name();
    return name == "DataArray" || name == "Array";
}

/// Of an array that belongs to some of several times: whether it belongs to the first.
bool of_first_time(pugi::xml_node array)
{
    const std::string_view times = array.attribute("TimeStep").value();
    for (std::size_t at = times.find_first_not_of(" \t\r\n"); at < times.size();) {
        const auto end = std::min(times.find_first_of(" \t\r\n", at), times.size());
        if (times.substr(at, end - at) == "0")
            return true;
        at = times.find_first_not_of(" \t\r\n", end);
    }
    return times.empty();
}

class VtuReader
{
  public:
    VtuReader(const fs::path& file, const Progress& progress, bool points_only,
              bool poly_data = false)
        : progress_(progress), points_only_(points_only), file_(file, progress, poly_data)
    {
    }

    Raw read()
    {
        read_pieces();
        const auto kept = add_cells(raw_, cells_, file_.name());
        take(at_cells_, Field::On::tetrahedra, kept);
        take(at_points_, Field::On::vertices, kept);
        return std::move(raw_);
    }

    RawLines lines()
    {
        read_pieces();
        RawLines out;
        for (auto& a : at_points_)
            if (a.components == 1)
                out.arrays.push_back({a.name, std::move(a.values)});
        out.raw = std::move(raw_);
        out.cells = std::move(cells_);
        return out;
    }

  private:
    void read_pieces()
    {
        raw_.format = file_.is_poly_data() ? "VTP" : "VTU";
        progress_.at(0.1, "reading");
        field_data();
        std::size_t pieces = 0, n = 0;
        for (auto p = file_.grid().child("Piece"); p; p = p.next_sibling("Piece"))
            ++pieces;
        if (pieces == 0)
            file_.fail(file_.grid(), "has no <Piece>; it seems truncated");
        several_ = pieces > 1;
        for (auto p = file_.grid().child("Piece"); p; p = p.next_sibling("Piece")) {
            progress_.at(0.1 + 0.7 * double(n++) / double(pieces), "reading");
            piece(p, n == 1);
        }
        progress_.at(0.8, "reading");
    }

    /// The lines of a piece of poly data; all else of it is left out.
    void poly_piece(pugi::xml_node p, bool first)
    {
        const auto points = file_.count(p, "NumberOfPoints", 0),
                   lines = file_.count(p, "NumberOfLines", 0);
        const std::size_t points_before = raw_.mesh.vertex_count();
        read_points(p, points);
        read_cells(p, lines, points_before, points, "Lines");
        arrays(p.child("PointData"), points, " points (NumberOfPoints)", first, at_points_);
    }

    void piece(pugi::xml_node p, bool first)
    {
        if (file_.is_poly_data())
            return poly_piece(p, first);
        const auto points = file_.count(p, "NumberOfPoints", 0),
                   cells = file_.count(p, "NumberOfCells", 0);
        const std::size_t points_before = raw_.mesh.vertex_count();
        read_points(p, points);
        if (!points_only_)
            read_cells(p, cells, points_before, points);
        const std::string of_points = " points (NumberOfPoints)",
                          of_cells = " cells (NumberOfCells)";
        if (!points_only_)
            arrays(p.child("CellData"), cells, of_cells, first, at_cells_);
        arrays(p.child("PointData"), points, of_points, first, at_points_);
    }

    static std::string each(std::uint64_t components, std::uint64_t things, const std::string& what)
    {
        return ": " + std::to_string(components) + " for each of " + std::to_string(things) + what;
    }

    void read_points(pugi::xml_node p, std::uint64_t n)
    {
        pugi::xml_node array;
        for (const auto a : p.child("Points").children())
            if (is_array(a) && of_first_time(a) && !array)
                array = a;
        if (!array && n == 0)
            return;
        if (!array)
            file_.fail(p, "the piece announces " + std::to_string(n) +
                              " points and has no array of them (<Points>)");
        if (const auto c = file_.count(array, "NumberOfComponents", 1); c != 3)
            file_.fail(array,
                       "the points have NumberOfComponents=" + std::to_string(c) + "; 3 is due");
        const auto xyz = file_.values<double>(array, 3 * n, each(3, n, " points (NumberOfPoints)"));
        for (std::size_t i = 0; i + 2 < xyz.size(); i += 3)
            raw_.mesh.add_vertex({xyz[i], xyz[i + 1], xyz[i + 2]});
    }

    std::vector<std::int64_t> cell_array(pugi::xml_node p, const char* name,
                                         std::optional<std::uint64_t> n, const char* section)
    {
        for (const auto a : p.child(section).children())
            if (is_array(a) && of_first_time(a) &&
                std::string_view(a.attribute("Name").value()) == name)
                return file_.values<std::int64_t>(a, n,
                                                  n ? each(1, *n, " cells (NumberOfCells)") : "");
        file_.fail(p, std::string("the cells of the piece have no array \"") + name + "\"");
    }

    void read_cells(pugi::xml_node p, std::uint64_t n, std::size_t points_before,
                    std::uint64_t points, const char* section = "Cells")
    {
        if (cells_.offsets.empty())
            cells_.offsets.push_back(0);
        if (n == 0)
            return;
        const bool grid = !file_.is_poly_data();
        constexpr std::int64_t polyline = 4;
        const auto offsets = cell_array(p, "offsets", n, section),
                   types = grid ? cell_array(p, "types", n, section)
                                : std::vector<std::int64_t>(n, polyline),
                   connectivity = cell_array(p, "connectivity", {}, section);
        const auto before = static_cast<std::int64_t>(cells_.connectivity.size()),
                   entries = static_cast<std::int64_t>(connectivity.size());
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            if (offsets[i] < 0 || offsets[i] > entries)
                file_.fail(p, "the offset of cell " + std::to_string(i) + " (" +
                                  std::to_string(offsets[i]) + ") does not lie in the " +
                                  std::to_string(entries) + " entries of the connectivity");
            cells_.offsets.push_back(before + offsets[i]);
        }
        for (const auto v : connectivity) {
            // of a single piece, add_cells() says which cell
            if (several_ && (v < 0 || static_cast<std::uint64_t>(v) >= points))
                file_.fail(p, "the connectivity of the piece names point " + std::to_string(v) +
                                  ", but there are " + std::to_string(points));
            cells_.connectivity.push_back(static_cast<std::int64_t>(points_before) + v);
        }
        cells_.types.insert(cells_.types.end(), types.begin(), types.end());
    }

    /// The arrays of a piece, behind those of the pieces before. Ones of texts are passed over.
    void arrays(pugi::xml_node section, std::uint64_t things, const std::string& what, bool first,
                std::vector<Joined>& to)
    {
        std::size_t met = 0;
        for (const auto a : section.children()) {
            if (!is_array(a))
                continue;
            if (file_.is_text(a) || !of_first_time(a))
                continue;
            const std::string name = a.attribute("Name").value();
            const auto components = file_.count(a, "NumberOfComponents", 1);
            if (components < 1 || components > most_components)
                file_.fail(a, "array " + called(a) +
                                  " has NumberOfComponents=" + std::to_string(components) +
                                  "; 1 to " + std::to_string(most_components) + " can be read");
            auto values =
                file_.values<double>(a, things * components, each(components, things, what));
            if (name.empty())
                continue;
            if (first) {
                to.push_back({name, static_cast<int>(components), std::move(values)});
                continue;
            }
            if (met >= to.size() || to[met].name != name ||
                to[met].components != static_cast<int>(components))
                file_.fail(a, "array " + called(a) +
                                  " stands in another order or has other components than in the "
                                  "first piece");
            auto& j = to[met++].values;
            j.insert(j.end(), values.begin(), values.end());
        }
        if (!first && met < to.size())
            file_.fail(section ? section : file_.grid(),
                       "a piece lacks array " + to[met].name + ", which the first piece has");
    }

    void take(std::vector<Joined>& from, Field::On on, const std::vector<std::size_t>& kept)
    {
        for (auto& a : from)
            take_vtk_array(raw_, a.name, on, a.components, std::move(a.values), kept,
                           cells_.types.size(), file_.name());
    }

    /// The unit, and what write_vtu() calls the labels; nothing where its two arrays do not fit.
    void field_data()
    {
        std::vector<double> labels;
        std::vector<std::string> names;
        for (const auto a : file_.grid().child("FieldData").children()) {
            if (!is_array(a))
                continue;
            const bool text = file_.is_text(a);
            const std::string_view name = a.attribute("Name").value();
            if (text && name == "length_unit") {
                const auto t = file_.texts(a);
                raw_.stated = t.empty() ? std::nullopt : length_unit(std::string_view(t[0]));
            } else if (text && name == "region_names") {
                names = file_.texts(a);
            } else if (!text && name == "region_labels" &&
                       file_.count(a, "NumberOfComponents", 1) == 1) {
                labels = file_.values<double>(a, {});
            } else {
                file_.check(a);
            }
        }
        if (labels.size() != names.size())
            return;
        for (std::size_t i = 0; i < names.size(); ++i)
            if (std::abs(labels[i]) <= std::numeric_limits<std::int32_t>::max())
                raw_.mesh.label_names[static_cast<std::int32_t>(labels[i])] = names[i];
    }

    const Progress& progress_;
    bool points_only_, several_ = false;
    VtuFile file_;
    Raw raw_;
    VtkCells cells_;
    std::vector<Joined> at_cells_, at_points_;
};

} // namespace

Raw read_vtu(const fs::path& file, const Progress& progress, bool points_only)
{
    return VtuReader(file, progress, points_only).read();
}

std::vector<float> values_of_vtu(const fs::path& file, const std::string& name)
{
    const Progress silent; // the reader keeps a reference
    VtuFile f(file, silent);
    for (const auto piece : f.grid().children("Piece"))
        for (const char* on : {"PointData", "CellData"})
            for (const auto a : piece.child(on).children())
                if (is_array(a) && a.attribute("Name").value() == name && !f.is_text(a)) {
                    const auto found = f.values<double>(a, {});
                    return {found.begin(), found.end()};
                }
    throw MeshError(file.string(), "has no array " + name);
}

std::string provenance_of_vtu(const fs::path& file)
{
    const Progress silent; // the reader keeps a reference
    VtuFile f(file, silent, true);
    for (const auto a : f.grid().child("FieldData").children())
        if (is_array(a) && a.attribute("Name").value() == std::string_view(provenance_name) &&
            f.is_text(a))
            if (const auto t = f.texts(a); !t.empty())
                return t[0];
    return {};
}

RawLines read_vtk_xml_lines(const fs::path& file, const Progress& progress)
{
    return VtuReader(file, progress, false, true).lines();
}

} // namespace tawara::mesh::io
