// SPDX-License-Identifier: GPL-3.0-or-later
//
// TetGen meshes: .node, .ele, and where present .face (its markers become the field "face_marker");
// with Chaste's fibre files .ortho (fibre, sheet, normal) and .axi (fibre). Chaste's binary form
// has the word BIN at the end of each header line; then come little-endian records without numbers:
// coordinates and attributes as doubles, vertex numbers (from 0) as 32-bit integers.
#include "engine/mesh/face_markers.hpp"
#include "engine/mesh/io/length_unit.hpp"
#include "engine/mesh/io/raw.hpp"
#include "engine/mesh/io/text.hpp"

#include <algorithm>
#include <utility>

namespace tawara::mesh::io {
namespace {

namespace fs = std::filesystem;

constexpr bool swap_little = std::endian::native == std::endian::big;

/// Consumes the header's rest: true for "BIN". Binary data begins behind the line's end.
bool header_ends_binary(Text& in)
{
    bool binary = false;
    while (in.more_in_line())
        if (in.word("") == "BIN")
            binary = true;
    in.skip_line();
    return binary;
}

std::int64_t optional_count(Text& in, const char* what, std::int64_t high)
{
    if (!in.more_in_line())
        return 0;
    Text look(in.file(), std::string_view(in.take(0, ""), in.left()));
    return look.word("") == "BIN" ? 0 : in.integer(what, 0, high);
}

/// Lines with more columns than their header announces, which TetGen ignores.
class FurtherColumns
{
  public:
    void skip(Text& in)
    {
        if (!in.more_in_line())
            return;
        if (lines_++ == 0)
            first_ = in.line();
        in.skip_line();
    }
    void conclude(const Text& in, const char* of, const char* lost, Notices& notices) const
    {
        if (lines_ > 0)
            notices.push_back(
                {Notice::Level::warning,
                 std::to_string(lines_) + " lines of " + of + " in " +
                     fs::path(in.file()).filename().string() + " (the first is line " +
                     std::to_string(first_) +
                     ") have more columns than its header announces: as TetGen does, " + lost});
    }

