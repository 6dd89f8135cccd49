// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/io/graph.hpp"
#include "engine/core/error.hpp"
#include "engine/mesh/io/text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace tawara::cable::io {
namespace {

constexpr std::int32_t soma = 1;

/// A unit that the comments name: a word after "unit", as navis writes it ("units": "1 nanometer").
std::optional<Unit> unit_of_comments(const std::string& file, std::string_view content)
{
    long line = 0;
    for (std::size_t at = 0; at < content.size(); ++line) {
        const auto end = std::min(content.find('\n', at), content.size());
        auto text = std::string(content.substr(at, end - at));
        at = end + 1;
        const auto hash = text.find('#');
        if (hash == text.npos)
            continue;
        text = text.substr(hash);
        std::transform(text.begin(), text.end(), text.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        const auto from = text.find("unit");
        if (from == text.npos)
            continue;
        std::string word;
        double factor = 1;
        for (std::size_t i = from + 4; i <= text.size(); ++i) {
            const char c = i < text.size() ? text[i] : ' ';
            if (std::isalnum(static_cast<unsigned char>(c)) || c == '.') {
                word += c;
                continue;
            }
            if (!word.empty() && std::isdigit(static_cast<unsigned char>(word[0])))
                factor = std::atof(word.c_str());
            std::optional<Unit> found;
            for (const auto& [start, unit] : {std::pair<const char*, Unit>{"nanomet", Unit::nm},
                                              {"micromet", Unit::um},
                                              {"micron", Unit::um},
                                              {"millimet", Unit::mm}})
                if (word.starts_with(start))
                    found = unit;
            for (const auto u : {Unit::nm, Unit::um, Unit::mm})
                if (word == name(u))
                    found = u;
            if (found && factor != 1)
                throw InputError(file, line + 1,
                                 "the comment names units of " + std::to_string(factor) + " " +
                                     std::string(name(*found)) +
                                     "; scale the file to whole units and give --unit");
            if (found)
                return found;
            word.clear();
        }
    }
    return {};
}

struct Row
{
    std::int64_t id, parent;
    std::int32_t kind;
    Vec3 place;
    double radius;
    long line;
};

std::vector<Row> rows_of(const std::string& file, std::string_view content)
{
    mesh::io::Text in(file, content);
    std::vector<Row> rows;
    while (!in.at_end()) {
        Row r{};
        r.line = in.line();
        const auto integer = [&](const char* what, std::int64_t low, std::int64_t high) {
            in.need_in_line(what);
            return in.integer(what, low, high);
        };
        const auto length = [&](const char* what) {
            in.need_in_line(what);
            const double x = in.any_number(what);
            need_length(file, r.line, what, x);
            return x;
        };
        constexpr auto most = std::numeric_limits<std::int64_t>::max();
        r.id = integer("the point's id", 0, most);
        r.kind = static_cast<std::int32_t>(integer("the point's kind", 0, 1'000'000));
        r.place = {length("x"), length("y"), length("z")};
        r.radius = length("the radius");
        if (r.radius < 0)
            throw InputError(file, r.line, "the radius is below 0; above 0 is due");
        r.parent = integer("the parent's id", std::numeric_limits<std::int64_t>::min(), most);
        in.skip_line(); // further columns are of other programs
        rows.push_back(r);
    }
    if (rows.empty())
        throw InputError(file, "has no points; rows of id, kind, x, y, z, radius, parent are due");
    return rows;
}

/// Rows by their ids. @throws InputError for ids that stand twice
std::unordered_map<std::int64_t, std::size_t> places_of(const std::string& file,
                                                        const std::vector<Row>& rows)
{
    std::unordered_map<std::int64_t, std::size_t> at;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (const auto [it, fresh] = at.emplace(rows[i].id, i); !fresh)
            throw InputError(file, rows[i].line,
                             "id " + std::to_string(rows[i].id) + " stands in line " +
                                 std::to_string(rows[it->second].line) +
                                 ", too; each point has an id of its own");
    return at;
}

/// Points and pieces, in the file's unit, without what somata need.
Graph graph_of(const std::string& file, const std::vector<Row>& rows)
{
    const auto at = places_of(file, rows);
    Graph g;
    g.file = file;
    g.what = "id";
    for (const auto& r : rows) {
        g.points.push_back({r.place, r.radius, r.kind, r.id, r.line});
        const auto here = static_cast<std::int64_t>(g.points.size()) - 1;
        if (r.parent < 0) {
            g.roots.push_back(here);
            continue;
        }
        const auto p = at.find(r.parent);
        if (p == at.end())
            throw InputError(file, r.line,
                             "id " + std::to_string(r.id) + " has the parent " +
                                 std::to_string(r.parent) +
                                 ", which is not in the file; an id of the file is due, or -1 for "
                                 "the root");
        if (p->second == static_cast<std::size_t>(here))
            throw InputError(file, r.line,
                             "id " + std::to_string(r.id) +
                                 " is its own parent; an id of another point is due");
        g.pieces.push_back({static_cast<std::int64_t>(p->second), here});
    }
    return g;
}

/// Where the unit is but SWC's: no neuron's reconstruction is so wide.
void warn_of_size(const Graph& g, Notices& notices)
{
    constexpr double most_mm = 10;
    Vec3 low = g.points[0].place_mm, high = low;
    for (const auto& p : g.points)
        for (std::size_t a = 0; a < 3; ++a) {
            low[a] = std::min(low[a], p.place_mm[a]);
            high[a] = std::max(high[a], p.place_mm[a]);
        }
    if (const double wide = norm(high - low); wide > most_mm)
        notices.push_back(
            {Notice::Level::warning, "length unit um, by convention of SWC: the cable is then " +
                                         std::to_string(std::lround(wide)) +
                                         " mm wide; --unit nm may be right"});
}

/// Somata and what hangs on them.
class Somata
{
  public:
    Somata(Graph& g, Notices& notices) : g_(g), notices_(notices), children_(g.points.size(), 0)
    {
        for (const auto& p : g_.pieces)
            ++children_[static_cast<std::size_t>(p.from)];
    }

    void run()
    {
        const auto pieces = g_.pieces.size();
        hang_neurites(pieces);
        std::vector<std::int64_t> alone, outline;
        std::vector<bool> with_soma(g_.points.size(), false);
        for (std::size_t k = 0; k < pieces; ++k)
            if (is_soma(g_.pieces[k].from) && is_soma(g_.pieces[k].to))
                with_soma[static_cast<std::size_t>(g_.pieces[k].from)] =
                    with_soma[static_cast<std::size_t>(g_.pieces[k].to)] = true;
        const auto points = static_cast<std::int64_t>(with_soma.size());
        for (std::int64_t i = 0; i < points; ++i)
            if (is_soma(i) && !with_soma[static_cast<std::size_t>(i)])
                alone.push_back(i);
        for (const auto i : alone)
            make_cylinder(i);
        fold_outline(pieces, static_cast<std::size_t>(points));
    }

  private:
    bool is_soma(std::int64_t i) const { return point(i).kind == soma; }
    Graph::Point& point(std::int64_t i) { return g_.points[static_cast<std::size_t>(i)]; }
    const Graph::Point& point(std::int64_t i) const
    {
        return g_.points[static_cast<std::size_t>(i)];
    }
    std::int64_t add(Graph::Point p, std::int64_t from, bool wire)
    {
        g_.points.push_back(p);
        const auto i = static_cast<std::int64_t>(g_.points.size()) - 1;
        g_.pieces.push_back({from, i, wire});
        return i;
    }

    /// By wires. A neurite of one point begins at the soma.
    void hang_neurites(std::size_t pieces)
    {
        std::vector<std::int64_t> short_ones;
        for (std::size_t k = 0; k < pieces; ++k) {
            const auto [from, to, wire] = g_.pieces[k];
            if (is_soma(from) == is_soma(to))
                continue;
            const bool single = is_soma(from) && children_[static_cast<std::size_t>(to)] == 0;
            if (!single) {
                g_.pieces[k].wire = true;
                continue;
            }
            if (!(norm(point(to).place_mm - point(from).place_mm) > 0))
                continue; // a point on the soma: a wire to nothing
            auto start = point(to);
            start.place_mm = point(from).place_mm;
            start.number = -1;
            g_.pieces[k].from = add(start, from, true);
            short_ones.push_back(point(to).number);
        }
        if (!short_ones.empty())
            notices_.push_back(
                {Notice::Level::info, "neurites of one point begin at the middle of the soma: id " +
                                          listed(short_ones)});
    }

    /// A cylinder as long as wide, along y as NeuroMorpho writes it.
    void make_cylinder(std::int64_t i)
    {
        add_ends(i);
        notices_.push_back({Notice::Level::info,
                            "the soma at id " + std::to_string(point(i).number) +
                                " is one point: taken as a cylinder as long as wide, with the "
                                "area of its sphere"});
    }

    void add_ends(std::int64_t i)
    {
        for (const double side : {-1e-3, 1e-3}) { // um to mm
            auto end = point(i);
            end.place_mm[1] += side * end.radius_um;
            end.number = -1;
            add(end, i, false);
        }
    }

    /// A chain of soma points that goes around a middle becomes a sphere.
    void fold_outline(std::size_t pieces, std::size_t points)
    {
        std::vector<std::int64_t> all;
        std::size_t within = 0;
        double path = 0;
        std::vector<int> soma_children(points, 0);
        bool chain = true;
        for (std::size_t i = 0; i < points; ++i)
            if (g_.points[i].kind == soma)
                all.push_back(static_cast<std::int64_t>(i));
        for (std::size_t k = 0; k < pieces; ++k) {
            const auto [from, to, wire] = g_.pieces[k];
            if (wire || from >= static_cast<std::int64_t>(points) || !is_soma(from) || !is_soma(to))
                continue;
            ++within;
            path += norm(point(to).place_mm - point(from).place_mm);
            chain = chain && ++soma_children[static_cast<std::size_t>(from)] == 1;
        }
        if (!chain || all.size() < 4 || within + 1 != all.size())
            return;
        Vec3 middle{};
        for (const auto i : all)
            middle = middle + (1.0 / static_cast<double>(all.size())) * point(i).place_mm;
        double mean = 0, widest = 0;
        for (const auto i : all) {
            mean += norm(point(i).place_mm - middle) / static_cast<double>(all.size());
            widest = std::max(widest, 1e-3 * point(i).radius_um);
        }
        const double open = norm(point(all.back()).place_mm - point(all.front()).place_mm);
        if (widest > mean / 4 || open > path / 2)
            return;
        // all points become the middle: neurites hang on them, and they on each other, by wires
        const auto centre = all.front();
        for (const auto i : all) {
            point(i).place_mm = middle;
            point(i).radius_um = 1e3 * mean;
        }
        for (std::size_t k = 0; k < pieces; ++k)
            if (is_soma(g_.pieces[k].from) && is_soma(g_.pieces[k].to))
                g_.pieces[k].wire = true;
        add_ends(centre);
        notices_.push_back({Notice::Level::warning,
                            "the soma is an outline of " + std::to_string(all.size()) +
                                " points: taken as a sphere of their mean distance from its "
                                "middle"});
    }

    Graph& g_;
    Notices& notices_;
    std::vector<int> children_;
};

} // namespace

Loaded read_swc(const std::filesystem::path& file, const ReadOptions& options)
{
    Loaded out;
    out.format = "SWC";
    const std::string name = file.string();
    const auto content = mesh::io::content_of(file);
    std::string_view text = content;
    if (text.starts_with("\xef\xbb\xbf"))
        text.remove_prefix(3);
    auto graph = graph_of(name, rows_of(name, text));
    const auto stated = unit_of_comments(name, text);
    out.unit = options.unit.value_or(stated.value_or(Unit::um));
    if (!options.unit && stated && *stated != Unit::um)
        out.notices.push_back(
            {Notice::Level::info,
             "length unit " + std::string(io::name(*stated)) + ", as a comment of the file says"});
    const double um = 1000 * mm_of(out.unit);
    for (auto& p : graph.points) {
        p.place_mm = mm_of(out.unit) * p.place_mm;
        p.radius_um *= um;
    }
    if (!options.unit && !stated)
        warn_of_size(graph, out.notices);
    give_radii(graph, options, out.notices);
    Somata(graph, out.notices).run();
    make_trees(std::move(graph), options, out);
    return out;
}

} // namespace tawara::cable::io
