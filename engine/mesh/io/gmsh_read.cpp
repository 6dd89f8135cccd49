// SPDX-License-Identifier: GPL-3.0-or-later
//
// Gmsh .msh files of versions 2.2 and 4.1, text and binary: nodes, tetrahedra, physical groups as
// region labels with their names, node and element data.
#include "engine/mesh/io/gmsh_numbers.hpp"
#include "engine/mesh/io/gmsh_tags.hpp"
#include "engine/mesh/io/length_unit.hpp"
#include "engine/mesh/io/raw.hpp"
#include "engine/mesh/io/text.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace tawara::mesh::io {
namespace {

namespace fs = std::filesystem;

struct ElementType
{
    int number;
    const char* name;
    int nodes;
    bool ignorable;
};
constexpr std::array<ElementType, 19> element_types{{{1, "line", 2, true},
                                                     {2, "triangle", 3, true},
                                                     {3, "quadrilateral", 4, false},
                                                     {4, "tetrahedron", 4, false},
                                                     {5, "hexahedron", 8, false},
                                                     {6, "prism", 6, false},
                                                     {7, "pyramid", 5, false},
                                                     {8, "line3", 3, true},
                                                     {9, "triangle6", 6, true},
                                                     {10, "quad9", 9, false},
                                                     {11, "tetrahedron10", 10, false},
                                                     {12, "hexahedron27", 27, false},
                                                     {13, "prism18", 18, false},
                                                     {14, "pyramid14", 14, false},
                                                     {15, "point", 1, true},
                                                     {16, "quad8", 8, false},
                                                     {17, "hexahedron20", 20, false},
                                                     {18, "prism15", 15, false},
                                                     {19, "pyramid13", 13, false}}};

class GmshReader : GmshNumbers
{
  public:
    GmshReader(const fs::path& file, const Progress& progress)
        : GmshNumbers(file), progress_(progress)
    {
        raw_.bound.emplace(file.string(), content_.size());
    }

    Raw read()
    {
        if (in_.word("$MeshFormat") == "$Comments") {
            comments();
            in_.word("$MeshFormat");
        }
        format();
        while (!in_.at_end())
            section();
        if (!have_nodes_ || !have_elements_)
            in_.fail(std::string("the file ends without $") + (have_nodes_ ? "Elements" : "Nodes") +
                     "; it seems truncated");
        others_.conclude(in_.file(), raw_.notices);
        return std::move(raw_);
    }

  private:
    void comments()
    {
        Text look(in_.file(), std::string_view(in_.take(0, ""), in_.left()), false);
        look.skip_past("$EndComments");
        raw_.stated = noted_unit({in_.take(0, ""), in_.left() - look.left()});
        in_.skip_past("$EndComments");
    }

    void format()
    {
        const double version = in_.number("the format version");
        const auto kind = in_.integer("the file type (0 text, 1 binary)", 0, 1);
        in_.integer("the data size", 8, 8);
        if (version != 2.2 && version != 4.1 && version != 2.1 && version != 2)
            in_.fail("Gmsh format " + std::to_string(version).substr(0, 3) +
                     "; 2.2 and 4.1 are understood, so export to one of them");
        v4_ = version == 4.1;
        binary_ = kind == 1;
        raw_.format = std::string("Gmsh ") + (v4_ ? "4.1" : "2.2") + (binary_ ? " binary" : "");
        if (binary_) {
            in_.skip_line();
            const char* const one = in_.take(4, "the byte order mark");
            swap_ = stored<std::int32_t>(one, false) != 1;
            if (stored<std::int32_t>(one, swap_) != 1)
                in_.fail("the byte order mark is not 1");
        }
        end_of("MeshFormat");
    }

    void section()
    {
        const std::string name(in_.word("a section"));
        if (name.size() < 2 || name[0] != '$')
            in_.fail(in_quotes(name) + " stands where a section such as $Nodes is due");
        if (name == "$Comments")
            comments();
        else if (name == "$Entities" && v4_)
            entities();
        else if (name == "$PhysicalNames")
            names();
        else if (name == "$Nodes")
            v4_ ? nodes4() : nodes2();
        else if (name == "$Elements")
            v4_ ? elements4() : elements2();
        else if (name == "$NodeData" || name == "$ElementData")
            data(name == "$NodeData");
        else if (!in_.skip_past("$End" + name.substr(1)))
            in_.fail("section " + in_quotes(name) + " has no end; the file seems truncated");
    }

