// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/growth/network.hpp"

#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace tawara::cable {
namespace {

constexpr std::array<std::string_view, fascicles> all_fascicles{
    "other",     "his",          "left_bundle",    "anterior",     "septal",
    "posterior", "right_bundle", "moderator_band", "right_septal", "right_free_wall"};

std::vector<std::int32_t> children_of(const Morphology& m)
{
    std::vector<std::int32_t> out(m.points(), 0);
    for (const auto p : m.parent)
        if (p >= 0)
            ++out[static_cast<std::size_t>(p)];
    return out;
}

} // namespace

std::string_view name(Fascicle f)
{
    const auto k = static_cast<std::size_t>(f);
    return all_fascicles[k < all_fascicles.size() ? k : 0];
}

std::span<const std::string_view> fascicle_names()
{
    return all_fascicles;
}

double piece_mm(const Morphology& m, std::size_t point)
{
    return m.parent[point] < 0
               ? 0
               : norm(m.point_mm[point] - m.point_mm[static_cast<std::size_t>(m.parent[point])]);
}

Branches branches_of(const Morphology& m)
{
    Branches out;
    const auto children = children_of(m);
    out.of.assign(m.points(), 0);
    for (std::size_t i = 0; i < m.points(); ++i) {
        const bool root = m.parent[i] < 0;
        const auto p = root ? i : static_cast<std::size_t>(m.parent[i]);
        const bool first = m.parent[p] < 0; // the root's own
        if (!root && children[p] == 1 && (first || m.kind[i] == m.kind[p])) {
            out.of[i] = out.of[p];
        } else {
            out.of[i] = static_cast<std::int32_t>(out.parent.size());
            out.parent.push_back(root ? -1 : out.of[p]);
            out.length_mm.push_back(0);
        }
        out.length_mm[static_cast<std::size_t>(out.of[i])] += piece_mm(m, i);
    }
    return out;
}

std::vector<std::int32_t> ends_of(const Morphology& m)
{
    std::vector<std::int32_t> out;
    const auto children = children_of(m);
    for (std::size_t i = 0; i < m.points(); ++i)
        if (children[i] == 0 && m.parent[i] >= 0)
            out.push_back(static_cast<std::int32_t>(i));
    return out;
}

std::vector<char> pieces_cut(const Morphology& m, std::span<const std::string> cut,
                             const std::string& file, const std::string& where)
{
    std::vector<char> out(m.points(), 0);
    if (cut.empty())
        return out;
    const auto branches = branches_of(m);
    std::vector<std::string> known;
    for (const auto f : m.kind)
        if (f > 0 && f < fascicles)
            known.emplace_back(all_fascicles[static_cast<std::size_t>(f)]);
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    for (std::size_t k = 0; k < cut.size(); ++k) {
        const auto& word = cut[k];
        const auto named = std::find(all_fascicles.begin(), all_fascicles.end(), word);
        const auto fascicle = static_cast<std::int32_t>(named - all_fascicles.begin());
        std::int32_t number = -1;
        const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
        const bool is_number = read.ec == std::errc() && read.ptr == word.data() + word.size() &&
                               number >= 0 && static_cast<std::size_t>(number) < branches.count();
        bool any = false;
        for (std::size_t i = 0; i < m.points(); ++i)
            if (m.parent[i] >= 0 &&
                (named != all_fascicles.end() ? m.kind[i] == fascicle
                                              : is_number && branches.of[i] == number))
                out[i] = any = true;
        if (any)
            continue;
        std::string fascicles_here;
        for (const auto& f : known)
            fascicles_here += (fascicles_here.empty() ? "" : ", ") + f;
        throw InputError(file, where + "/" + std::to_string(k),
                         "'" + word + "' is no branch of the network; it should be " +
                             (known.empty() ? "" : "a fascicle (" + fascicles_here + ") or ") +
                             "a branch's number, 0 to " + std::to_string(branches.count() - 1) +
                             hint(word, known));
    }
    return out;
}

} // namespace tawara::cable
