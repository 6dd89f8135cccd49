// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/diffusion/permute.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <utility>

namespace tawara::diffusion {

Rows permuted(const Rows& rows, std::span<const std::int32_t> old_of,
              std::span<const std::int32_t> new_of)
{
    const std::size_t n = rows.size();
    if (old_of.size() != n || new_of.size() != n)
        throw InputError("order", "a permutation needs one entry per unknown");
    Rows out;
    if (n == 0)
        return rows;
    out.first.resize(n + 1, 0);
    out.column.resize(rows.column.size());
    out.value.resize(rows.value.size());
    std::vector<std::pair<std::int32_t, double>> row;
    for (std::size_t i = 0; i < n; ++i) {
        const auto old = static_cast<std::size_t>(old_of[i]);
        row.clear();
        for (auto e = rows.first[old]; e < rows.first[old + 1]; ++e) {
            const auto at = static_cast<std::size_t>(e);
            row.emplace_back(new_of[static_cast<std::size_t>(rows.column[at])], rows.value[at]);
        }
        std::sort(row.begin(), row.end());
        auto at = static_cast<std::size_t>(out.first[i]);
        for (const auto& [column, value] : row) {
            out.column[at] = column;
            out.value[at++] = value;
        }
        out.first[i + 1] = static_cast<std::int64_t>(at);
    }
    return out;
}

System permuted(const System& s, std::span<const std::int32_t> old_of,
                std::span<const std::int32_t> new_of)
{
    System out;
    out.scheme = s.scheme;
    out.mass = s.mass;
    out.stable_dt_ms = s.stable_dt_ms;
    out.added_volume_fraction = s.added_volume_fraction;
    out.stability = s.stability;
    out.alpha = permuted(s.alpha, old_of, new_of);
    auto gather = [&](const std::vector<double>& from) {
        std::vector<double> to(from.size());
        for (std::size_t i = 0; i < to.size(); ++i)
            to[i] = from[static_cast<std::size_t>(old_of[i])];
        return to;
    };
    out.volume = gather(s.volume);
    if (s.mass == Mass::consistent) {
        out.mass_rows = permuted(s.mass_rows, old_of, new_of);
        out.mass_diagonal = gather(s.mass_diagonal);
    }
    return out;
}

} // namespace tawara::diffusion
