// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/generator/heart.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/session_keys.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

/// The tables of keys on the page of sessions, as the table of session keys says them. On the page
/// they stand between `<!-- keys: OBJECT -->` and `<!-- end -->`.
namespace session_page {

using namespace tawara;
using simulation::Key;
using simulation::Member;
using simulation::number_text;

inline std::string range_text(double low, double high, bool above, const std::string& unit)
{
    std::string out;
    if (std::isfinite(low) && std::isfinite(high))
        out = above ? "above " + number_text(low, 10) + ", up to " + number_text(high, 10)
                    : number_text(low, 10) + " to " + number_text(high, 10);
    else if (std::isfinite(low))
        out = (above ? "above " : "at least ") + number_text(low, 10);
    return out.empty() || unit.empty() ? out + unit : out + " " + unit;
}

inline std::string range_text(const Key& key)
{
    std::string words;
    for (const auto w : key.words_list())
        words += (words.empty() ? "`" : ", `") + std::string(w) + "`";
    if (!words.empty())
        return words;
    if (key.member.type == Member::Type::truth)
        return "`true`, `false`";
    return range_text(key.range.low, key.range.high, key.range.above, std::string(key.unit));
}

inline std::string default_text(const Key& key)
{
    const Member& m = key.member;
    if (!key.also.left_out.empty())
        return std::string(key.also.left_out);
    if (!key.also.needed.empty())
        return "needed";
    if (m.type == Member::Type::text)
        return "none";
    if (m.type == Member::Type::none)
        return "";
    const double v = m.fallback();
    if (m.type == Member::Type::truth)
        return v != 0 ? "`true`" : "`false`";
    if (m.type == Member::Type::choice)
        return "`" +
               std::string(key.words_list().at(static_cast<std::size_t>(v) -
                                               static_cast<std::size_t>(key.also.first))) +
               "`";
    const std::string zero(key.also.zero);
    return number_text(v, 10) + (zero.empty() ? "" : v == 0 ? ": " + zero : "; 0: " + zero);
}

inline std::string row(const std::string& name, const std::string& what, const std::string& range,
                       const std::string& left_out)
{
    std::string out = "|";
    for (const auto& cell : {"`" + name + "`", what, range, left_out})
        out += cell.empty() ? " |" : " " + cell + " |";
    return out + "\n";
}

/// Rows of an object's keys.
inline std::string rows(const std::string& object)
{
    std::string out;
    if (object == "/mesh/heart") {
        for (const auto& p : mesh::generator::parameter_table())
            out += row(std::string(p.name), std::string(p.description),
                       range_text(p.min, p.max, false,
                                  p.unit == "1"     ? ""
                                  : p.unit == "deg" ? "degrees"
                                                    : std::string(p.unit)),
                       number_text(p.fallback, 10));
        return out;
    }
    for (const Key* key : simulation::keys_of(object == "/" ? "" : object)) {
        if (key->name() == "#")
            continue;
        std::string what(key->what), more(key->also.more);
        if (!more.empty() && more[0] >= 'a' && more[0] <= 'z')
            more[0] = static_cast<char>(more[0] - 'a' + 'A');
        out += row(std::string(key->name()), more.empty() ? what : what + ". " + more,
                   range_text(*key), default_text(*key));
    }
    return out;
}

/// The page with its tables made anew.
inline std::string made_anew(const std::string& page)
{
    const std::string begin = "<!-- keys: ", end = "<!-- end -->";
    std::string out;
    std::size_t from = 0;
    for (auto at = page.find(begin); at != std::string::npos; at = page.find(begin, from)) {
        const auto object = at + begin.size(), close = page.find(" -->", object);
        out += page.substr(from, close - from) + " -->\n| key | what | range | default |\n" +
               "| --- | --- | --- | --- |\n" + rows(page.substr(object, close - object));
        from = page.find(end, close);
        if (from == std::string::npos)
            throw std::runtime_error("a table of the page has no " + end);
    }
    return out + page.substr(from);
}

} // namespace session_page
