// SPDX-License-Identifier: GPL-3.0-or-later
// Session files to values: the mesh.
#include "engine/core/error.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/session_extras.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation {
namespace {

mesh::generator::HeartParameters heart(const JsonNode& n)
{
    mesh::generator::HeartParameters p;
    std::vector<std::string> known{"shape"};
    for (const auto& row : mesh::generator::parameter_table())
        known.emplace_back(row.name);
    n.only(known);
    if (const auto shape = n.find("shape"))
        p.shape = shape->word({"lv", "biventricular"}) == 0
                      ? mesh::generator::HeartShape::lv
                      : mesh::generator::HeartShape::biventricular;
    for (const auto& row : mesh::generator::parameter_table())
        if (const auto v = n.find(row.name))
            p.*row.value = v->within(row.min, row.max, row.unit == "1" ? "" : row.unit);
    try {
        mesh::generator::validate(p, n.file());
    } catch (const InputError& e) {
        throw InputError(n.file(), n.pointer() + e.where, e.reason);
    }
    return p;
}

MeshSlab slab(const JsonNode& n)
{
    n.only({"slab_mm", "spacing_mm"});
    MeshSlab s;
    const auto size = n.at("slab_mm", "");
    s.size_mm = size.point("three lengths above 0 mm, [x, y, z]");
    for (double length : s.size_mm)
        if (!(length > 0))
            size.fail("is [" + number_text(s.size_mm[0], 6) + ", " + number_text(s.size_mm[1], 6) +
                      ", " + number_text(s.size_mm[2], 6) +
                      "]; it should be three lengths above 0 mm, [x, y, z]");
    read_keys(n, "/mesh", s);
    const auto spacing = n.at("spacing_mm", "");
    double tetrahedra = 6;
    for (double length : s.size_mm)
        tetrahedra *= std::max(1.0, std::round(length / s.spacing_mm));
    if (tetrahedra > 1e9)
        spacing.fail_value("longer: with this one the slab would have more than 1e9 tetrahedra");
    if (s.spacing_mm > *std::max_element(s.size_mm.begin(), s.size_mm.end()))
        spacing.fail_value("at most the slab's longest side");
    return s;
}

/// The mesh of a file, and its fibres.
MeshFile mesh_file(const JsonNode& n)
{
    n.only({"file", "length_unit", "fibres", "fibre_rule"});
    MeshFile m;
    const auto file = n.at("file", "");
    m.file = file.text();
    if (m.file.empty())
        file.fail_value("the path of a mesh file");
    if (const auto unit = n.find("length_unit")) {
        constexpr LengthUnit units[]{LengthUnit::um, LengthUnit::mm, LengthUnit::cm, LengthUnit::m};
        m.unit = units[unit->word(session_key("/mesh/length_unit").words_list())];
    }
    if (const auto fibres = n.find("fibres")) {
        m.fibres = fibres->text();
        if (m.fibres.empty())
            fibres->fail_value("the path of a file of fibres");
    }
    if (const auto rule = n.find("fibre_rule")) {
        if (m.fibres != rule_based)
            rule->fail_exclusive("is of fibres by rule; give \"fibres\": \"rule-based\" as well, "
                                 "or leave it out");
        read_keys(*rule, "/mesh/fibre_rule", m.rule);
    }
    return m;
}

} // namespace

MeshSource mesh_source(const JsonNode& n)
{
    only_keys(n, "/mesh");
    int kinds = 0;
    for (const char* kind : {"file", "slab_mm", "heart", "embedded"})
        kinds += n.has(kind);
    const std::string give = "; give one of \"file\", \"slab_mm\", \"heart\" and \"embedded\"";
    if (kinds == 0)
        n.fail("names no mesh" + give);
    if (kinds > 1)
        n.fail_exclusive("names more than one mesh" + give,
                         {"file", "length_unit", "fibres", "fibre_rule", "slab_mm", "spacing_mm",
                          "heart", "embedded"});
    if (n.has("file"))
        return mesh_file(n);
    if (n.has("slab_mm"))
        return slab(n);
    if (const auto h = n.find("heart")) {
        n.only({"heart"});
        return MeshHeart{heart(*h)};
    }
    n.only({"embedded"});
    if (const auto e = n.at("embedded", "true"); e.value() != Json(true))
        e.fail_value("true");
    return MeshEmbedded{};
}

mesh::generator::HeartParameters read_heart_parameters(const std::filesystem::path& file)
{
    const Json document = parse_json(read_text(file.string()), file.string());
    return heart(JsonNode(document, file.string()));
}

} // namespace tawara::simulation
