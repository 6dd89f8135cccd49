// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

namespace tawara::bench {

/// Writes JSON for people: objects a key a line, arrays of plain values on one line.
inline void write_compact(std::ostream& out, const nlohmann::ordered_json& j, int depth = 0)
{
    const std::string pad(static_cast<std::size_t>(depth) + 1, ' ');
    const bool plain = j.is_array() && std::none_of(j.begin(), j.end(), [](const auto& x) {
                           return x.is_structured();
                       });
    if (!j.is_structured() || j.empty() || plain) {
        out << j.dump();
        return;
    }
    out << (j.is_array() ? '[' : '{');
    bool first = true;
    for (const auto& [key, value] : j.items()) {
        out << (first ? "\n" : ",\n") << pad;
        if (j.is_object())
            out << nlohmann::json(key).dump() << ": ";
        write_compact(out, value, depth + 1);
        first = false;
    }
    out << '\n' << pad.substr(1) << (j.is_array() ? ']' : '}');
}

} // namespace tawara::bench
