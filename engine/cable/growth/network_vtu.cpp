// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/growth/network_vtu.hpp"

#include "engine/core/provenance.hpp"
#include "engine/core/whole_file.hpp"

#include <charconv>

namespace tawara::cable {
namespace {

/// Text of an array, number by number, a tuple a line.
class ArrayText
{
  public:
    ArrayText(std::ostream& out, const std::string& name, const char* type, int components = 1)
        : out_(out), components_(components)
    {
        out_ << "<DataArray type=\"" << type << "\" Name=\"" << name << "\" NumberOfComponents=\""
             << components << "\" format=\"ascii\">\n";
    }
    ~ArrayText() { out_ << line_ << "</DataArray>\n"; }
    ArrayText(const ArrayText&) = delete;
    ArrayText& operator=(const ArrayText&) = delete;
    template <class Number>
    void add(Number x)
    {
        char text[32];
        line_.append(text, std::to_chars(text, text + sizeof text, x).ptr);
        line_ += ++count_ % components_ == 0 ? '\n' : ' ';
        if (line_.size() > 1 << 16) {
            out_ << line_;
            line_.clear();
        }
    }

  private:
    std::ostream& out_;
    std::string line_;
    int components_, count_ = 0;
};

void write_lines(const Morphology& m, std::ostream& out)
{
    out << "<Points>\n";
    {
        ArrayText a(out, "Points", "Float64", 3);
        for (const auto& p : m.point_mm)
            for (const double x : p)
                a.add(x);
    }
    out << "</Points>\n<Cells>\n";
    {
        ArrayText a(out, "connectivity", "Int32", 2);
        for (std::size_t i = 0; i < m.points(); ++i)
            if (m.parent[i] >= 0) {
                a.add(m.parent[i]);
                a.add(static_cast<std::int32_t>(i));
            }
    }
    std::int32_t lines = 0;
    for (const auto p : m.parent)
        lines += p >= 0;
    {
        ArrayText a(out, "offsets", "Int32");
        for (std::int32_t k = 1; k <= lines; ++k)
            a.add(2 * k);
    }
    {
        constexpr int vtk_line = 3;
        ArrayText a(out, "types", "UInt8");
        for (std::int32_t k = 0; k < lines; ++k)
            a.add(vtk_line);
    }
    out << "</Cells>\n";
}

} // namespace

void write_network_vtu(const Morphology& m, std::span<const AtPoints> more,
                       const std::filesystem::path& file, const std::string& provenance)
{
    const auto branches = branches_of(m);
    std::size_t lines = 0;
    for (const auto p : m.parent)
        lines += p >= 0;
    write_whole(file, [&](std::ostream& out) {
        out << "<?xml version=\"1.0\"?>\n"
            << xml_comment(provenance.empty() ? program_provenance() : provenance)
            << "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
               "byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n<FieldData>\n<DataArray "
               "type=\"String\" Name=\"length_unit\" NumberOfTuples=\"1\" format=\"ascii\">\n"
               "109 109 0\n</DataArray>\n</FieldData>\n<Piece NumberOfPoints=\""
            << m.points() << "\" NumberOfCells=\"" << lines << "\">\n<PointData>\n";
        {
            ArrayText a(out, "radius", "Float64");
            for (const double r : m.radius_um)
                a.add(1e-3 * r);
        }
        {
            ArrayText a(out, "kind", "Int32");
            for (const auto k : m.kind)
                a.add(k);
        }
        {
            ArrayText a(out, "branch", "Int32");
            for (const auto b : branches.of)
                a.add(b);
        }
        for (const auto& x : more) {
            ArrayText a(out, x.name, "Float64");
            for (const double v : x.values)
                a.add(v);
        }
        out << "</PointData>\n";
        write_lines(m, out);
        out << "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
    });
}

} // namespace tawara::cable
