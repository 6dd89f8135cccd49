// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/parallel/files.hpp"

#include "engine/core/output_folder.hpp"
#include "engine/core/part_file.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/mesh/measure.hpp"
#include "engine/mesh/parallel/index_text.hpp"
#include "engine/mesh/parallel/sections.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

namespace tawara::mesh::parallel {
namespace {

namespace fs = std::filesystem;

std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

std::string name_of_part(const fs::path& index, std::int32_t number)
{
    char text[24];
    std::snprintf(text, sizeof text, "-%04d.part", number);
    return index.stem().string() + text;
}

std::string array_of(const Index::FieldOf& f)
{
    return "field " + f.name;
}

void put(Sections& out, const std::string& name, const Directions& d)
{
    if (d.empty())
        return;
    out.put(name + ".x", d.x);
    out.put(name + ".y", d.y);
    out.put(name + ".z", d.z);
}

std::vector<std::int32_t> corners_of(const Surface& s)
{
    std::vector<std::int32_t> out;
    for (const auto& t : s.triangles)
        out.insert(out.end(), t.begin(), t.end());
    return out;
}

void put(Sections& out, const Part& p, const Index& index)
{
    const auto& m = p.mesh;
    out.put("vertex.number", p.vertex);
    out.put("vertex.owner", p.vertex_owner);
    out.put("vertex.x", m.x);
    out.put("vertex.y", m.y);
    out.put("vertex.z", m.z);
    out.put("tet.number", p.tetrahedron);
    out.put("tet.owner", p.tetrahedron_owner);
    out.put("tet.needed_by", p.needed_by);
    for (std::size_t k = 0; k < 4; ++k)
        out.put("tet.corner" + std::to_string(k), m.corner[k]);
    out.put("tet.label", m.region);
    put(out, "fibre", m.fibre);
    put(out, "sheet", m.sheet);
    put(out, "normal", m.normal);
    out.put("surface.vertex", p.surface.vertices);
    out.put("surface.triangle", corners_of(p.surface));
    out.put("surface.tet", p.surface.tetrahedron);
    out.put("surface.wall", p.surface.wall);
    for (std::size_t k = 0; k < m.fields.size(); ++k)
        out.put(array_of(index.fields[k]), m.fields[k].values);
    out.end();
}

Index about(const TetMesh& m, const Surface& surface, const std::string& title)
{
    Index out;
    out.title = title;
    out.vertices = static_cast<std::int64_t>(m.vertex_count());
    out.tetrahedra = static_cast<std::int64_t>(m.tetrahedron_count());
    out.edge_mm = mean_edge_mm(m);
    out.low = out.high = m.vertex(0);
    for (std::size_t v = 0; v < m.vertex_count(); ++v)
        for (std::size_t k = 0; k < 3; ++k) {
            out.low[k] = std::min(out.low[k], m.vertex(v)[k]);
            out.high[k] = std::max(out.high[k], m.vertex(v)[k]);
        }
    for (const auto label : m.region)
        ++out.labels[label];
    out.label_names = m.label_names;
    for (const auto& f : m.fields)
        out.fields.push_back({f.name, f.on, f.components});
    for (const auto wall : {Wall::epi, Wall::endo_lv, Wall::endo_rv, Wall::base})
        if (std::find(surface.wall.begin(), surface.wall.end(), wall) != surface.wall.end())
            out.walls.emplace_back(name(wall));
    out.fibres = !m.fibre.empty();
    out.sheets = !m.sheet.empty();
    out.normals = !m.normal.empty();
    return out;
}

/// The parts of an earlier index of that name; none where it is not one. Files that it names
/// otherwise than an index of its name does are another's, and stay.
std::vector<std::string> files_before(const fs::path& file)
{
    std::vector<std::string> out;
    try {
        const auto parts = read_index(file).parts;
        for (std::size_t k = 0; k < parts.size(); ++k)
            if (parts[k].file == name_of_part(file, static_cast<std::int32_t>(k)))
                out.push_back(parts[k].file);
    } catch (const std::exception&) {
    }
    return out;
}

class Check
{
  public:
    Check(const SectionReader& in, const Part& p, const Index& index)
        : in_(in), p_(p), index_(index)
    {
    }
    void all() const
    {
        const auto vertices = p_.vertex.size(), tets = p_.tetrahedron.size();
        const auto& m = p_.mesh;
        lengths(vertices, {m.x.size(), m.y.size(), m.z.size(), p_.vertex_owner.size()}, "vertices");
        lengths(tets,
                {m.corner[0].size(), m.corner[1].size(), m.corner[2].size(), m.corner[3].size(),
                 m.region.size(), p_.tetrahedron_owner.size(), p_.needed_by.size()},
                "tetrahedra");
        for (const auto* d : {&m.fibre, &m.sheet, &m.normal})
            if (!d->empty())
                lengths(tets, {d->x.size(), d->y.size(), d->z.size()}, "directions");
        for (const auto& f : m.fields)
            if (f.values.size() !=
                at(f.components) * (f.on == Field::On::vertices ? vertices : tets))
                in_.fail("its field " + f.name + " has another length than the part");
        numbers(p_.vertex, index_.vertices, "vertex.number");
        numbers(p_.tetrahedron, index_.tetrahedra, "tet.number");
        for (const auto* list : {&p_.vertex_owner, &p_.tetrahedron_owner})
            within(*list, p_.parts, "owners");
        for (const auto& corner : m.corner)
            within(corner, static_cast<std::int64_t>(vertices), "tet.corner");
        for (std::size_t v = 0; v < vertices; ++v)
            if (!std::isfinite(m.x[v]) || !std::isfinite(m.y[v]) || !std::isfinite(m.z[v]))
                in_.fail("vertex " + std::to_string(p_.vertex[v]) + " is at no finite place");
        for (std::size_t t = 0; t < tets; ++t)
            if (!(m.volume(t) > 0))
                in_.fail("tetrahedron " + std::to_string(p_.tetrahedron[t]) +
                         " has no positive volume");
        constexpr auto of_vertices = static_cast<int>(Unknowns::vertices),
                       of_tetrahedra = static_cast<int>(Unknowns::tetrahedra);
        for (std::size_t t = 0; t < tets; ++t) {
            int needed = p_.tetrahedron_owner[t] == p_.number ? of_vertices | of_tetrahedra : 0;
            for (const auto v : m.corners(t))
                needed |= p_.vertex_owner[at(v)] == p_.number ? of_vertices : 0;
            if ((p_.needed_by[t] & needed) != needed)
                in_.fail("its array tet.needed_by leaves out tetrahedron " +
                         std::to_string(p_.tetrahedron[t]) + ", which its own rows need");
        }
        for (const auto label : m.region)
            if (!index_.labels.contains(label))
                in_.fail("has the label " + std::to_string(label) +
                         ", which the index does not list");
        surface(p_.surface);
        const auto& of = index_.parts[at(p_.number)];
        if (std::count(p_.vertex_owner.begin(), p_.vertex_owner.end(), p_.number) != of.vertices ||
            std::count(p_.tetrahedron_owner.begin(), p_.tetrahedron_owner.end(), p_.number) !=
                of.tetrahedra)
            in_.fail("has not as many own vertices and tetrahedra as the index says");
    }

