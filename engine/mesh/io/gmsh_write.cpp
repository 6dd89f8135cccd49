// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/provenance.hpp"
#include "engine/core/utf8.hpp"
#include "engine/mesh/io/files.hpp"
#include "engine/mesh/io/length_unit.hpp"
#include "engine/mesh/io/write.hpp"

#include <algorithm>
#include <map>

namespace tawara::mesh::io {
namespace {

using Regions = std::map<std::int32_t, std::vector<std::int32_t>>; ///< label -> tetrahedra

void print_head(Printer& p, const TetMesh& m, const char* version)
{
    p << "$MeshFormat\n" << version << " 1 8\n";
    p.raw(std::int32_t{1}) << "\n$EndMeshFormat\n";
    p << "$Comments\n" << unit_note << "mm\n" << program_text() << "\n$EndComments\n";
    if (m.label_names.empty())
        return;
    p << "$PhysicalNames\n" << m.label_names.size() << '\n';
    for (const auto& [label, name] : m.label_names)
        p << "3 " << label << " \"" << readable(name) << "\"\n";
    p << "$EndPhysicalNames\n";
}

void print_data(Printer& p, const std::string& name, bool at_nodes, std::size_t components,
                std::size_t count, const std::vector<std::int32_t>* order, const auto& value)
{
    const std::string kind = at_nodes ? "NodeData" : "ElementData";
    p << '$' << kind << "\n1\n\"" << name << "\"\n1\n0\n3\n0\n"
      << components << '\n'
      << count << '\n';
    for (std::size_t i = 0; i < count; ++i) {
        const auto at = order ? static_cast<std::size_t>((*order)[i]) : i;
        p.raw(static_cast<std::int32_t>(at + 1));
        for (std::size_t c = 0; c < components; ++c)
            p.raw(static_cast<double>(value(at, c)));
    }
    p << "\n$End" << kind << '\n';
}

void print_all_data(Printer& p, const TetMesh& m, const std::vector<std::int32_t>* order)
{
    const std::size_t n = m.tetrahedron_count();
    const auto directions = [&](const char* name, const Directions& d) {
        if (!d.empty())
            print_data(p, name, false, 3, n, order,
                       [&](std::size_t t, std::size_t c) { return d[t][c]; });
    };
    directions("fibre", m.fibre);
    directions("sheet", m.sheet);
    directions("normal", m.normal);
    for (const auto& f : m.fields) {
        const auto comps = static_cast<std::size_t>(f.components);
        const bool at_nodes = f.on == Field::On::vertices;
        print_data(p, f.name, at_nodes, comps, at_nodes ? m.vertex_count() : n,
                   at_nodes ? nullptr : order,
                   [&](std::size_t i, std::size_t c) { return f.values[i * comps + c]; });
    }
}

/// Version 2.2 keeps the order of the tetrahedra.
void print_2(Printer& p, const TetMesh& m)
{
    print_head(p, m, "2.2");
    p << "$Nodes\n" << m.vertex_count() << '\n';
    for (std::size_t v = 0; v < m.vertex_count(); ++v)
        p.raw(static_cast<std::int32_t>(v + 1)).raw(m.x[v]).raw(m.y[v]).raw(m.z[v]);
    p << "\n$EndNodes\n$Elements\n" << m.tetrahedron_count() << '\n';
    p.raw(std::int32_t{4})
        .raw(static_cast<std::int32_t>(m.tetrahedron_count()))
        .raw(std::int32_t{2});
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        p.raw(static_cast<std::int32_t>(t + 1)).raw(m.region[t]).raw(m.region[t]);
        for (const auto v : m.corners(t))
            p.raw(v + 1);
    }
    p << "\n$EndElements\n";
    print_all_data(p, m, nullptr);
}

/// Version 4.1 keeps labels by blocks, so each label becomes a volume and a physical group; where
/// there are several, the tetrahedra are written label by label. Their tags say which they were.
void print_4(Printer& p, const TetMesh& m)
{
    Regions regions;
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
        regions[m.region[t]].push_back(static_cast<std::int32_t>(t));
    print_head(p, m, "4.1");
    Vec3 low{}, high{};
    for (std::size_t a = 0; a < 3; ++a) {
        const auto& c = a == 0 ? m.x : a == 1 ? m.y : m.z;
        const auto [least, most] = std::minmax_element(c.begin(), c.end());
        low[a] = *least, high[a] = *most;
    }
    const auto size = [&](std::size_t n) { p.raw(static_cast<std::uint64_t>(n)); };
    const auto number = [&](std::size_t n) { p.raw(static_cast<std::int32_t>(n)); };
    p << "$Entities\n";
    size(0), size(0), size(0), size(regions.size());
    std::size_t entity = 0;
    for (const auto& [label, tets] : regions) {
        number(++entity);
        p.raw(low).raw(high);
        size(1);
        p.raw(label);
        size(0);
    }
    const std::size_t nv = m.vertex_count(), n = m.tetrahedron_count();
    p << "\n$EndEntities\n$Nodes\n";
    size(1), size(nv), size(1), size(nv);
    number(3), number(1), number(0), size(nv);
    for (std::size_t v = 0; v < nv; ++v)
        size(v + 1);
    for (std::size_t v = 0; v < nv; ++v)
        p.raw(m.x[v]).raw(m.y[v]).raw(m.z[v]);
    p << "\n$EndNodes\n$Elements\n";
    size(regions.size()), size(n), size(1), size(n);
    std::vector<std::int32_t> order;
    entity = 0;
    for (const auto& [label, tets] : regions) {
        number(3), number(++entity), number(4), size(tets.size());
        for (const auto t : tets) {
            order.push_back(t);
            size(static_cast<std::size_t>(t) + 1);
            for (const auto v : m.corners(static_cast<std::size_t>(t)))
                size(static_cast<std::size_t>(v) + 1);
        }
    }
    p << "\n$EndElements\n";
    print_all_data(p, m, &order);
}

} // namespace

void write_gmsh(const TetMesh& m, const std::filesystem::path& file, bool version_2)
{
    write_all({{file, [&](std::ostream& out) {
                    Printer p(out);
                    version_2 ? print_2(p, m) : print_4(p, m);
                }}});
}

} // namespace tawara::mesh::io