    /// Names of groups of volumes; text in binary files too.
    void names()
    {
        const auto n = in_.integer("the number of names", 0, 1'000'000);
        for (std::int64_t i = 0; i < n; ++i) {
            const auto dimension = in_.integer("a group's dimension", 0, 3);
            const auto group = in_.integer("a physical group");
            std::string_view name = in_.rest_of_line();
            const auto from = name.find('"'), to = name.rfind('"');
            if (from == name.npos || to == from)
                in_.fail("the name of physical group " + std::to_string(group) +
                         " should stand in double quotes");
            if (dimension == 3 && group >= std::numeric_limits<std::int32_t>::min() &&
                group <= std::numeric_limits<std::int32_t>::max())
                raw_.mesh.label_names[static_cast<std::int32_t>(group)] =
                    name.substr(from + 1, to - from - 1);
        }
        end_of("PhysicalNames");
    }

    void entities()
    {
        in_.skip_line();
        std::array<std::size_t, 4> n{};
        for (auto& c : n)
            c = counted(size("a count of entities"), "a count of entities", 28);
        for (std::size_t dim = 0; dim < 4; ++dim)
            for (std::size_t i = 0; i < n[dim]; ++i) {
                const auto tag = int32("an entity's tag");
                for (int b = 0; b < (dim == 0 ? 3 : 6); ++b)
                    real("an entity's bounds");
                const auto groups = counted(size("a count of groups"), "a count of groups", 4);
                for (std::size_t g = 0; g < groups; ++g) {
                    const auto group = int32("a physical group");
                    if (dim == 3 && g == 0)
                        physical_[tag] = group;
                }
                if (dim == 0)
                    continue;
                const auto bounds =
                    counted(size("a count of boundaries"), "a count of boundaries", 4);
                for (std::size_t g = 0; g < bounds; ++g)
                    int32("a bounding entity");
            }
        end_of("Entities");
    }

