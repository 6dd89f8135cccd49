// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <utility>
#include <vector>

namespace tawara {
namespace {

/// Letters put in, left out, changed or swapped with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b)
{
    const auto same = [&](std::size_t i, std::size_t j) { // counted from 1
        return std::tolower(static_cast<unsigned char>(a[i - 1])) ==
               std::tolower(static_cast<unsigned char>(b[j - 1]));
    };
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before = std::exchange(last, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same(i, j) ? 0U : 1U)});
            if (i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j))
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row[b.size()];
}

std::string folded(std::string_view s)
{
    std::string out(s);
    for (auto& c : out)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

/// Whether the letters of `word` stand in `whole` in that order, the first one first.
bool abbreviates(std::string_view word, std::string_view whole)
{
    if (word.empty() || whole.empty() || word[0] != whole[0])
        return false;
    std::size_t met = 0;
    for (char c : whole)
        if (met < word.size() && c == word[met])
            ++met;
    return met == word.size();
}

/// How a word is like a candidate, the likest first.
int kind_of_likeness(const std::string& word, const std::string& candidate, std::size_t distance)
{
    const std::string bare = word.substr(std::min(word.find_first_not_of('-'), word.size()));
    if (distance <= 1 || bare.size() < 3)
        return 0;
    if (candidate.find(bare) != std::string::npos)
        return 1;
    return abbreviates(word, candidate) ? 2 : 3;
}

} // namespace

/// Longer words are no slips of what is known, and would be compared with it for ever.
constexpr std::size_t longest_word = 200;

std::string nearest(std::string_view word, std::span<const std::string> candidates)
{
    if (word.size() > longest_word)
        return {};
    std::string best;
    std::pair<int, std::size_t> least{4, std::numeric_limits<std::size_t>::max()};
    const std::string given = folded(word);
    const bool bare = word.find('.') == std::string_view::npos;
    for (const auto& c : candidates) {
        if (c.size() > longest_word)
            continue;
        const std::string part = bare ? c.substr(c.rfind('.') + 1) : c;
        const auto d = edit_distance(word, part);
        if (const std::pair now{kind_of_likeness(given, folded(part), d), d}; now < least) {
            least = now;
            best = c;
        }
    }
    return best;
}

std::string likely(std::string_view word, std::span<const std::string> candidates)
{
    const std::string best = nearest(word, candidates);
    if (best.empty())
        return best;
    const bool bare = word.find('.') == std::string_view::npos;
    const std::string part = bare ? best.substr(best.rfind('.') + 1) : best;
    const auto d = edit_distance(word, part);
    const int kind = kind_of_likeness(folded(word), folded(part), d);
    const auto longer = std::max(word.size(), part.size()),
               shorter = std::min(word.size(), part.size());
    const bool near = d <= std::max<std::size_t>(1, longer / 3) && d < shorter;
    return d == 0 || near || kind == 1 || kind == 2 ? best : std::string();
}

std::string hint(std::string_view word, std::span<const std::string> candidates)
{
    constexpr std::size_t few = 12;
    if (const auto best = likely(word, candidates); !best.empty())
        return "; the nearest known is '" + best + "'";
    std::string list;
    if (candidates.size() <= few)
        for (const auto& c : candidates)
            list += (list.empty() ? "; known are " : ", ") + c;
    return list;
}

} // namespace tawara