  private:
    void lengths(std::size_t wanted, std::initializer_list<std::size_t> lengths,
                 const char* what) const
    {
        for (const auto n : lengths)
            if (n != wanted)
                in_.fail(std::string("its arrays of ") + what + " have different lengths");
    }
    void numbers(const std::vector<std::int64_t>& list, std::int64_t all, const char* what) const
    {
        for (std::size_t i = 0; i < list.size(); ++i)
            if (list[i] < 0 || list[i] >= all || (i > 0 && list[i] <= list[i - 1]))
                in_.fail(std::string("its array ") + what + " does not rise within the mesh");
    }
    void within(const std::vector<std::int32_t>& list, std::int64_t all, const char* what) const
    {
        for (const auto i : list)
            if (i < 0 || i >= all)
                in_.fail(std::string("its array of ") + what + " has " + std::to_string(i) +
                         "; it should be from 0 to " + std::to_string(all - 1));
    }
    void surface(const Surface& s) const
    {
        const auto n = s.triangles.size();
        lengths(n, {s.tetrahedron.size(), s.wall.size()}, "the surface");
        within(s.vertices, static_cast<std::int64_t>(p_.vertex.size()), "surface.vertex");
        within(s.tetrahedron, static_cast<std::int64_t>(p_.tetrahedron.size()), "surface.tet");
        within(corners_of(s), static_cast<std::int64_t>(s.vertices.size()), "surface.triangle");
        for (const auto w : s.wall)
            if (w > Wall::base)
                in_.fail("its array surface.wall has a wall that there is not");
    }

