// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/io/vtu_series.hpp"

#include "engine/core/error.hpp"
#include "engine/core/provenance.hpp"
#include "engine/core/whole_file.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>
#include <zlib.h>

namespace tawara::mesh::io {
namespace {

constexpr std::size_t block_bytes = 1 << 18;
constexpr int kept_effort = 3, fresh_effort = 1; // of deflate
constexpr std::size_t shared_arrays = 5;         // region, points, connectivity, offsets, types
constexpr std::uint8_t tetra_type = 10;          // VTK_TETRA

std::string words(std::span<const std::uint64_t> values)
{
    std::string out(values.size_bytes(), '\0');
    std::memcpy(out.data(), values.data(), values.size_bytes());
    return out;
}

std::string deflated(std::span<const std::byte> raw, int effort)
{
    auto size = compressBound(static_cast<uLong>(raw.size()));
    std::string out(size, '\0');
    if (compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                  reinterpret_cast<const Bytef*>(raw.data()), static_cast<uLong>(raw.size()),
                  effort) != Z_OK)
        throw std::bad_alloc(); // there is room for the result, so that nothing else can fail
    out.resize(size);
    return out;
}

/// A text as VTK writes strings as numbers: the characters' codes, then 0.
std::string codes(const std::string& text)
{
    std::string out;
    for (const char c : text)
        out += std::to_string(static_cast<int>(static_cast<signed char>(c))) + " ";
    return out + "0";
}

std::string exactly(double x)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", x);
    return text;
}

} // namespace

std::uint64_t VtuSeries::Packed::bytes() const
{
    std::uint64_t n = head.size();
    for (const auto& b : blocks)
        n += b.size();
    return n;
}

VtuSeries::Packed VtuSeries::packed(std::span<const std::byte> raw, int effort)
{
    const std::size_t n = (raw.size() + block_bytes - 1) / block_bytes;
    Packed p;
    p.blocks.resize(n);
    pool_->for_range(n, 1, [&](std::size_t begin, std::size_t end, unsigned) {
        for (std::size_t k = begin; k < end; ++k) {
            const std::size_t from = k * block_bytes;
            p.blocks[k] =
                deflated(raw.subspan(from, std::min(block_bytes, raw.size() - from)), effort);
        }
    });
    std::vector<std::uint64_t> head{n, block_bytes, raw.size() % block_bytes};
    for (const auto& b : p.blocks)
        head.push_back(b.size());
    p.head = words(head);
    return p;
}

template <class Int>
void VtuSeries::pack_cells(const TetMesh& m)
{
    const std::size_t n = m.tetrahedron_count();
    std::vector<Int> list(4 * n);
    for (std::size_t t = 0; t < n; ++t)
        for (std::size_t k = 0; k < 4; ++k)
            list[4 * t + k] = m.corner[k][t];
    mesh_.push_back(packed(std::as_bytes(std::span(list)), kept_effort));
    list.resize(n);
    for (std::size_t t = 0; t < n; ++t)
        list[t] = static_cast<Int>(4 * (t + 1));
    mesh_.push_back(packed(std::as_bytes(std::span(list)), kept_effort));
    index_type_ = sizeof(Int) == 8 ? "Int64" : "Int32";
}

void VtuSeries::pack_mesh(const TetMesh& m)
{
    made_by_ = codes(provenance_ ? provenance_() : program_provenance());
    mesh_.clear(); // an earlier attempt may have run out of memory
    mesh_.push_back(packed(std::as_bytes(std::span(m.region)), kept_effort));
    std::vector<double> xyz(3 * m.vertex_count());
    for (std::size_t v = 0; v < m.vertex_count(); ++v)
        xyz[3 * v] = m.x[v], xyz[3 * v + 1] = m.y[v], xyz[3 * v + 2] = m.z[v];
    mesh_.push_back(packed(std::as_bytes(std::span(xyz)), kept_effort));
    const std::size_t n = m.tetrahedron_count();
    if (n < std::numeric_limits<std::int32_t>::max() / 4)
        pack_cells<std::int32_t>(m);
    else
        pack_cells<std::int64_t>(m);
    const std::vector<std::uint8_t> types(n, tetra_type);
    mesh_.push_back(packed(std::as_bytes(std::span(types)), kept_effort));
}