  private:
    std::size_t lines_ = 0;
    long first_ = 0;
};

double binary_number(Text& in, const char* what)
{
    const double d = stored<double>(in.take(8, what), swap_little);
    if (!std::isfinite(d))
        throw MeshError(in.file(), std::string(what) + " is not finite");
    return d;
}

/// The number of the first vertex, 0 or 1.
std::int64_t read_nodes(Text& in, Raw& raw, const Progress& progress)
{
    TetMesh& m = raw.mesh;
    const std::size_t n = in.count("the number of vertices", 8);
    in.integer("the dimension", 3, 3);
    const auto attributes = optional_count(in, "the number of attributes", 1000);
    const auto markers = optional_count(in, "the number of boundary markers", 1);
    const bool binary = header_ends_binary(in);
    m.x.reserve(n), m.y.reserve(n), m.z.reserve(n);
    std::int64_t first = 0;
    FurtherColumns further;
    for (std::size_t i = 0; i < n; ++i) {
        if (i % 65536 == 0)
            progress.at(double(i) / double(n), "reading vertices");
        Vec3 p{};
        if (binary) {
            for (auto& c : p)
                c = binary_number(in, "a coordinate");
            in.take(8 * static_cast<std::size_t>(attributes), "the attributes");
        } else {
            const auto id = in.integer("a vertex number");
            if (i == 0)
                first = id;
            if (id != first + static_cast<std::int64_t>(i) || first < 0 || first > 1)
                in.fail("vertex number " + std::to_string(id) +
                        " is out of order; they must rise "
                        "one by one from 0 or 1");
            for (auto& c : p) {
                in.need_in_line("a coordinate");
                c = in.number("a coordinate");
            }
            for (std::int64_t a = 0; a < attributes + markers; ++a) {
                in.need_in_line("a vertex attribute or marker");
                in.number("a vertex attribute or marker");
            }
            further.skip(in);
        }
        m.add_vertex(p);
    }
    if (!binary && !in.at_end())
        in.fail("more vertices follow than the " + std::to_string(n) + " announced");
    further.conclude(in, "vertices", "the rest of these lines is ignored", raw.notices);
    return first;
}

void read_elements(Text& in, Raw& raw, std::int64_t first, const Progress& progress)
{
    TetMesh& m = raw.mesh;
    const std::size_t n = in.count("the number of tetrahedra", 10);
    const auto nodes = in.integer("the number of vertices per element", 1, 100);
    if (nodes != 4)
        in.fail("elements of " + std::to_string(nodes) +
                " vertices; only linear tetrahedra of 4 are understood");
    const auto attributes =
        static_cast<std::size_t>(optional_count(in, "the number of attributes", 1000));
    const bool binary = header_ends_binary(in);
    for (auto& c : m.corner)
        c.reserve(n);
    m.region.reserve(n);
    const auto last = static_cast<std::int64_t>(m.vertex_count()) - 1;
    std::int64_t first_id = 0;
    FurtherColumns further;
    for (std::size_t i = 0; i < n; ++i) {
        if (i % 65536 == 0)
            progress.at(double(i) / double(n), "reading tetrahedra");
        std::array<std::int32_t, 4> c{};
        double label = 1;
        if (binary) {
            const char* const p = in.take(16 + 8 * attributes, "the tetrahedra");
            for (std::size_t k = 0; k < 4; ++k) {
                c[k] = stored<std::int32_t>(p + 4 * k, swap_little);
                if (c[k] < 0 || c[k] > last)
                    throw MeshError(in.file(), "tetrahedron " + std::to_string(i) +
                                                   " names vertex " + std::to_string(c[k]) +
                                                   "; it must be from 0 to " +
                                                   std::to_string(last));
            }
            if (attributes > 0)
                label = stored<double>(p + 16, swap_little);
        } else {
            const auto id = in.integer("a tetrahedron's number");
            if (i == 0)
                first_id = id;
            if (id != first_id + static_cast<std::int64_t>(i))
                in.fail("tetrahedron number " + std::to_string(id) +
                        " is out of order; they must rise one by one");
            for (auto& v : c) {
                in.need_in_line("a vertex number");
                v = static_cast<std::int32_t>(in.integer("a vertex number", first, last + first) -
                                              first);
            }
            for (std::size_t a = 0; a < attributes; ++a) {
                in.need_in_line("an attribute");
                const double value = in.number("an attribute");
                label = a == 0 ? value : label;
            }
            further.skip(in);
        }
        if (!(std::abs(label) < 2147483648.0) || label != std::floor(label))
            in.fail("the region attribute is no integer of 32 bits");
        m.add_tetrahedron(c, static_cast<std::int32_t>(label));
    }
    if (!binary && !in.at_end())
        in.fail("more tetrahedra follow than the " + std::to_string(n) + " announced");
    further.conclude(in, "tetrahedra",
                     attributes > 0
                         ? "the rest of these lines is ignored"
                         : "the rest of these lines is ignored; if regions' labels stand "
                           "there, write 1 as the header's last number",
                     raw.notices);
}

using Face = std::array<std::int32_t, 3>;
using Markers =
    std::vector<std::pair<Face, float>>; ///< sorted by face, of equal ones the last counts

bool face_before(const Face& a, const std::pair<Face, float>& b)
{
    return a < b.first;
}

/// Face markers other than 0, under the sorted vertices.
Markers read_faces(Text& in, std::int64_t first, std::int64_t last)
{
    Markers markers;
    const std::size_t n = in.count("the number of faces", 6);
    const bool marked = optional_count(in, "the number of markers", 1) == 1;
    const bool binary = header_ends_binary(in);
    for (std::size_t i = 0; i < n && marked; ++i) {
        Face f{};
        double marker = 0;
        if (binary) {
            const char* const p = in.take(20, "the faces");
            for (std::size_t k = 0; k < 3; ++k)
                f[k] = stored<std::int32_t>(p + 4 * k, swap_little);
            marker = stored<double>(p + 12, swap_little);
        } else {
            in.integer("a face's number");
            for (auto& v : f) {
                in.need_in_line("a vertex number");
                v = static_cast<std::int32_t>(in.integer("a vertex number", first, last + first) -
                                              first);
            }
            in.need_in_line("a marker");
            marker = in.number("a marker");
            in.skip_line();
        }
        std::sort(f.begin(), f.end());
        if (marker != 0)
            markers.emplace_back(f, static_cast<float>(marker));
    }
    std::stable_sort(markers.begin(), markers.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    return markers;
}

void carry_markers(TetMesh& m, const Markers& markers)
{
    if (markers.empty())
        return;
    Field f{std::string(face_marker_name), Field::On::tetrahedra, 4, {}};
    f.values.assign(4 * m.tetrahedron_count(), 0);
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
        for (std::size_t k = 0; k < 4; ++k) {
            Face face{};
            for (std::size_t i = 0, j = 0; i < 4; ++i)
                if (i != k)
                    face[j++] = m.corner[i][t];
            std::sort(face.begin(), face.end());
            const auto after = std::upper_bound(markers.begin(), markers.end(), face, face_before);
            if (after != markers.begin() && (after - 1)->first == face)
                f.values[4 * t + k] = (after - 1)->second;
        }
    m.fields.push_back(std::move(f));
}

void read_chaste_fibres(Text& in, TetMesh& m, std::size_t axes)
{
    const std::size_t n = m.tetrahedron_count();
    const auto announced = in.count("the number of elements", 3 * axes);
    if (announced != n)
        in.fail("fibres for " + std::to_string(announced) +
                " elements are announced, but there are " + std::to_string(n));
    const bool binary = header_ends_binary(in);
    const std::array<Directions*, 3> to{&m.fibre, &m.sheet, &m.normal};
    for (std::size_t a = 0; a < axes; ++a)
        to[a]->resize(n);
    for (std::size_t t = 0; t < n; ++t) {
        for (std::size_t a = 0; a < axes; ++a) {
            Vec3 v{};
            for (auto& c : v)
                c = binary ? binary_number(in, "a fibre component")
                           : in.number("a fibre component");
            to[a]->set(t, v);
        }
        if (!binary && in.more_in_line())
            in.fail("more columns follow than " + std::to_string(3 * axes));
    }
    if (!binary && !in.at_end())
        in.fail("more fibres follow than the " + std::to_string(n) + " tetrahedra");
}

fs::path beside(fs::path file, const char* extension)
{
    return file.replace_extension(extension);
}

} // namespace

Raw read_tetgen(const fs::path& file, const Progress& progress)
{
    Raw raw;
    raw.format = "TetGen";
    const fs::path node = beside(file, ".node"), ele = beside(file, ".ele");
    for (const auto& f : {node, ele})
        if (!fs::exists(f))
            throw MeshError(f.string(),
                            "is missing; a TetGen mesh needs .node and .ele side by side");
    Text nodes(node);
    raw.stated =
        noted_unit(std::string_view(nodes.take(0, ""), std::min<std::size_t>(nodes.left(), 400)));
    const auto first = read_nodes(nodes, raw, progress);
    Text elements(ele);
    read_elements(elements, raw, first, progress);
    if (fs::exists(beside(file, ".face"))) {
        Text faces(beside(file, ".face"));
        carry_markers(raw.mesh, read_faces(faces, first,
                                           static_cast<std::int64_t>(raw.mesh.vertex_count()) - 1));
    }
    for (const auto& [extension, axes] :
         {std::pair<const char*, std::size_t>{".ortho", 3}, {".axi", 1}})
        if (fs::exists(beside(file, extension))) {
            Text fibres(beside(file, extension));
            read_chaste_fibres(fibres, raw.mesh, axes);
            raw.format = "TetGen (Chaste)";
            raw.convention = LengthUnit::cm;
            break;
        }
    return raw;
}

} // namespace tawara::mesh::io
