// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of x y z radius parent [kind].
#include "engine/cable/io/graph.hpp"
#include "engine/core/error.hpp"
#include "engine/mesh/io/text.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

namespace tawara::cable::io {
namespace {

/// Whether the first row names the columns.
bool is_head(std::string_view text)
{
    mesh::io::Text in("", text);
    for (const char* due : {"x", "y", "z", "radius", "parent"}) {
        if (!in.more_in_line())
            return false;
        std::string word(in.word(""));
        std::transform(word.begin(), word.end(), word.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (word != due)
            return false;
    }
    return true;
}

} // namespace

Loaded read_table(const std::filesystem::path& file, const ReadOptions& options)
{
    const std::string name = file.string();
    auto content = mesh::io::content_of(file);
    std::replace_if(
        content.begin(), content.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
    mesh::io::Text in(name, content);
    Loaded out;
    out.format = "table";
    out.unit = options.unit.value_or(Unit::um);
    if (!options.unit)
        out.notices.push_back({Notice::Level::info, "length unit um, by convention of tables; "
                                                    "--unit says another one"});
    Graph g;
    g.file = name;
    g.what = "row";
    struct Parent
    {
        std::int64_t row;
        long line;
    };
    std::vector<Parent> parents;
    for (bool first = true; !in.at_end(); first = false) {
        const long line = in.line();
        const auto rest = std::string_view(content).substr(content.size() - in.left());
        if (first && is_head(rest)) {
            in.skip_line();
            continue;
        }
        if (const char c = rest[0];
            !std::isdigit(static_cast<unsigned char>(c)) && c != '-' && c != '+' && c != '.')
            in.fail(mesh::io::in_quotes(in.word("")) +
                    " begins no row of a cable: x y z radius parent [kind], all numbers, are due");
        const auto length = [&](const char* what) {
            in.need_in_line(what);
            const double x = in.any_number(what);
            need_length(name, line, what, x);
            return mm_of(out.unit) * x;
        };
        Graph::Point p;
        p.number = static_cast<std::int64_t>(g.points.size());
        p.line = line;
        p.place_mm = {length("x"), length("y"), length("z")};
        p.radius_um = 1000 * length("the radius");
        if (p.radius_um < 0)
            throw InputError(name, line, "the radius is below 0; above 0 is due");
        in.need_in_line("the parent's row");
        parents.push_back(
            {in.integer("the parent's row", -1, std::numeric_limits<int>::max()), line});
        if (in.more_in_line())
            p.kind = static_cast<std::int32_t>(in.integer("the kind", 0, 1'000'000));
        if (in.more_in_line())
            in.fail("the row goes on behind its kind; rows of x y z radius parent [kind] are due");
        g.points.push_back(p);
    }
    if (g.points.empty())
        throw InputError(name, "has no rows; rows of x y z radius parent [kind] are due");
    for (std::size_t i = 0; i < parents.size(); ++i) {
        const auto [parent, line] = parents[i];
        if (parent < 0) {
            g.roots.push_back(static_cast<std::int64_t>(i));
            continue;
        }
        if (parent >= static_cast<std::int64_t>(parents.size()) ||
            parent == static_cast<std::int64_t>(i))
            throw InputError(name, line,
                             "the parent is row " + std::to_string(parent) +
                                 "; another row is due, from 0 to " +
                                 std::to_string(parents.size() - 1) + ", or -1 for the root");
        g.pieces.push_back({parent, static_cast<std::int64_t>(i)});
    }
    give_radii(g, options, out.notices);
    make_trees(std::move(g), options, out);
    return out;
}

} // namespace tawara::cable::io