std::string VtuSeries::description(const TetMesh& m, double time_ms) const
{
    std::uint64_t offset = 0;
    std::size_t next = 0;
    const auto array = [&](const std::string& type, const std::string& name, int components) {
        const std::string text = "<DataArray type=\"" + type + "\" Name=\"" + name +
                                 "\" NumberOfComponents=\"" + std::to_string(components) +
                                 "\" format=\"appended\" offset=\"" + std::to_string(offset) +
                                 "\"/>\n";
        if (next < mesh_.size())
            offset += mesh_[next++].bytes();
        return text;
    };
    const auto region = array("Int32", "region", 1);
    const auto points = array("Float64", "Points", 3);
    const auto connectivity = array(index_type_, "connectivity", 1);
    const auto offsets = array(index_type_, "offsets", 1);
    const auto types = array("UInt8", "types", 1);
    const auto values = array("Float32", name_, 1); // last: its length moves nothing
    std::string out =
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
        "byte_order=\"LittleEndian\" header_type=\"UInt64\" "
        "compressor=\"vtkZLibDataCompressor\">\n<UnstructuredGrid>\n<FieldData>\n"
        "<Array type=\"String\" Name=\"length_unit\" NumberOfTuples=\"1\" format=\"ascii\">" +
        codes("mm") + "</Array>\n<Array type=\"String\" Name=\"" + provenance_name +
        "\" NumberOfTuples=\"1\" format=\"ascii\">" + made_by_ +
        "</Array>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
        "format=\"ascii\">" +
        exactly(time_ms) + "</DataArray>\n";
    if (!m.label_names.empty()) {
        std::string labels, names;
        for (const auto& [label, name] : m.label_names) {
            labels += std::to_string(label) + " ";
            names += codes(name) + " ";
        }
        const auto count = std::to_string(m.label_names.size());
        out += "<DataArray type=\"Int32\" Name=\"region_labels\" NumberOfTuples=\"" + count +
               "\" format=\"ascii\">" + labels +
               "</DataArray>\n<Array type=\"String\" Name=\"region_names\" NumberOfTuples=\"" +
               count + "\" format=\"ascii\">" + names + "</Array>\n";
    }
    const bool at_vertices = on_ == Field::On::vertices;
    out += "</FieldData>\n<Piece NumberOfPoints=\"" + std::to_string(m.vertex_count()) +
           "\" NumberOfCells=\"" + std::to_string(m.tetrahedron_count()) + "\">\n<PointData>\n" +
           (at_vertices ? values : "") + "</PointData>\n<CellData>\n" + region +
           (at_vertices ? "" : values) + "</CellData>\n<Points>\n" + points +
           "</Points>\n<Cells>\n" + connectivity + offsets + types +
           "</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";
    return out;
}

void VtuSeries::write(const TetMesh& m, std::span<const float> values, double time_ms,
                      const std::filesystem::path& file)
{
    const std::size_t n = on_ == Field::On::vertices ? m.vertex_count() : m.tetrahedron_count();
    if (values.size() != n)
        throw InputError(file.string(), "array " + name_ + " has " + std::to_string(values.size()) +
                                            " values where " + std::to_string(n) + " are due");
    if (!pool_)
        pool_.emplace(threads_);
    if (mesh_.size() != shared_arrays)
        pack_mesh(m);
    const Packed fresh = packed(std::as_bytes(values), fresh_effort);
    write_whole(file, [&](std::ostream& out) {
        out << description(m, time_ms);
        const auto put = [&](const Packed& p) {
            out << p.head;
            for (const auto& b : p.blocks)
                out << b;
        };
        for (const auto& p : mesh_)
            put(p);
        put(fresh);
        out << "\n</AppendedData>\n</VTKFile>\n";
    });
}

} // namespace tawara::mesh::io
