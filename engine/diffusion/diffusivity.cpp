// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "engine/diffusion/system.hpp"

#include <cmath>
#include <string>

namespace tawara::diffusion {

std::string_view name(Scheme s)
{
    return s == Scheme::fvm ? "fvm" : "p1";
}

std::string_view name(Mass m)
{
    return m == Mass::lumped ? "lumped" : "consistent";
}

namespace {

void check(const Conductivity& c, const mesh::TetMesh& m)
{
    const bool usable = std::isfinite(c.fibre) && std::isfinite(c.sheet) &&
                        std::isfinite(c.normal) && c.fibre >= 0 && c.sheet >= 0 && c.normal >= 0;
    const bool positive = c.fibre > 0 && c.sheet > 0 && c.normal > 0;
    const bool none = c.fibre == 0 && c.sheet == 0 && c.normal == 0;
    if (!usable || !(positive || none))
        throw InputError("", "/tissue/regions",
                         "fibre, sheet and normal conductivity must be positive numbers, or all "
                         "three 0 for tissue that does not conduct");
    const bool isotropic = c.fibre == c.sheet && c.fibre == c.normal;
    if (!isotropic && m.fibre.empty())
        throw InputError("", "/tissue/regions",
                         "the mesh has no fibres, so fibre, sheet and normal conductivity must be "
                         "equal (tissue.regions[].conductivity_S_per_m); or give fibres by "
                         "mesh.fibres, a file or \"rule-based\"");
    if (c.sheet != c.normal && (m.sheet.empty() || m.normal.empty()))
        throw InputError("", "/tissue/regions",
                         "the mesh has no sheets, so sheet and normal conductivity "
                         "must be equal");
}

void add_dyad(Tensor& d, double s, const Vec3& a)
{
    d[0] += s * a[0] * a[0];
    d[1] += s * a[1] * a[1];
    d[2] += s * a[2] * a[2];
    d[3] += s * a[0] * a[1];
    d[4] += s * a[0] * a[2];
    d[5] += s * a[1] * a[2];
}

} // namespace

std::vector<Tensor> diffusivities(const mesh::TetMesh& m, std::span<const std::int32_t> per_tet,
                                  std::span<const Conductivity> table, double chi_per_mm,
                                  double cm_uF_per_mm2)
{
    const std::size_t n = m.tetrahedron_count();
    if (per_tet.size() != n)
        throw InputError("", "/tissue/regions",
                         "one table row per tetrahedron is needed: " + std::to_string(n) +
                             ", not " + std::to_string(per_tet.size()));
    const double capacity = chi_per_mm * cm_uF_per_mm2;
    if (!(capacity > 0) || !std::isfinite(capacity))
        throw InputError("", "/tissue/regions",
                         "surface-to-volume ratio and capacitance must be positive numbers");
    std::vector<bool> checked(table.size());
    std::vector<Tensor> out(n);
    for (std::size_t t = 0; t < n; ++t) {
        const auto row = static_cast<std::size_t>(per_tet[t]);
        if (row >= table.size())
            throw InputError("", "/tissue/regions",
                             "tetrahedron " + std::to_string(t) +
                                 " has no conductivity in the table");
        const Conductivity& c = table[row];
        if (!checked[row]) {
            check(c, m);
            checked[row] = true;
        }
        // The normal direction's share as a multiple of the identity: exact for isotropic tissue.
        const double base = c.normal / capacity;
        Tensor d{base, base, base, 0, 0, 0};
        if (c.fibre != c.normal)
            add_dyad(d, (c.fibre - c.normal) / capacity, normalized(m.fibre[t]));
        if (c.sheet != c.normal)
            add_dyad(d, (c.sheet - c.normal) / capacity, normalized(m.sheet[t]));
        out[t] = d;
    }
    return out;
}

} // namespace tawara::diffusion
