// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/session/session_bounds.hpp"

#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/session_keys.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

namespace tawara::simulation {

std::vector<JsonNode> key_items(const JsonNode& list, std::string_view at, std::string_view should,
                                std::size_t least)
{
    const Key& key = session_key(at);
    if (list.value().is_array() && static_cast<double>(list.value().size()) > key.range.high)
        list.fail_value("a list of at most " + number_text(key.range.high, 10) + " " +
                        std::string(key.unit));
    return list.items(should, least);
}

std::vector<std::int64_t> each_once(std::vector<std::int64_t> numbers)
{
    if (std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>()) == numbers.end())
        return numbers;
    std::vector<std::size_t> order(numbers.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return numbers[a] != numbers[b] ? numbers[a] < numbers[b] : a < b;
    });
    std::vector<char> again(numbers.size(), 0);
    for (std::size_t k = 1; k < order.size(); ++k)
        again[order[k]] = numbers[order[k]] == numbers[order[k - 1]];
    std::size_t kept = 0;
    for (std::size_t k = 0; k < numbers.size(); ++k)
        if (!again[k])
            numbers[kept++] = numbers[k];
    numbers.resize(kept);
    return numbers;
}

} // namespace tawara::simulation
