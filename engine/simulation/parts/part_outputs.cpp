// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/parts/part_outputs.hpp"

#include "engine/core/provenance.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/device/ranks/pack.hpp"
#include "engine/mesh/io/provenance_field.hpp"
#include "engine/simulation/results/cell_map.hpp"
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <sstream>

namespace tawara::simulation::parts {
namespace {

using device::ranks::Pack;
using device::ranks::Unpack;

std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

constexpr double never = std::numeric_limits<double>::quiet_NaN();

/// The own tetrahedra of a part with their vertices, and which vertices of the part these are.
struct Piece
{
    mesh::TetMesh mesh;
    std::vector<std::int32_t> vertex, tetrahedron;
};

Piece piece_of(const PartTissue& t, int rank)
{
    const auto& m = *t.tissue.mesh;
    Piece out;
    std::vector<std::int32_t> number(m.vertex_count(), -1);
    for (std::size_t tet = 0; tet < m.tetrahedron_count(); ++tet)
        if (t.tetrahedron_owner[tet] == rank) {
            out.tetrahedron.push_back(static_cast<std::int32_t>(tet));
            for (const auto v : m.corners(tet))
                number[at(v)] = 0;
        }
    for (std::size_t v = 0; v < number.size(); ++v)
        if (number[v] == 0) {
            number[v] = static_cast<std::int32_t>(out.vertex.size());
            out.vertex.push_back(static_cast<std::int32_t>(v));
            out.mesh.add_vertex(m.vertex(v));
        }
    for (const auto tet : out.tetrahedron) {
        auto c = m.corners(at(tet));
        for (auto& v : c)
            v = number[at(v)];
        out.mesh.add_tetrahedron(c, m.region[at(tet)]);
    }
    return out;
}

/// The list of the pieces, as ParaView reads it. The arrays are those of mesh::io::write_vtu().
void write_list(std::ostream& out, const std::vector<mesh::io::Extra>& fields,
                const std::string& folder, int pieces, const Provenance& by)
{
    const auto arrays = [&](mesh::Field::On on) {
        for (const auto& f : fields)
            if (f.on == on)
                out << "<PDataArray type=\"Float32\" Name=\"" << f.name << "\"/>\n";
    };
    out << "<?xml version=\"1.0\"?>\n"
        << xml_comment(by.text)
        << "<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" "
           "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
           "<PUnstructuredGrid GhostLevel=\"0\">\n<PPointData>\n";
    arrays(mesh::Field::On::vertices);
    out << "</PPointData>\n<PCellData>\n<PDataArray type=\"Int32\" Name=\"region\"/>\n";
    arrays(mesh::Field::On::tetrahedra);
    out << "</PCellData>\n<PPoints>\n<PDataArray type=\"Float64\" Name=\"Points\" "
           "NumberOfComponents=\"3\"/>\n</PPoints>\n";
    const auto beside = std::filesystem::path(folder).filename().string();
    for (int r = 0; r < pieces; ++r)
        out << "<Piece Source=\"" << piece_name(beside, r) << "\"/>\n";
    out << "</PUnstructuredGrid>\n</VTKFile>\n";
}

/// Lines of own unknowns, as write_activation_csv() writes them.
class Lines
{
  public:
    Lines(const PartTissue& t, const Session& s, const device::Maps& maps)
        : tissue_(t), maps_(maps), cells_(cell_map(s, t.tissue)), in_share_(t.own.size(), -1)
    {
        for (std::size_t k = 0; k < t.stepped.size(); ++k)
            in_share_[at(t.stepped[k])] = static_cast<std::int32_t>(k);
    }
    std::string line(std::size_t u) const
    {
        std::string out = std::to_string(tissue_.number[u]);
        for (const double x : tissue_.tissue.problem.position_mm[u]) {
            out += ',';
            append_number(out, x, 9);
        }
        const auto k = in_share_[u];
        const auto of = [&](const std::vector<double>& map) { return k < 0 ? never : map[at(k)]; };
        for (const double x : {of(maps_.activation_ms), of(maps_.repolarisation_ms),
                               k < 0 ? never : maps_.apd90(at(k))}) {
            out += ',';
            append_number(out, x, 10);
        }
        return out + cell_fields(cells_, cells_.of_unknown, u) + '\n';
    }

