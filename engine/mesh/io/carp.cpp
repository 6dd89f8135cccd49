// SPDX-License-Identifier: GPL-3.0-or-later
//
// CARP / openCARP meshes: points (.pts, .bpts), elements (.elem, .belem), fibres (.lon, .blon). The
// binary forms have a text header of 1024 bytes: count, 0 or 1 for little or big endian, a check
// number (666); .blon has the number of axes before the count. Then 32-bit floats and integers.
#include "engine/mesh/io/raw.hpp"
#include "engine/mesh/io/text.hpp"

#include <algorithm>

namespace tawara::mesh::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t header_bytes = 1024;

/// Nodes and names of the element types, in the binary form's numbering.
struct Type
{
    const char* code;
    const char* name;
    int nodes;
    bool ignorable;
};
constexpr std::array<Type, 9> types{{{"Tt", "tetrahedron", 4, false},
                                     {"Hx", "hexahedron", 8, false},
                                     {"Oc", "octahedron", 6, false},
                                     {"Py", "pyramid", 5, false},
                                     {"Pr", "prism", 6, false},
                                     {"Qd", "quadrilateral", 4, false},
                                     {"Tr", "triangle", 3, true},
                                     {"Ln", "line", 2, true},
                                     {"Nd", "point", 1, true}}};

void reserve(TetMesh& m, std::size_t n)
{
    for (auto& c : m.corner)
        c.reserve(n);
    m.region.reserve(n);
}

void read_points(Text& in, TetMesh& m, const Progress& progress)
{
    const std::size_t n = in.count("the number of points", 6);
    m.x.reserve(n), m.y.reserve(n), m.z.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        if (i % 65536 == 0)
            progress.at(double(i) / double(n), "reading points");
        Vec3 p{in.coordinate()};
        for (std::size_t a = 1; a < 3; ++a) {
            in.need_in_line("a coordinate");
            p[a] = in.coordinate();
        }
        if (in.more_in_line())
            in.fail("more columns follow than three coordinates");
        m.add_vertex(p);
    }
    if (!in.at_end())
        in.fail("more points follow than the " + std::to_string(n) + " announced in line 1");
}

/// Which of the file's elements are tetrahedra; fibre files have a row for each element.
using Kept = std::vector<char>;

Kept read_elements(Text& in, Raw& raw, const Progress& progress)
{
    TetMesh& m = raw.mesh;
    const std::size_t n = in.count("the number of elements", 6);
    const auto last = static_cast<std::int64_t>(m.vertex_count()) - 1;
    reserve(m, n);
    Kept kept;
    OtherCells others;
    std::size_t unlabelled = 0;
    long first_unlabelled = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (i % 65536 == 0)
            progress.at(double(i) / double(n), "reading elements");
        const auto code = in.word("an element type");
        const auto* const type =
            std::find_if(types.begin(), types.end(), [&](const Type& t) { return code == t.code; });
        if (type == types.end())
            in.fail(in_quotes(code) + " stands where an element type such as Tt is due");
        kept.push_back(type == types.begin());
        if (!kept.back()) {
            type->ignorable ? others.ignored(type->name) : others.refused(type->name);
            in.skip_line();
            continue;
        }
        std::array<std::int32_t, 4> c{};
        for (auto& v : c) {
            in.need_in_line("a vertex number");
            v = static_cast<std::int32_t>(in.integer("a vertex number", 0, last));
        }
        const bool labelled = in.more_in_line();
        if (!labelled && unlabelled++ == 0)
            first_unlabelled = in.line();
        m.add_tetrahedron(c, labelled ? static_cast<std::int32_t>(
                                            in.integer("a region label", INT32_MIN, INT32_MAX))
                                      : 1);
        if (in.more_in_line())
            in.fail("more columns follow than type, four vertices and a region label");
    }
    if (!in.at_end())
        in.fail("more elements follow than the " + std::to_string(n) + " announced in line 1");
    others.conclude(in.file(), raw.notices);
    if (unlabelled > 0) {
        const std::size_t all = m.tetrahedron_count();
        raw.notices.push_back({unlabelled < all ? Notice::Level::warning : Notice::Level::info,
                               std::to_string(unlabelled) + " of " + std::to_string(all) +
                                   " tetrahedra have no region label (first in line " +
                                   std::to_string(first_unlabelled) + " of " +
                                   fs::path(in.file()).filename().string() +
                                   "): taken as region 1"});
    }
    return kept;
}

