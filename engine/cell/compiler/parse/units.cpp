// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/parse/units.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <vector>

namespace tawara::cell::compiler {
namespace {

using Powers = std::map<std::string, double>;

struct Named
{
    const char* long_name;
    const char* short_name;
    Units units;
};

const std::vector<Named>& named()
{
    static const std::vector<Named> table{
        {"dimensionless", "1", {}},
        {"radian", "rad", {}},
        {"steradian", "sr", {}},
        {"metre", "m", {1, 0, {{"m", 1}}}},
        {"meter", "", {1, 0, {{"m", 1}}}},
        {"kilogram", "kg", {1, 0, {{"kg", 1}}}},
        {"gram", "g", {1e-3, 0, {{"kg", 1}}}},
        {"second", "s", {1, 0, {{"s", 1}}}},
        {"ampere", "A", {1, 0, {{"A", 1}}}},
        {"kelvin", "K", {1, 0, {{"K", 1}}}},
        {"celsius", "degC", {1, 273.15, {{"K", 1}}}},
        {"mole", "mol", {1, 0, {{"mol", 1}}}},
        {"candela", "cd", {1, 0, {{"cd", 1}}}},
        {"litre", "L", {1e-3, 0, {{"m", 3}}}},
        {"liter", "", {1e-3, 0, {{"m", 3}}}},
        {"hertz", "Hz", {1, 0, {{"s", -1}}}},
        {"becquerel", "Bq", {1, 0, {{"s", -1}}}},
        {"newton", "N", {1, 0, {{"kg", 1}, {"m", 1}, {"s", -2}}}},
        {"pascal", "Pa", {1, 0, {{"kg", 1}, {"m", -1}, {"s", -2}}}},
        {"joule", "J", {1, 0, {{"kg", 1}, {"m", 2}, {"s", -2}}}},
        {"watt", "W", {1, 0, {{"kg", 1}, {"m", 2}, {"s", -3}}}},
        {"coulomb", "C", {1, 0, {{"A", 1}, {"s", 1}}}},
        {"volt", "V", {1, 0, {{"kg", 1}, {"m", 2}, {"s", -3}, {"A", -1}}}},
        {"farad", "F", {1, 0, {{"kg", -1}, {"m", -2}, {"s", 4}, {"A", 2}}}},
        {"ohm", "R", {1, 0, {{"kg", 1}, {"m", 2}, {"s", -3}, {"A", -2}}}},
        {"siemens", "S", {1, 0, {{"kg", -1}, {"m", -2}, {"s", 3}, {"A", 2}}}},
        {"weber", "Wb", {1, 0, {{"kg", 1}, {"m", 2}, {"s", -2}, {"A", -1}}}},
        {"tesla", "T", {1, 0, {{"kg", 1}, {"s", -2}, {"A", -1}}}},
        {"henry", "H", {1, 0, {{"kg", 1}, {"m", 2}, {"s", -2}, {"A", -2}}}},
        {"lumen", "lm", {1, 0, {{"cd", 1}}}},
        {"lux", "lx", {1, 0, {{"cd", 1}, {"m", -2}}}},
        {"gray", "Gy", {1, 0, {{"m", 2}, {"s", -2}}}},
        {"sievert", "Sv", {1, 0, {{"m", 2}, {"s", -2}}}},
        {"katal", "kat", {1, 0, {{"mol", 1}, {"s", -1}}}},
        {"", "M", {1e3, 0, {{"mol", 1}, {"m", -3}}}},
        {"", "l", {1e-3, 0, {{"m", 3}}}},
        {"", "min", {60, 0, {{"s", 1}}}},
        {"", "h", {3600, 0, {{"s", 1}}}},
    };
    return table;
}

std::optional<Units> short_atom(std::string_view t)
{
    for (const Named& n : named())
        if (*n.short_name && t == n.short_name)
            return n.units;
    if (t.size() < 2)
        return {};
    static constexpr std::pair<char, int> prefixes[] = {
        {'y', -24}, {'z', -21}, {'a', -18}, {'f', -15}, {'p', -12}, {'n', -9},
        {'u', -6},  {'m', -3},  {'c', -2},  {'d', -1},  {'h', 2},   {'k', 3},
        {'M', 6},   {'G', 9},   {'T', 12},  {'P', 15}};
    for (const auto& [c, e] : prefixes)
        if (t[0] == c)
            for (const Named& n : named())
                if (*n.short_name && t.substr(1) == n.short_name && t.substr(1) != "1") {
                    Units u = n.units;
                    u.factor *= std::pow(10.0, e);
                    return u;
                }
    return {};
}

std::optional<double> number(std::string_view t)
{
    double v = 0;
    if (!t.empty() && t[0] == '+')
        t.remove_prefix(1);
    const auto r = std::from_chars(t.data(), t.data() + t.size(), v);
    if (r.ec != std::errc() || r.ptr != t.data() + t.size() || !std::isfinite(v))
        return {};
    return v;
}

std::string_view trim(std::string_view t)
{
    while (!t.empty() && (t.front() == ' ' || t.front() == '\t'))
        t.remove_prefix(1);
    while (!t.empty() && (t.back() == ' ' || t.back() == '\t'))
        t.remove_suffix(1);
    return t;
}

} // namespace

bool Units::compatible(const Units& o) const
{
    const auto within = [](const Powers& a, const Powers& b) {
        for (const auto& [k, p] : a) {
            const auto it = b.find(k);
            if (std::abs(p - (it == b.end() ? 0 : it->second)) > 1e-9)
                return false;
        }
        return true;
    };
    return within(powers, o.powers) && within(o.powers, powers);
}

Units raised(const Units& u, double power)
{
    Units r{std::pow(u.factor, power), power == 1 ? u.offset : 0, u.powers};
    for (auto& [k, p] : r.powers)
        p *= power;
    return r;
}

Units product(const Units& a, const Units& b)
{
    Units r{a.factor * b.factor, 0, a.powers};
    if (a.powers.empty() && a.factor == 1)
        r.offset = b.offset;
    for (const auto& [k, p] : b.powers)
        r.powers[k] += p;
    std::erase_if(r.powers, [](const auto& x) { return x.second == 0; });
    return r;
}

std::optional<Units> built_in_units(std::string_view name)
{
    for (const Named& n : named())
        if (*n.long_name && name == n.long_name)
            return n.units;
    return {};
}

std::optional<double> si_prefix(std::string_view text)
{
    static constexpr std::pair<std::string_view, int> words[] = {
        {"yotta", 24}, {"zetta", 21},  {"exa", 18},   {"peta", 15}, {"tera", 12},  {"giga", 9},
        {"mega", 6},   {"kilo", 3},    {"hecto", 2},  {"deca", 1},  {"deka", 1},   {"deci", -1},
        {"centi", -2}, {"milli", -3},  {"micro", -6}, {"nano", -9}, {"pico", -12}, {"femto", -15},
        {"atto", -18}, {"zepto", -21}, {"yocto", -24}};
    for (const auto& [w, e] : words)
        if (text == w)
            return e;
    return number(text);
}

std::optional<Units> parse_short_units(std::string_view text)
{
    text = trim(text);
    constexpr std::size_t most = 1000; // characters; those of models have some twenty
    if (text.size() > most)
        return {};
    Units out;
    if (const auto p = text.find('('); p != std::string_view::npos && text.back() == ')') {
        const auto f = number(trim(text.substr(p + 1, text.size() - p - 2)));
        if (!f || *f == 0)
            return {};
        out.factor = *f;
        text = trim(text.substr(0, p));
    }
    double sign = 1;
    for (bool more = true; more;) {
        const auto cut = text.find_first_of("*/");
        std::string_view part = trim(text.substr(0, cut));
        double power = 1;
        if (const auto h = part.find('^'); h != std::string_view::npos) {
            const auto p = number(trim(part.substr(h + 1)));
            if (!p || std::abs(*p) > 100)
                return {};
            power = *p;
            part = trim(part.substr(0, h));
        }
        const auto atom = short_atom(part);
        if (!atom)
            return {};
        const double factor = out.factor;
        out = product(Units{1, 0, out.powers}, raised(*atom, sign * power));
        out.factor *= factor;
        more = cut != std::string_view::npos;
        if (more) {
            sign = text[cut] == '/' ? -1 : 1;
            text.remove_prefix(cut + 1);
        }
    }
    return out;
}

std::string to_text(const Units& u)
{
    std::string t;
    char buffer[40];
    for (const auto& [k, p] : u.powers) {
        std::snprintf(buffer, sizeof buffer, "^%g", p);
        t += (t.empty() ? "" : " ") + k + (p == 1 ? "" : buffer);
    }
    std::snprintf(buffer, sizeof buffer, "%g ", u.factor);
    return (u.factor == 1 ? "" : buffer) + (t.empty() ? "dimensionless" : t);
}

} // namespace tawara::cell::compiler
