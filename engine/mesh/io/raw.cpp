// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/io/raw.hpp"

#include "engine/core/utf8.hpp"
#include "engine/mesh/directions.hpp"
#include "engine/mesh/io/length_unit.hpp"
#include "engine/mesh/io/text.hpp"
#include "engine/mesh/mesh_error.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <limits>

namespace tawara::mesh::io {
namespace {

/// Lower case without blanks, dashes and underscores: "Fiber_0" -> "fiber0".
std::string folded(const std::string& name)
{
    std::string s;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) || c == ':')
            s += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return s;
}

bool one_of(const std::string& s, std::initializer_list<const char*> names)
{
    return std::any_of(names.begin(), names.end(), [&](const char* n) { return s == n; });
}

bool names_fibre(const std::string& s)
{
    return one_of(s, {"fibre",
                      "fibres",
                      "fiber",
                      "fibers",
                      "fibre0",
                      "fiber0",
                      "fibres0",
                      "fibers0",
                      "f0",
                      "f",
                      "fibredirection",
                      "fiberdirection",
                      "fibreorientation",
                      "fiberorientation",
                      "fibredirections",
                      "fiberdirections",
                      "fibrevector",
                      "fibervector",
                      "fibervec",
                      "longitudinal",
                      "myofibre",
                      "myofiber"});
}
bool names_sheet(const std::string& s)
{
    return one_of(s, {"sheet", "sheets", "s0", "s", "sheet0", "sheetdirection", "sheetdirections",
                      "transverse", "sheetlet", "sheetvector"});
}
bool names_normal(const std::string& s)
{
    return one_of(s, {"normal", "normals", "n0", "n", "sheetnormal", "sheetnormals", "crosssheet",
                      "normal0", "normaldirection"});
}
bool names_region(const std::string& s)
{
    return one_of(s, {"region",        "regions",    "tag",         "tags",          "label",
                      "labels",        "elemtag",    "elemtags",    "regionid",      "regionids",
                      "material",      "materialid", "materialids", "cellentityids", "medit:ref",
                      "gmsh:physical", "cell:tag",   "physical",    "cellscalars",   "attribute",
                      "attributes",    "celltag",    "celltags",    "elementtag"});
}

Directions directions(const std::vector<double>& v)
{
    Directions d;
    d.resize(v.size() / 3);
    for (std::size_t i = 0; i < d.size(); ++i)
        d.set(i, {v[3 * i], v[3 * i + 1], v[3 * i + 2]});
    return d;
}

/// The first value that cannot be a label; the end where all can.
auto first_no_label(const std::vector<double>& v)
{
    return std::find_if_not(v.begin(), v.end(), [](double d) {
        return std::abs(d) < 2147483647.0 && d == std::floor(d);
    });
}

/// Takes an array that is named like region labels; false where a value is none, which is said.
bool take_labels(Raw& raw, const std::string& name, const std::vector<double>& values)
{
    if (const auto bad = first_no_label(values); bad != values.end()) {
        char text[160];
        std::snprintf(text, sizeof text,
                      ": tetrahedron %td (counted from 0) has %.6g, and labels are whole numbers "
                      "of up to 32 bits",
                      bad - values.begin(), *bad);
        raw.notices.push_back(
            {Notice::Level::warning, "array " + name + " is not taken as region labels" + text});
        return false;
    }
    for (const double v : values)
        raw.mesh.region.push_back(static_cast<std::int32_t>(v));
    if (folded(name) != "region")
        raw.notices.push_back(
            {Notice::Level::info, "array " + name + " is taken as region labels"});
    return true;
}

void spread(const TetMesh& m, Directions& to, Directions& from)
{
    if (to.empty() && !from.empty())
        to = from_vertices(m, from);
    from = {};
}

/// What the readers of text refuse with its line, for the others.
void refuse_absurd(const TetMesh& m, const std::string& file)
{
    for (const auto* c : {&m.x, &m.y, &m.z})
        for (std::size_t v = 0; v < c->size(); ++v)
            if (std::isfinite((*c)[v]) && std::abs((*c)[v]) > absurd_coordinate) {
                char text[120];
                std::snprintf(text, sizeof text,
                              "a coordinate of vertex %zu (counted from 0) is %.3g, which no heart "
                              "has in any unit",
                              v, (*c)[v]);
                throw MeshError(file, text);
            }
}

} // namespace