void read_fibres(Text& in, TetMesh& m, const Kept& kept)
{
    int axes = 0;
    std::array<double, 6> row{};
    const bool header = [&] { // old files have no header line
        std::size_t columns = 0;
        Text look(in.file(), std::string_view(in.take(0, ""), in.left()));
        look.at_end();
        while (look.more_in_line() && columns < 7) {
            look.word("");
            ++columns;
        }
        axes = columns >= 6 ? 2 : 1;
        return columns == 1;
    }();
    if (header)
        axes =
            static_cast<int>(in.integer("the number of axes (1 fibre, 2 fibre and sheet)", 1, 2));
    const std::size_t n = m.tetrahedron_count();
    m.fibre.resize(n);
    if (axes == 2)
        m.sheet.resize(n);
    std::size_t t = 0;
    std::size_t rows = 0;
    for (const char is_tetrahedron : kept) {
        if (in.at_end())
            in.fail("holds " + std::to_string(rows) +
                    " fibres; it should hold one for each of the " + std::to_string(kept.size()) +
                    " elements");
        ++rows;
        for (std::size_t c = 0; c < 3 * static_cast<std::size_t>(axes); ++c) {
            if (c > 0)
                in.need_in_line("a fibre component");
            row[c] = in.number("a fibre component");
        }
        if (in.more_in_line())
            in.fail("more columns follow than the " + std::to_string(3 * axes) + " of " +
                    std::to_string(axes) + " axes");
        if (!is_tetrahedron)
            continue;
        m.fibre.set(t, {row[0], row[1], row[2]});
        if (axes == 2)
            m.sheet.set(t, {row[3], row[4], row[5]});
        ++t;
    }
    if (!in.at_end())
        in.fail("more fibres follow than the " + std::to_string(kept.size()) + " elements");
}

/// A binary file after its header.
struct Binary
{
    Binary(const fs::path& file, int numbers_before_count)
        : name(file.string()), content(content_of(file))
    {
        if (content.size() < header_bytes)
            throw MeshError(name, "is shorter than the header of 1024 bytes; it seems truncated");
        const auto zero = content.find('\0');
        Text head(name, std::string_view(content).substr(0, std::min(zero, header_bytes)));
        if (numbers_before_count)
            axes = static_cast<int>(head.integer("the number of axes in the header", 1, 2));
        count = static_cast<std::size_t>(
            head.integer("the count in the header", 0, std::int64_t{1} << 40));
        swap = head.integer("the byte order in the header", 0, 1) !=
               (std::endian::native == std::endian::big);
        at = header_bytes;
    }
    const char* take(std::size_t bytes)
    {
        if (bytes > content.size() - at)
            throw MeshError(name, "ends within its data (" + std::to_string(count) +
                                      " records are announced); it seems truncated");
        at += bytes;
        return content.data() + at - bytes;
    }
    void finish() const
    {
        if (at != content.size())
            throw MeshError(name, std::to_string(content.size() - at) +
                                      " bytes follow the announced " + std::to_string(count) +
                                      " records");
    }
    double finite(const char* p, const char* what) const
    {
        const auto f = static_cast<double>(stored<float>(p, swap));
        if (!std::isfinite(f))
            throw MeshError(name, std::string(what) + " is not finite");
        return f;
    }
    std::string name, content;
    std::size_t count = 0, at = 0;
    int axes = 0;
    bool swap = false;
};

void read_points_binary(const fs::path& file, TetMesh& m)
{
    Binary in(file, 0);
    const char* const p = in.take(std::min(in.count, in.content.size()) * 12);
    in.finish();
    for (std::size_t i = 0; i < in.count; ++i)
        m.add_vertex({in.finite(p + 12 * i, "a coordinate"),
                      in.finite(p + 12 * i + 4, "a coordinate"),
                      in.finite(p + 12 * i + 8, "a coordinate")});
}

