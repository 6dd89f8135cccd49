// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/provenance.hpp"
#include "engine/mesh/face_markers.hpp"
#include "engine/mesh/io/files.hpp"
#include "engine/mesh/io/length_unit.hpp"
#include "engine/mesh/io/write.hpp"
#include "engine/mesh/topology.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>

namespace tawara::mesh::io {
namespace {

namespace fs = std::filesystem;

fs::path companion(fs::path file, const char* extension)
{
    return file.replace_extension(extension);
}

void print_direction(Printer& p, const Directions& d, std::size_t i, char before_others = ' ')
{
    p << d.x[i] << before_others << d.y[i] << before_others << d.z[i];
}

void binary_header(Printer& p, const std::string& numbers)
{
    std::string h = numbers + (std::endian::native == std::endian::big ? " 1" : " 0") + " 666";
    h.resize(1024, '\0');
    p << h;
}

constexpr double um_per_mm = 1000;

} // namespace

void write_carp(const TetMesh& m, const fs::path& file, bool binary)
{
    const std::size_t nv = m.vertex_count(), n = m.tetrahedron_count();
    std::vector<FileToWrite> files;
    files.push_back({companion(file, binary ? ".bpts" : ".pts"), [&](std::ostream& out) {
                         Printer p(out);
                         if (binary)
                             binary_header(p, std::to_string(nv));
                         else
                             p << nv << '\n';
                         for (std::size_t v = 0; v < nv; ++v)
                             for (std::size_t a = 0; a < 3; ++a) {
                                 const double um = um_per_mm * m.vertex(v)[a];
                                 if (binary)
                                     p.raw(static_cast<float>(um));
                                 else
                                     p << um << (a == 2 ? '\n' : ' ');
                             }
                     }});
    files.push_back({companion(file, binary ? ".belem" : ".elem"), [&](std::ostream& out) {
                         Printer p(out);
                         if (binary)
                             binary_header(p, std::to_string(n));
                         else
                             p << n << '\n';
                         for (std::size_t t = 0; t < n; ++t) {
                             const auto c = m.corners(t);
                             if (binary) {
                                 p.raw(std::int32_t{0}).raw(c).raw(m.region[t]);
                                 continue;
                             }
                             p << "Tt";
                             for (const auto v : c)
                                 p << ' ' << v;
                             p << ' ' << m.region[t] << '\n';
                         }
                     }});
    const fs::path lon = companion(file, binary ? ".blon" : ".lon");
    if (m.fibre.empty()) {
        write_all(files, {lon}); // an older one would be taken for this mesh's
        return;
    }
    const bool sheets = !m.sheet.empty();
    files.push_back({lon, [&](std::ostream& out) {
                         Printer p(out);
                         if (binary)
                             binary_header(p, (sheets ? "2 " : "1 ") + std::to_string(n));
                         else
                             p << (sheets ? "2\n" : "1\n");
                         const auto raw = [&](const Directions& d, std::size_t t) {
                             p.raw(d.x[t]).raw(d.y[t]).raw(d.z[t]);
                         };
                         for (std::size_t t = 0; t < n; ++t) {
                             if (binary) {
                                 raw(m.fibre, t);
                                 if (sheets)
                                     raw(m.sheet, t);
                                 continue;
                             }
                             print_direction(p, m.fibre, t);
                             if (sheets) {
                                 p << ' ';
                                 print_direction(p, m.sheet, t);
                             }
                             p << '\n';
                         }
                     }});
    write_all(files);
}

namespace {

void print_faces(Printer& p, const TetMesh& m, const Field& markers)
{
    std::vector<std::pair<std::array<std::int32_t, 3>, int>> faces;
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
        for (std::size_t k = 0; k < 4; ++k) {
            const float marker = markers.values[4 * t + k];
            if (marker == 0)
                continue;
            std::array<std::int32_t, 3> f{};
            for (std::size_t i = 0; i < 3; ++i)
                f[i] = m.corner[static_cast<std::size_t>(face_corners[k][i])][t];
            faces.emplace_back(f, static_cast<int>(marker));
        }
    p << faces.size() << " 1\n";
    for (std::size_t i = 0; i < faces.size(); ++i)
        p << i << ' ' << faces[i].first[0] << ' ' << faces[i].first[1] << ' ' << faces[i].first[2]
          << ' ' << faces[i].second << '\n';
}

} // namespace

void write_tetgen(const TetMesh& m, const fs::path& file)
{
    const std::size_t nv = m.vertex_count(), n = m.tetrahedron_count();
    std::vector<FileToWrite> files;
    std::vector<fs::path> stale;
    files.push_back({companion(file, ".node"), [&](std::ostream& out) {
                         Printer p(out);
                         p << "# " << unit_note << "mm\n# " << program_text() << '\n'
                           << nv << " 3 0 0\n";
                         for (std::size_t v = 0; v < nv; ++v)
                             p << v << ' ' << m.x[v] << ' ' << m.y[v] << ' ' << m.z[v] << '\n';
                     }});
    files.push_back({companion(file, ".ele"), [&](std::ostream& out) {
                         Printer p(out);
                         p << n << " 4 1\n";
                         for (std::size_t t = 0; t < n; ++t) {
                             p << t;
                             for (const auto v : m.corners(t))
                                 p << ' ' << v;
                             p << ' ' << m.region[t] << '\n';
                         }
                     }});
    if (const Field* const markers = face_markers(m))
        files.push_back({companion(file, ".face"), [&m, markers](std::ostream& out) {
                             Printer p(out);
                             print_faces(p, m, *markers);
                         }});
    else
        stale.push_back(companion(file, ".face"));
    const bool three = !m.sheet.empty() && !m.normal.empty();
    stale.push_back(companion(file, m.fibre.empty() || !three ? ".ortho" : ".axi"));
    if (m.fibre.empty())
        stale.push_back(companion(file, ".axi"));
    else
        files.push_back({companion(file, three ? ".ortho" : ".axi"), [&](std::ostream& out) {
                             Printer p(out);
                             p << n << '\n';
                             for (std::size_t t = 0; t < n; ++t) {
                                 print_direction(p, m.fibre, t);
                                 if (three) {
                                     p << ' ';
                                     print_direction(p, m.sheet, t);
                                     p << ' ';
                                     print_direction(p, m.normal, t);
                                 }
                                 p << '\n';
                             }
                         }});
    write_all(files, stale);
}

} // namespace tawara::mesh::io