void OtherCells::add(Counts& to, const std::string& type)
{
    for (auto& [t, n] : to)
        if (t == type) {
            ++n;
            return;
        }
    to.emplace_back(type, 1);
}

void OtherCells::conclude(const std::string& file, Notices& notices) const
{
    const auto list = [](const Counts& counts) {
        std::string s;
        for (const auto& [type, n] : counts)
            s += (s.empty() ? "" : ", ") + std::to_string(n) + " " + type;
        return s;
    };
    if (!refused_.empty())
        throw MeshError(file,
                        "has cells that are no tetrahedra (" + list(refused_) +
                            "); only linear tetrahedra are understood, so convert or split them");
    if (!ignored_.empty())
        notices.push_back({Notice::Level::info, list(ignored_) + " cells were ignored"});
}

void take_array(Raw& raw, const std::string& name, Field::On on, int components,
                const std::vector<double>& values)
{
    if (raw.bound) {
        raw.bound->take_array();
        raw.bound->take(values.size() * sizeof(double));
    }
    const std::string key = folded(name);
    const bool at_vertices = on == Field::On::vertices;
    TetMesh& m = raw.mesh;
    if (components == 3) {
        Directions* to = nullptr;
        if (names_fibre(key))
            to = at_vertices ? &raw.fibre_at_vertices : &m.fibre;
        else if (names_sheet(key))
            to = at_vertices ? &raw.sheet_at_vertices : &m.sheet;
        else if (names_normal(key) && !at_vertices)
            to = &m.normal; // vectors named normal at vertices are as a rule those of the surface
        if (to && to->empty()) {
            *to = directions(values);
            if (key != "fibre" && key != "sheet" && key != "normal")
                raw.notices.push_back({Notice::Level::info, "array " + name + " is taken as " +
                                                                (names_fibre(key)   ? "fibre"
                                                                 : names_sheet(key) ? "sheet"
                                                                                    : "normal") +
                                                                " directions"});
            return;
        }
    }
    const bool fibre = names_fibre(key);
    // a scalar "f" or "s" need not mean directions
    if ((components == 2 || (components != 3 && key.size() > 2)) && (fibre || names_sheet(key)))
        raw.notices.push_back(
            {Notice::Level::warning, "array " + name + " has " + std::to_string(components) +
                                         (components == 1 ? " component" : " components") +
                                         " where 3 are due: it is not taken as " +
                                         (fibre ? "fibre" : "sheet") + " directions"});
    if (components == 1 && !at_vertices && names_region(key) && m.region.empty() &&
        take_labels(raw, name, values))
        return;
    if (m.field(name))
        return;
    Field f{name, on, components, {}};
    f.values.reserve(values.size());
    for (const double v : values)
        f.values.push_back(static_cast<float>(v));
    m.fields.push_back(std::move(f));
}

Loaded finish(Raw raw, const std::string& file, std::optional<LengthUnit> unit,
              const Progress& progress)
{
    Loaded l;
    l.format = raw.format;
    TetMesh& m = raw.mesh;
    if (m.tetrahedron_count() == 0)
        throw MeshError(file, "has no tetrahedra; a mesh of tetrahedra is needed");
    constexpr std::size_t limit = std::numeric_limits<std::int32_t>::max();
    if (m.vertex_count() > limit || m.tetrahedron_count() > limit / 4)
        throw MeshError(file, "has more tetrahedra or vertices than 32-bit indices can count");
    refuse_absurd(m, file);
    for (auto& [label, name] : m.label_names)
        name = readable(name);
    l.unit = choose_unit(raw, unit);
    const double mm = millimetres(l.unit);
    if (mm != 1)
        for (auto* c : {&m.x, &m.y, &m.z})
            for (auto& v : *c)
                v *= mm;
    spread(m, m.fibre, raw.fibre_at_vertices);
    spread(m, m.sheet, raw.sheet_at_vertices);
    spread(m, m.normal, raw.normal_at_vertices);
    l.check = check_and_clean(m, file, progress);
    l.check.notices.insert(l.check.notices.begin(), raw.notices.begin(), raw.notices.end());
    l.mesh = std::move(m);
    return l;
}

} // namespace tawara::mesh::io
