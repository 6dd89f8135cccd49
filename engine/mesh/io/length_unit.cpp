// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/io/length_unit.hpp"

#include <algorithm>
#include <cstdio>

namespace tawara::mesh::io {
namespace {

struct Size
{
    double diagonal = 0, edge = 0; ///< [file units]
};

Size size_of(const TetMesh& m)
{
    Vec3 low{}, high{};
    std::size_t a = 0;
    for (const auto* c : {&m.x, &m.y, &m.z}) {
        const auto [least, most] = std::minmax_element(c->begin(), c->end());
        low[a] = *least;
        high[a++] = *most;
    }
    Size s;
    s.diagonal = norm(high - low);
    const std::size_t n = m.tetrahedron_count(), stride = std::max<std::size_t>(1, n / 10000);
    std::size_t count = 0;
    for (std::size_t t = 0; t < n; t += stride, ++count)
        s.edge += norm(m.vertex(static_cast<std::size_t>(m.corner[1][t])) -
                       m.vertex(static_cast<std::size_t>(m.corner[0][t])));
    s.edge /= static_cast<double>(std::max<std::size_t>(count, 1));
    return s;
}

struct Guess
{
    LengthUnit unit;
    bool sure;
};

/// Hearts are 20 to 400 mm across, those of mice 5 to 20, blocks of tissue 0.5 or more; tissue is
/// cut into edges of 0.1 to 2 mm. Every size has a unit; what is none of a heart's is never sure.
Guess infer(const Size& s)
{
    const double d = s.diagonal, edge = s.edge;
    if (d >= 1000) // hearts from 5e3 on, blocks below; in mm a metre or more
        return {LengthUnit::um, d >= 2e4 && d < 4e5};
    if (d >= 400) // a block of less than a millimetre, or a heart that is too large, in mm
        return {edge < 5 ? LengthUnit::mm : LengthUnit::um, false};
    if (d >= 20)
        return {LengthUnit::mm, true};
    if (d >= 5) // a man's heart in cm, or a mouse's, or a small block, in mm
        return {edge < 0.15 ? LengthUnit::cm : LengthUnit::mm, false};
    if (d >= 0.4) // a mouse's heart or a block in cm, or a block in mm
        return {edge < 0.1 ? LengthUnit::cm : LengthUnit::mm, false};
    if (d >= 0.02) // a heart in m, or a block in cm
        return {edge < 0.01 ? LengthUnit::m : LengthUnit::cm, false};
    return {LengthUnit::m, false};
}

} // namespace

std::optional<LengthUnit> noted_unit(std::string_view text)
{
    const auto at = text.find(unit_note);
    if (at == text.npos)
        return {};
    const auto from = at + unit_note.size();
    auto to = from;
    while (to < text.size() && text[to] >= 'a' && text[to] <= 'z')
        ++to;
    return length_unit(text.substr(from, to - from));
}

LengthUnit choose_unit(Raw& raw, std::optional<LengthUnit> given)
{
    const Size s = size_of(raw.mesh);
    const auto across = [&](LengthUnit u) { return s.diagonal * millimetres(u); };
    const auto say = [&](LengthUnit u, const std::string& how, bool sure) {
        char text[64];
        std::snprintf(text, sizeof text, ": the mesh's box has a diagonal of %.4g mm", across(u));
        raw.notices.push_back({sure ? Notice::Level::info : Notice::Level::warning,
                               "length unit " + std::string(name(u)) + " (" + how + ")" + text +
                                   (sure ? "" : "; give the unit if that is wrong")});
        return u;
    };
    const auto told = [&](LengthUnit u, const std::string& how) {
        const double d = across(u);
        const char* but = d > 1000  ? ", though no heart is so large"
                          : d < 0.1 ? ", though no piece of tissue is so small"
                                    : "";
        return say(u, how + but, *but == 0);
    };
    if (given)
        return told(*given, "as given");
    if (raw.stated)
        return told(*raw.stated, "as the file says");
    if (raw.convention && across(*raw.convention) >= 0.5 && across(*raw.convention) < 400)
        return say(*raw.convention, "by convention of " + raw.format, true);
    const Guess g = infer(s);
    if (raw.convention && g.unit == *raw.convention)
        return say(g.unit, "by convention of " + raw.format, false);
    if (raw.convention)
        return say(g.unit,
                   "inferred from the size, though " + std::string(name(*raw.convention)) +
                       " is the convention of " + raw.format,
                   false);
    return say(g.unit, "inferred from the size", g.sure);
}

} // namespace tawara::mesh::io
