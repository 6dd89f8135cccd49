// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/mesh_error.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tawara::mesh {

/// Unit vectors in structure-of-arrays form: three arrays of one length, or all empty.
struct Directions
{
    std::vector<float> x, y, z;

    std::size_t size() const { return x.size(); }
    bool empty() const { return x.empty(); }
    void resize(std::size_t n) { x.resize(n), y.resize(n), z.resize(n); }
    Vec3 operator[](std::size_t i) const { return {x[i], y[i], z[i]}; }
    void set(std::size_t i, const Vec3& v)
    {
        x[i] = static_cast<float>(v[0]);
        y[i] = static_cast<float>(v[1]);
        z[i] = static_cast<float>(v[2]);
    }
};

/// A named quantity on the mesh that travels with it (transmural or apex-base coordinate, AHA
/// segment).
struct Field
{
    enum class On { vertices, tetrahedra };
    std::string name;
    On on = On::vertices;
    int components = 1;
    std::vector<float> values; ///< components * count, tuple after tuple
};

/// A tetrahedral mesh of myocardium, in structure-of-arrays form. Plain values; lengths in mm.
///
/// Invariants after check_and_clean() (mesh/check.hpp), which every reader and generator ends with:
/// all indices valid, all signed volumes positive ((b-a) x (c-a) . (d-a) > 0), no duplicate
/// tetrahedra, every vertex used, fibre, sheet and normal orthonormal where present.
struct TetMesh
{
    std::vector<double> x, y, z;                     ///< vertices [mm]
    std::array<std::vector<std::int32_t>, 4> corner; ///< corner[k][t]: vertex k of tetrahedron t
    std::vector<std::int32_t> region;                ///< label per tetrahedron
    Directions fibre, sheet, normal;                 ///< per tetrahedron; empty where unknown
    std::vector<Field> fields;
    std::map<std::int32_t, std::string> label_names; ///< what the mesh's file calls its labels

    std::size_t vertex_count() const { return x.size(); }
    std::size_t tetrahedron_count() const { return corner[0].size(); }
    Vec3 vertex(std::size_t v) const { return {x[v], y[v], z[v]}; }
    std::array<std::int32_t, 4> corners(std::size_t t) const
    {
        return {corner[0][t], corner[1][t], corner[2][t], corner[3][t]};
    }
    void add_vertex(const Vec3& p) { x.push_back(p[0]), y.push_back(p[1]), z.push_back(p[2]); }
    void add_tetrahedron(const std::array<std::int32_t, 4>& c, std::int32_t label)
    {
        for (int k = 0; k < 4; ++k)
            corner[static_cast<std::size_t>(k)].push_back(c[static_cast<std::size_t>(k)]);
        region.push_back(label);
    }
    Vec3 centroid(std::size_t t) const
    {
        const auto c = corners(t);
        Vec3 s{};
        for (auto v : c)
            s = s + vertex(static_cast<std::size_t>(v));
        return 0.25 * s;
    }
    /// Signed volume [mm3].
    double volume(std::size_t t) const
    {
        const auto c = corners(t);
        const Vec3 a = vertex(static_cast<std::size_t>(c[0]));
        return dot(cross(vertex(static_cast<std::size_t>(c[1])) - a,
                         vertex(static_cast<std::size_t>(c[2])) - a),
                   vertex(static_cast<std::size_t>(c[3])) - a) /
               6;
    }
    /// The field of that name, or null.
    const Field* field(std::string_view name) const
    {
        for (const auto& f : fields)
            if (f.name == name)
                return &f;
        return nullptr;
    }
};

} // namespace tawara::mesh