Kept read_elements_binary(const fs::path& file, Raw& raw)
{
    Binary in(file, 0);
    TetMesh& m = raw.mesh;
    Kept kept;
    OtherCells others;
    for (std::size_t i = 0; i < in.count; ++i) {
        const auto number = stored<std::int32_t>(in.take(4), in.swap);
        if (number < 0 || number >= static_cast<std::int32_t>(types.size()))
            throw MeshError(in.name, "element " + std::to_string(i) + " is of unknown type " +
                                         std::to_string(number));
        const Type& type = types[static_cast<std::size_t>(number)];
        const char* const p = in.take(4 * static_cast<std::size_t>(type.nodes) + 4);
        kept.push_back(number == 0);
        if (number != 0) {
            type.ignorable ? others.ignored(type.name) : others.refused(type.name);
            continue;
        }
        std::array<std::int32_t, 4> c{};
        for (std::size_t k = 0; k < 4; ++k) {
            c[k] = stored<std::int32_t>(p + 4 * k, in.swap);
            if (c[k] < 0 || static_cast<std::size_t>(c[k]) >= m.vertex_count())
                throw MeshError(in.name, "element " + std::to_string(i) + " names vertex " +
                                             std::to_string(c[k]) + ", but there are " +
                                             std::to_string(m.vertex_count()));
        }
        m.add_tetrahedron(c, stored<std::int32_t>(p + 16, in.swap));
    }
    in.finish();
    others.conclude(in.name, raw.notices);
    return kept;
}

void read_fibres_binary(const fs::path& file, TetMesh& m, const Kept& kept)
{
    Binary in(file, 1);
    if (in.count != kept.size())
        throw MeshError(in.name, "has fibres for " + std::to_string(in.count) +
                                     " elements, but there are " + std::to_string(kept.size()));
    const std::size_t n = m.tetrahedron_count();
    m.fibre.resize(n);
    if (in.axes == 2)
        m.sheet.resize(n);
    std::size_t t = 0;
    for (const char is_tetrahedron : kept)
        for (int a = 0; a < in.axes; ++a) {
            const char* const p = in.take(12);
            const Vec3 v{in.finite(p, "a fibre component"), in.finite(p + 4, "a fibre component"),
                         in.finite(p + 8, "a fibre component")};
            if (is_tetrahedron)
                (a == 0 ? m.fibre : m.sheet).set(t, v);
            t += is_tetrahedron && a + 1 == in.axes;
        }
    in.finish();
}

fs::path beside(fs::path file, const char* extension)
{
    return file.replace_extension(extension);
}

} // namespace

void read_carp_fibres(const fs::path& file, TetMesh& m)
{
    const Kept all(m.tetrahedron_count(), 1);
    m.fibre = {}, m.sheet = {}, m.normal = {};
    if (file.extension() == ".blon")
        return read_fibres_binary(file, m, all);
    Text fibres(file);
    read_fibres(fibres, m, all);
}

Raw read_carp(const fs::path& file, const Progress& progress)
{
    Raw raw;
    raw.convention = LengthUnit::um;
    const auto extension = file.extension().string();
    const bool prefer_binary = extension.starts_with(".b");
    const bool binary =
        prefer_binary || (!fs::exists(beside(file, ".pts")) && fs::exists(beside(file, ".bpts")));
    raw.format = binary ? "CARP binary" : "CARP";
    const fs::path pts = beside(file, binary ? ".bpts" : ".pts");
    const fs::path elem = beside(file, binary ? ".belem" : ".elem");
    const fs::path lon = beside(file, binary ? ".blon" : ".lon");
    const bool none = !fs::exists(pts) && !fs::exists(elem);
    for (const auto& f : {pts, elem})
        if (!fs::exists(f))
            throw MeshError((none ? file : f).string(),
                            "is missing; a CARP mesh needs .pts and .elem (or .bpts and "
                            ".belem) side by side");
    Kept kept;
    if (binary) {
        read_points_binary(pts, raw.mesh);
        kept = read_elements_binary(elem, raw);
    } else {
        Text points(pts), elements(elem);
        read_points(points, raw.mesh, progress);
        kept = read_elements(elements, raw, progress);
    }
    if (fs::exists(lon)) {
        if (binary) {
            read_fibres_binary(lon, raw.mesh, kept);
        } else {
            Text fibres(lon);
            read_fibres(fibres, raw.mesh, kept);
        }
    } else {
        raw.notices.push_back({Notice::Level::info, "no " + lon.filename().string() +
                                                        " beside it: the mesh has no fibres"});
    }
    return raw;
}

} // namespace tawara::mesh::io