    const SectionReader& in_;
    const Part& p_;
    const Index& index_;
};

void get(SectionReader& in, const std::string& name, bool there, Directions& d)
{
    if (!there)
        return;
    d.x = in.get<float>(name + ".x");
    d.y = in.get<float>(name + ".y");
    d.z = in.get<float>(name + ".z");
}

} // namespace

bool is_index(const fs::path& file)
{
    return file.extension() == ".parts";
}

Index write_parts(const TetMesh& m, std::span<const std::array<std::int32_t, 4>> neighbours,
                  const Surface& surface, const Cut& cut, const std::string& title,
                  const std::optional<Body>& body, const fs::path& file, const Progress& progress)
{
    if (!is_index(file))
        throw InputError(file.string(), "the index of a mesh in parts is called NAME.parts");
    if (cut.parts > most_parts)
        throw InputError("-n", "is " + std::to_string(cut.parts) + "; it should be at most " +
                                   std::to_string(most_parts));
    const auto before = files_before(file);
    auto index = about(m, surface, title);
    index.body = body;
    const Cutter cutter(m, neighbours, surface, cut);
    const auto folder = OutputFolder::among_others(file.parent_path()); // no link is followed
    PartFile named(file);
    std::vector<std::unique_ptr<PartFile>> files;
    for (std::int32_t k = 0; k < cut.parts; ++k) {
        progress.at(static_cast<double>(k) / cut.parts, "writing parts");
        const auto part = cutter.part(k);
        auto& of = index.parts.emplace_back();
        of.file = name_of_part(file, k);
        const auto& owners = part.vertex_owner;
        of.vertices = std::count(owners.begin(), owners.end(), k);
        of.tetrahedra = std::count(part.tetrahedron_owner.begin(), part.tetrahedron_owner.end(), k);
        files.push_back(std::make_unique<PartFile>(file.parent_path() / of.file));
        write_part(*files.back(), [&](std::ostream& out) {
            Sections sections(out, k, cut.parts);
            put(sections, part, index);
            of.bytes = sections.bytes();
            of.checksum = sections.checksum();
        });
    }
    write_part(named, [&](std::ostream& out) { out << text_of(index); });
    for (const auto& f : files) // none is missing from here on
        f->commit();
    named.commit();
    for (const auto& old : before)
        if (std::none_of(index.parts.begin(), index.parts.end(),
                         [&](const auto& p) { return p.file == old; }))
            remove_plain_file(file.parent_path() / old);
    return index;
}

Part read_part(const fs::path& index_file, const Index& index, std::int32_t number)
{
    const auto& of = index.parts.at(at(number));
    const auto parts = static_cast<std::int32_t>(index.parts.size());
    SectionReader in(index_file.parent_path() / of.file, number, parts);
    Part p;
    p.number = number;
    p.parts = parts;
    auto& m = p.mesh;
    p.vertex = in.get<std::int64_t>("vertex.number");
    p.vertex_owner = in.get<std::int32_t>("vertex.owner");
    m.x = in.get<double>("vertex.x");
    m.y = in.get<double>("vertex.y");
    m.z = in.get<double>("vertex.z");
    p.tetrahedron = in.get<std::int64_t>("tet.number");
    p.tetrahedron_owner = in.get<std::int32_t>("tet.owner");
    p.needed_by = in.get<std::uint8_t>("tet.needed_by");
    for (std::size_t k = 0; k < 4; ++k)
        m.corner[k] = in.get<std::int32_t>("tet.corner" + std::to_string(k));
    m.region = in.get<std::int32_t>("tet.label");
    get(in, "fibre", index.fibres, m.fibre);
    get(in, "sheet", index.sheets, m.sheet);
    get(in, "normal", index.normals, m.normal);
    p.surface.vertices = in.get<std::int32_t>("surface.vertex");
    const auto corners = in.get<std::int32_t>("surface.triangle", 3 * sizeof(std::int32_t));
    for (std::size_t k = 0; k < corners.size(); k += 3)
        p.surface.triangles.push_back({corners[k], corners[k + 1], corners[k + 2]});
    p.surface.tetrahedron = in.get<std::int32_t>("surface.tet");
    p.surface.wall = in.get<Wall>("surface.wall");
    for (const auto& f : index.fields)
        m.fields.push_back({f.name, f.on, f.components, in.get<float>(array_of(f))});
    m.label_names = index.label_names;
    in.end();
    if (in.checksum() != of.checksum)
        in.fail("is not the part that the index was written with; partition the mesh again");
    Check(in, p, index).all();
    return p;
}

} // namespace tawara::mesh::parallel
