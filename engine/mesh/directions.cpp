// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/directions.hpp"

#include "engine/mesh/mesh_error.hpp"

#include <cmath>

namespace tawara::mesh {
namespace {

/// Shorter than this is no direction.
constexpr double no_length = 1e-6;

void check_finite(const Directions& d, const char* what, const std::string& file)
{
    for (std::size_t t = 0; t < d.size(); ++t)
        if (!std::isfinite(d.x[t]) || !std::isfinite(d.y[t]) || !std::isfinite(d.z[t]))
            throw MeshError(file, std::string("the ") + what + " direction of tetrahedron " +
                                      std::to_string(t) +
                                      " (counted from 0) is not finite; three numbers are needed");
}

/// Gives fibres of length 0 the mean of their neighbours, layer after layer.
std::int64_t fill_missing(Directions& f, const std::vector<std::array<std::int32_t, 4>>& neighbours,
                          std::vector<std::int32_t> missing, std::vector<char>& known)
{
    std::int64_t filled = 0;
    while (!missing.empty()) {
        std::vector<std::int32_t> left;
        std::vector<std::pair<std::int32_t, Vec3>> found;
        for (const auto t : missing) {
            std::array<Vec3, 4> v{};
            std::size_t n = 0;
            for (const auto o : neighbours[static_cast<std::size_t>(t)])
                if (o >= 0 && known[static_cast<std::size_t>(o)])
                    v[n++] = f[static_cast<std::size_t>(o)];
            const Vec3 mean = normalized(mean_direction(v.data(), n));
            if (norm(mean) > 0.5)
                found.emplace_back(t, mean);
            else
                left.push_back(t);
        }
        if (found.empty()) // pieces without any fibre: an arbitrary direction, so that D is defined
            for (const auto t : left)
                found.emplace_back(t, Vec3{1, 0, 0});
        for (const auto& [t, v] : found) {
            f.set(static_cast<std::size_t>(t), v);
            known[static_cast<std::size_t>(t)] = 1;
            ++filled;
        }
        if (found.size() >= missing.size())
            break;
        missing = std::move(left);
    }
    return filled;
}

Vec3 any_orthogonal(const Vec3& f)
{
    std::size_t least = 0;
    for (std::size_t i = 1; i < 3; ++i)
        if (std::abs(f[i]) < std::abs(f[least]))
            least = i;
    Vec3 e{};
    e[least] = 1;
    return normalized(e - dot(e, f) * f);
}

/// Whether these are what rounding orthonormal directions to single precision leaves: then they
/// stay as they are, bit for bit, so that a mesh that was written is read as it was.
bool unit(const Vec3& a)
{
    return std::abs(norm(a) - 1) < 2e-7;
}
bool orthonormal(const Vec3& a, const Vec3& b)
{
    return unit(a) && unit(b) && std::abs(dot(a, b)) < 2e-7;
}

/// Completes sheet and normal; returns how many sheets had to be made up.
std::int64_t complete_sheets(TetMesh& m)
{
    const std::size_t n = m.tetrahedron_count();
    const bool from_normal = m.sheet.empty(), complete = !from_normal && !m.normal.empty();
    if (from_normal)
        m.sheet.resize(n);
    m.normal.resize(n);
    std::int64_t made_up = 0;
    for (std::size_t t = 0; t < n; ++t) {
        const Vec3 f = m.fibre[t];
        if (complete && orthonormal(f, m.sheet[t]) && orthonormal(m.normal[t], f) &&
            norm(cross(f, m.sheet[t]) - m.normal[t]) < 1e-6)
            continue;
        Vec3 s = normalized(from_normal ? cross(m.normal[t], f) : m.sheet[t]);
        s = s - dot(s, f) * f;
        if (norm(s) < 1e-3) {
            s = any_orthogonal(f);
            ++made_up;
        }
        s = normalized(s);
        m.sheet.set(t, s);
        m.normal.set(t, normalized(cross(f, s)));
    }
    return made_up;
}

} // namespace

Vec3 mean_direction(const Vec3* v, std::size_t n)
{
    Vec3 sum{};
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3 u = normalized(v[i]);
        sum = dot(sum, u) < 0 ? sum - u : sum + u;
    }
    return sum;
}

Directions from_vertices(const TetMesh& m, const Directions& at_vertices)
{
    Directions d;
    d.resize(m.tetrahedron_count());
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        const auto c = m.corners(t);
        std::array<Vec3, 4> v{};
        for (std::size_t k = 0; k < 4; ++k)
            v[k] = at_vertices[static_cast<std::size_t>(c[k])];
        d.set(t, normalized(mean_direction(v.data(), 4)));
    }
    return d;
}

std::int64_t orthonormalise(TetMesh& m, const std::vector<std::array<std::int32_t, 4>>& neighbours,
                            const std::string& file, Notices& notices)
{
    if (m.fibre.empty()) {
        if (!m.sheet.empty() || !m.normal.empty())
            notices.push_back({Notice::Level::warning,
                               "sheet directions without fibres were dropped: fibres are needed"});
        m.sheet = {}, m.normal = {};
        return 0;
    }
    check_finite(m.fibre, "fibre", file);
    check_finite(m.sheet, "sheet", file);
    check_finite(m.normal, "normal", file);
    std::int64_t other_length = 0;
    std::vector<std::int32_t> missing;
    std::vector<char> known(m.tetrahedron_count(), 1);
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        const double l = norm(m.fibre[t]);
        if (l < no_length) {
            missing.push_back(static_cast<std::int32_t>(t));
            known[t] = 0;
            continue;
        }
        other_length += std::abs(l - 1) > 1e-3;
        if (!unit(m.fibre[t]))
            m.fibre.set(t, normalized(m.fibre[t]));
    }
    if (missing.size() == m.tetrahedron_count()) {
        notices.push_back({Notice::Level::warning,
                           "all fibres have length 0, so the mesh is taken to have none"});
        m.fibre = {}, m.sheet = {}, m.normal = {};
        return 0;
    }
    if (other_length > 0)
        notices.push_back(
            {Notice::Level::info,
             std::to_string(other_length) + " fibres of other length than 1 were normalised"});
    if (!missing.empty())
        notices.push_back(
            {Notice::Level::warning,
             std::to_string(fill_missing(m.fibre, neighbours, std::move(missing), known)) +
                 " fibres of length 0 took their neighbours' direction"});
    if (!m.sheet.empty() || !m.normal.empty()) {
        const auto made_up = complete_sheets(m);
        if (made_up > 0)
            notices.push_back(
                {Notice::Level::warning, std::to_string(made_up) +
                                             " sheets of length 0 or parallel to their "
                                             "fibre were replaced by some orthogonal one"});
    }
    return other_length;
}

} // namespace tawara::mesh
