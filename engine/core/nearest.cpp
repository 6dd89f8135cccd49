// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <vector>

namespace tawara {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = std::tolower(static_cast<unsigned char>(a[i - 1])) ==
                              std::tolower(static_cast<unsigned char>(b[j - 1]));
            const std::size_t change = diagonal + (same ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
        }
    }
    return row[b.size()];
}

} // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates)
{
    std::string best;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const auto& c : candidates)
        if (const auto d = edit_distance(word, c); d < least) {
            least = d;
            best = c;
        }
    return best;
}

} // namespace tawara
