// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sparse/bench/heart_matrix.hpp"

#include "engine/diffusion/p1.hpp"

namespace tawara::sparse {

Csr heart_matrix(const mesh::TetMesh& m, ThreadPool& pool)
{
    constexpr double dt_ms = 0.1, chi_per_mm = 140, cm_uF_per_mm2 = 0.01;
    const double along = m.fibre.empty() ? 0.018 : 0.13;
    const diffusion::Conductivity sigma{along, 0.018, 0.018};
    const std::vector<std::int32_t> per_tet(m.tetrahedron_count(), 0);
    diffusion::Options options;
    options.scheme = diffusion::Scheme::p1;
    options.mass = diffusion::Mass::consistent;
    const auto s = diffusion::assemble_p1(
        pool, m,
        diffusion::diffusivities(m, per_tet, std::span(&sigma, 1), chi_per_mm, cm_uF_per_mm2),
        options, {});
    Csr a;
    a.columns = static_cast<std::int64_t>(s.size());
    a.first.resize(s.size() + 1);
    for (std::size_t i = 0; i <= s.size(); ++i) // a diagonal for each row
        a.first[i] = s.alpha.first[i] + static_cast<std::int64_t>(i);
    a.column.resize(s.alpha.column.size() + s.size());
    a.value.resize(a.column.size());
    pool.for_range(s.size(), 64, [&](std::size_t row, std::size_t end, unsigned) {
        for (; row < end; ++row) {
            auto to = static_cast<std::size_t>(a.first[row]);
            const auto own = static_cast<std::int32_t>(row);
            double diagonal = s.mass_diagonal[row];
            std::size_t place = to;
            for (auto e = s.alpha.first[row]; e < s.alpha.first[row + 1]; ++e) {
                const auto k = static_cast<std::size_t>(e);
                if (s.alpha.column[k] > own && place == to)
                    ++to; // the diagonal's place
                a.column[to] = s.alpha.column[k];
                a.value[to] = s.mass_rows.value[k] - dt_ms * s.alpha.value[k];
                diagonal += dt_ms * s.alpha.value[k];
                if (s.alpha.column[k] < own)
                    place = to + 1;
                ++to;
            }
            a.column[place] = own;
            a.value[place] = diagonal;
        }
    });
    return a;
}

} // namespace tawara::sparse