  private:
    const PartTissue& tissue_;
    const device::Maps& maps_;
    CellMap cells_;
    std::vector<std::int32_t> in_share_;
};

} // namespace

std::vector<float> at_unknowns(const PartTissue& t, Group& group, std::span<const double> of_share)
{
    std::vector<double> values(t.own.size(), never);
    for (std::size_t k = 0; k < t.stepped.size(); ++k)
        values[at(t.stepped[k])] = of_share[k];
    share_values(t, group, values);
    return {values.begin(), values.end()};
}

void write_activation(const PartTissue& t, Group& group, const Session& s, const device::Maps& maps,
                      const std::filesystem::path& file)
{
    std::vector<std::int64_t> number;
    std::vector<std::size_t> own;
    for (std::size_t u = 0; u < t.own.size(); ++u)
        if (t.own[u]) {
            number.push_back(t.number[u]);
            own.push_back(u);
        }
    const Lines lines(t, s, maps);
    const auto pass = [&](std::ostream* out) {
        std::vector<std::string> piece;
        group.in_pieces(
            t.unknowns(), number,
            [&](std::size_t from, std::size_t to) {
                Pack message;
                message << to - from;
                for (auto k = from; k < to; ++k)
                    message << number[k] << lines.line(own[k]);
                return message.take();
            },
            [&](std::int64_t first, std::int64_t last, const std::vector<Bytes>& said) {
                piece.resize(at(last - first));
                for (const auto& message : said) {
                    Unpack in(message);
                    for (auto n = in.read<std::size_t>(); n > 0; --n) {
                        const auto u = in.read<std::int64_t>();
                        in >> piece[at(u - first)];
                    }
                }
                for (const auto& line : piece)
                    *out << line;
            });
    };
    if (!group.is_first()) {
        pass(nullptr);
        return group.write([] {});
    }
    bool begun = false, passed = false;
    std::exception_ptr failed;
    try {
        write_whole(file, [&](std::ostream& out) {
            begun = true;
            out << "id,x_mm,y_mm,z_mm,activation_ms,repolarisation_ms,apd90_ms" << cell_columns
                << '\n';
            pass(&out);
            passed = true;
        });
    } catch (const InputError&) {
        if (begun && !passed) // another process has failed
            throw;
        failed = std::current_exception();
    }
    if (!passed) { // what the others tell is heard all the same
        std::ostringstream nowhere;
        nowhere.setstate(std::ios::badbit);
        pass(&nowhere);
    }
    group.write([&] {
        if (failed)
            std::rethrow_exception(failed);
    });
}

std::vector<std::string> write_pieces(const PartTissue& t, Group& group,
                                      std::vector<mesh::io::Extra> fields,
                                      const std::filesystem::path& out, const std::string& folder,
                                      const Provenance& by)
{
    const auto piece = piece_of(t, group.rank());
    for (auto& f : fields) {
        std::vector<float> values;
        for (const auto u : f.on == mesh::Field::On::vertices ? piece.vertex : piece.tetrahedron)
            values.push_back(f.values[at(u)]);
        f.values = std::move(values);
    }
    std::vector<std::string> files{folder + ".pvtu"};
    for (int r = 0; r < group.size(); ++r)
        files.push_back(piece_name(folder, r));
    const auto mine = out / piece_name(folder, group.rank());
    try {
        group.write([&] { mesh::io::write_vtu(piece.mesh, fields, mine, by.text); });
        group.write([&] { // all pieces are there
            if (group.is_first())
                write_whole(out / files.front(), [&](std::ostream& list) {
                    write_list(list, fields, folder, group.size(), by);
                });
        });
    } catch (const WriteFailed&) { // pieces that no list names are none
        try {
            remove_plain_file(mine);
        } catch (const InputError&) { // it stays
        }
        throw;
    }
    return files;
}

} // namespace tawara::simulation::parts