    /// Puts what carries the tags into their order (a file may have it region by region) and enters
    /// the tags.
    /// @param carried  arrays of one value a tag
    void by_tags(const char* what, std::vector<std::int64_t>& tags, TagMap& map, auto&... carried)
    {
        if (!std::is_sorted(tags.begin(), tags.end())) {
            std::vector<std::size_t> order(tags.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::stable_sort(order.begin(), order.end(),
                             [&](std::size_t a, std::size_t b) { return tags[a] < tags[b]; });
            const auto put = [&](auto& values) {
                auto old = values;
                for (std::size_t i = 0; i < order.size(); ++i)
                    values[i] = old[order[i]];
            };
            put(tags);
            (put(carried), ...);
            raw_.notices.push_back(
                {Notice::Level::warning, std::string("the file's ") + what +
                                             " do not stand in the order of their tags; here they "
                                             "are numbered in that order, from 0"});
        }
        for (std::size_t i = 0; i < tags.size(); ++i)
            map.add(tags[i], static_cast<std::int32_t>(i));
        tags = {};
    }

    void node(std::int64_t tag, const Vec3& p)
    {
        node_tags_.push_back(tag);
        raw_.mesh.add_vertex(p);
    }
    Vec3 point()
    {
        Vec3 p{real("a coordinate")};
        for (std::size_t a = 1; a < 3; ++a) {
            need_in_line("a coordinate");
            p[a] = real("a coordinate");
        }
        return p;
    }
    void nodes_end(std::size_t announced)
    {
        if (raw_.mesh.vertex_count() != announced)
            in_.fail("the section has " + std::to_string(raw_.mesh.vertex_count()) +
                     " nodes, but " + std::to_string(announced) + " are announced");
        end_of("Nodes");
        by_tags("nodes", node_tags_, nodes_, raw_.mesh.x, raw_.mesh.y, raw_.mesh.z);
        if (!nodes_.build())
            in_.fail("a node tag is negative or occurs twice");
        have_nodes_ = true;
    }

    void nodes2()
    {
        const std::size_t n =
            counted(in_.integer("the number of nodes"), "the number of nodes", 28);
        in_.skip_line();
        for (std::size_t i = 0; i < n; ++i) {
            if (i % 65536 == 0)
                progress_.at(double(i) / double(n), "reading nodes");
            const auto tag = int32("a node tag");
            need_in_line("a coordinate");
            node(tag, point());
        }
        nodes_end(n);
    }

    void nodes4()
    {
        in_.skip_line();
        const auto blocks = counted(size("the number of blocks"), "the number of blocks", 20);
        const auto n = counted(size("the number of nodes"), "the number of nodes", 32);
        size("the smallest tag"), size("the largest tag");
        std::vector<std::int64_t> tags;
        for (std::size_t b = 0; b < blocks; ++b) {
            progress_.at(double(b) / double(blocks), "reading nodes");
            const auto dim = int32("a dimension");
            int32("an entity");
            const bool parametric = int32("0 or 1 (parametric)") != 0;
            const auto count = counted(size("a count of nodes"), "a count of nodes", 32);
            tags.resize(count);
            for (auto& t : tags)
                t = size("a node tag");
            for (const auto t : tags) {
                node(t, point());
                for (std::int64_t i = 0; parametric && i < dim; ++i)
                    real("a parameter");
            }
        }
        nodes_end(n);
    }

    const ElementType& type(std::int64_t number)
    {
        for (const auto& t : element_types)
            if (t.number == number)
                return t;
        in_.fail("element type " + std::to_string(number) +
                 " is not known; only linear tetrahedra are understood");
    }

    /// One element after its tag and labels: its vertices.
    /// @param grouped  the label is that of a physical group, else of an entity
    void element(const ElementType& t, std::int64_t tag, std::int64_t label, bool grouped,
                 bool wide)
    {
        const auto vertex = [&] {
            need_in_line("a node tag");
            const auto v = wide ? size("a node tag") : int32("a node tag");
            const auto i = nodes_.find(v);
            if (i < 0)
                in_.fail("element " + std::to_string(tag) + " names node " + std::to_string(v) +
                         ", which is not in $Nodes");
            return i;
        };
        std::array<std::int32_t, 4> c{};
        if (t.number == 4) {
            for (auto& v : c)
                v = vertex();
            if (label < std::numeric_limits<std::int32_t>::min() ||
                label > std::numeric_limits<std::int32_t>::max())
                in_.fail("element " + std::to_string(tag) + " is of group " +
                         std::to_string(label) + "; region labels go up to 2147483647");
            if (grouped)
                groups_.insert(label);
            else
                ungrouped_.push_back(static_cast<std::int32_t>(raw_.mesh.tetrahedron_count()));
            tetrahedron_tags_.push_back(tag);
            raw_.mesh.add_tetrahedron(c, static_cast<std::int32_t>(label));
            return;
        }
        for (int i = 0; i < t.nodes; ++i)
            vertex();
        t.ignorable ? others_.ignored(t.name) : others_.refused(t.name);
    }

    void elements_begin()
    {
        if (!have_nodes_)
            in_.fail("$Elements stands before $Nodes");
        if (have_elements_)
            in_.fail("$Elements occurs twice");
    }
    void elements_end()
    {
        end_of("Elements");
        separate_ungrouped();
        auto& [a, b, c, d] = raw_.mesh.corner;
        by_tags("tetrahedra", tetrahedron_tags_, elements_, a, b, c, d, raw_.mesh.region);
        if (!elements_.build())
            in_.fail("an element tag is negative or occurs twice");
        have_elements_ = true;
    }

    /// Tetrahedra of no group have their entity's number, which may be another group's.
    void separate_ungrouped()
    {
        std::int64_t n = 0;
        for (const auto t : ungrouped_) {
            auto& label = raw_.mesh.region[static_cast<std::size_t>(t)];
            if (groups_.contains(label))
                label = 0, ++n;
        }
        if (n > 0)
            raw_.notices.push_back({Notice::Level::warning,
                                    std::to_string(n) + " tetrahedra are in no physical group, and "
                                                        "their entity has the number of another "
                                                        "group: their label is 0"});
    }

    void elements2()
    {
        elements_begin();
        const std::size_t n =
            counted(in_.integer("the number of elements"), "the number of elements", 8);
        in_.skip_line();
        for (std::size_t i = 0; i < n;) {
            progress_.at(double(i) / double(n), "reading elements");
            std::int64_t tag = binary_ ? 0 : in_.integer("an element tag");
            const ElementType& t = type(int32("an element type"));
            const std::size_t block =
                binary_ ? counted(int32("a count of elements"), "a count of elements", 4) : 1;
            const auto labels = int32("a count of labels");
            if (labels < 0 || labels > 1000 || block == 0)
                in_.fail("a count of labels or elements is out of range");
            for (std::size_t k = 0; k < block; ++k, ++i) {
                if (binary_)
                    tag = int32("an element tag");
                std::int64_t label = 1, group = 0;
                for (std::int64_t l = 0; l < labels; ++l) { // physical group, then entity
                    const auto value = int32("a label");
                    if (l == 0)
                        group = value;
                    if (l == 0 || (l == 1 && label == 0))
                        label = value;
                }
                element(t, tag, label, group != 0, false);
            }
        }
        elements_end();
    }

    void elements4()
    {
        elements_begin();
        in_.skip_line();
        const auto blocks = counted(size("the number of blocks"), "the number of blocks", 20);
        const auto n = counted(size("the number of elements"), "the number of elements", 16);
        size("the smallest tag"), size("the largest tag");
        std::size_t read = 0;
        for (std::size_t b = 0; b < blocks; ++b) {
            progress_.at(double(b) / double(blocks), "reading elements");
            const auto dim = int32("a dimension");
            const auto entity = int32("an entity");
            const ElementType& t = type(int32("an element type"));
            const auto count = counted(size("a count of elements"), "a count of elements", 16);
            const auto group = physical_.find(entity);
            const bool grouped = dim == 3 && group != physical_.end();
            const auto label = grouped ? group->second : entity;
            for (std::size_t k = 0; k < count; ++k, ++read) {
                const auto tag = size("an element tag");
                element(t, tag, label, grouped, true);
            }
        }
        if (read != n)
            in_.fail("the section has " + std::to_string(read) + " elements, but " +
                     std::to_string(n) + " are announced");
        elements_end();
    }

    void data(bool at_nodes)
    {
        if (!have_nodes_ || !have_elements_)
            in_.fail("data stand before $Nodes and $Elements");
        std::string name = "data";
        const auto strings = in_.integer("the number of string tags", 0, 100);
        in_.skip_line();
        for (std::int64_t i = 0; i < strings; ++i) {
            std::string s(in_.rest_of_line());
            s.erase(std::remove(s.begin(), s.end(), '"'), s.end());
            if (i == 0)
                name = s;
        }
        for (auto k = in_.integer("the number of real tags", 0, 100); k > 0; --k)
            in_.number("a real tag");
        const auto integers = in_.integer("the number of integer tags", 3, 100);
        in_.integer("the time step");
        const auto components = in_.integer("the number of components", 1, 9);
        const auto rows = in_.integer("the number of rows");
        for (std::int64_t i = 3; i < integers; ++i)
            in_.integer("an integer tag");
        in_.skip_line();
        const auto n = counted(rows, "the number of rows", 12);
        const auto c = static_cast<std::size_t>(components);
        const TetMesh& m = raw_.mesh;
        std::vector<double> values((at_nodes ? m.vertex_count() : m.tetrahedron_count()) * c, 0);
        for (std::size_t i = 0; i < n; ++i) {
            const auto tag = int32("a tag");
            const auto at = (at_nodes ? nodes_ : elements_).find(tag);
            for (std::size_t k = 0; k < c; ++k) {
                const double v = real("a value");
                if (at >= 0)
                    values[static_cast<std::size_t>(at) * c + k] = v;
            }
        }
        take_array(raw_, name, at_nodes ? Field::On::vertices : Field::On::tetrahedra,
                   static_cast<int>(components), values);
        end_of(at_nodes ? "NodeData" : "ElementData");
    }

    const Progress& progress_;
    Raw raw_;
    TagMap nodes_, elements_;
    OtherCells others_;
    std::map<std::int64_t, std::int64_t> physical_;
    std::set<std::int64_t> groups_;                          // of tetrahedra
    std::vector<std::int32_t> ungrouped_;                    // tetrahedra
    std::vector<std::int64_t> node_tags_, tetrahedron_tags_; // as the file has them
    bool v4_ = false;
    bool have_nodes_ = false, have_elements_ = false;
};

} // namespace

Raw read_gmsh(const fs::path& file, const Progress& progress)
{
    return GmshReader(file, progress).read();
}

} // namespace tawara::mesh::io
