// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/parallel/index_text.hpp"

#include "engine/core/file_content.hpp"
#include "engine/core/json_size.hpp"
#include "engine/core/provenance.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace tawara::mesh::parallel {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* version_key = "tawara_parts";
constexpr std::uintmax_t longest = 32U << 20; // bytes; one of 512 parts has some 100 kB
constexpr std::int64_t most_count = std::numeric_limits<std::int32_t>::max();

/// Values of the index, each by its key, with what is wrong said of it.
class Reader
{
  public:
    Reader(std::string file, const Json& j, std::string at)
        : file_(std::move(file)), j_(j), at_(std::move(at))
    {
    }
    [[noreturn]] void fail(const std::string& key, const std::string& why) const
    {
        throw MeshError(file_, at_ + "/" + key, why);
    }
    const Json& get(const std::string& key) const
    {
        const auto found = j_.find(key);
        if (found == j_.end())
            fail(key, "is missing; partition the mesh again");
        return *found;
    }
    std::int64_t count(const std::string& key, std::int64_t least, std::int64_t most) const
    {
        const auto& v = get(key);
        const bool whole = v.is_number_integer() || v.is_number_unsigned();
        const auto n = whole ? v.get<std::int64_t>() : -1;
        if (!whole || n < least || n > most)
            fail(key, "should be a whole number from " + std::to_string(least) + " to " +
                          std::to_string(most));
        return n;
    }
    double number(const std::string& key) const
    {
        const auto& v = get(key);
        if (!v.is_number() || !std::isfinite(v.get<double>()))
            fail(key, "should be a number");
        return v.get<double>();
    }
    std::string text(const std::string& key) const
    {
        const auto& v = get(key);
        if (!v.is_string())
            fail(key, "should be a text");
        return v.get<std::string>();
    }
    bool flag(const std::string& key) const
    {
        const auto& v = get(key);
        if (!v.is_boolean())
            fail(key, "should be true or false");
        return v.get<bool>();
    }
    Vec3 place(const std::string& key) const
    {
        const auto& v = get(key);
        Vec3 out{};
        if (!v.is_array() || v.size() != 3)
            fail(key, "should be three numbers");
        for (std::size_t k = 0; k < 3; ++k) {
            if (!v[k].is_number())
                fail(key, "should be three numbers");
            out[k] = v[k].get<double>();
        }
        return out;
    }
    /// Calls f(reader of the entry) for each object of a list.
    template <class F>
    void each(const std::string& key, F f) const
    {
        const auto& list = get(key);
        if (!list.is_array())
            fail(key, "should be a list");
        for (std::size_t k = 0; k < list.size(); ++k) {
            const auto at = at_ + "/" + key + "/" + std::to_string(k);
            if (!list[k].is_object())
                throw MeshError(file_, at, "should be an object");
            f(Reader(file_, list[k], at));
        }
    }

  private:
    std::string file_;
    const Json& j_;
    std::string at_;
};

Json place_json(const Vec3& x)
{
    return Json::array({x[0], x[1], x[2]});
}

/// The body's axes: one of a list, or none.
void read_body(const Reader& in, Index& out)
{
    in.each("body", [&](const Reader& b) {
        out.body = Body{b.place("origin_mm"), b.place("left"), b.place("posterior"),
                        b.place("superior"), b.number("scale")};
        if (!(out.body->scale > 0))
            b.fail("scale", "should be above 0");
    });
}

void read_parts(const Reader& in, Index& out)
{
    in.each("parts", [&](const Reader& p) {
        Index::PartOf of;
        of.file = p.text("file");
        const std::filesystem::path name(of.file);
        if (name.empty() || name.filename() != name || of.file == "." || of.file == "..")
            p.fail("file", "should be the name of a file beside the index");
        of.bytes = static_cast<std::uint64_t>(
            p.count("bytes", 0, std::numeric_limits<std::int64_t>::max()));
        of.checksum = static_cast<std::uint32_t>(
            p.count("checksum", 0, std::numeric_limits<std::uint32_t>::max()));
        of.vertices = p.count("vertices", 0, out.vertices);
        of.tetrahedra = p.count("tetrahedra", 0, out.tetrahedra);
        out.parts.push_back(std::move(of));
    });
    if (out.parts.empty() || out.parts.size() > static_cast<std::size_t>(most_parts))
        in.fail("parts", "should list 1 to " + std::to_string(most_parts) + " parts");
    std::int64_t vertices = 0, tetrahedra = 0;
    for (const auto& p : out.parts)
        vertices += p.vertices, tetrahedra += p.tetrahedra;
    if (vertices != out.vertices || tetrahedra != out.tetrahedra)
        in.fail("parts", "have other vertices and tetrahedra together than the mesh");
}

Index index_of(const Reader& in)
{
    if (in.count(version_key, 0, most_count) != parts_version)
        in.fail(version_key, "should be " + std::to_string(parts_version) +
                                 ", which this program reads; partition the mesh again");
    Index out;
    out.title = in.text("title");
    out.vertices = in.count("vertices", 4, most_count);
    out.tetrahedra = in.count("tetrahedra", 1, most_count);
    out.edge_mm = in.number("edge_mm");
    out.low = in.place("low_mm");
    out.high = in.place("high_mm");
    constexpr auto any = std::numeric_limits<std::int32_t>::max();
    in.each("labels", [&](const Reader& l) {
        const auto label = static_cast<std::int32_t>(l.count("label", -any, any));
        out.labels[label] = l.count("tetrahedra", 1, out.tetrahedra);
        if (auto text = l.text("name"); !text.empty())
            out.label_names[label] = std::move(text);
    });
    in.each("fields", [&](const Reader& f) {
        const auto on = f.text("on");
        if (on != "vertices" && on != "tetrahedra")
            f.fail("on", "should be vertices or tetrahedra");
        out.fields.push_back({f.text("name"),
                              on == "vertices" ? Field::On::vertices : Field::On::tetrahedra,
                              static_cast<int>(f.count("components", 1, 9))});
    });
    for (const auto& w : in.get("walls")) {
        if (!w.is_string())
            in.fail("walls", "should be names of walls");
        out.walls.push_back(w.get<std::string>());
    }
    out.fibres = in.flag("fibres");
    out.sheets = in.flag("sheets");
    out.normals = in.flag("normals");
    read_body(in, out);
    read_parts(in, out);
    return out;
}

} // namespace

std::string text_of(const Index& index)
{
    Json j;
    j[version_key] = parts_version;
    j["title"] = index.title;
    j["vertices"] = index.vertices;
    j["tetrahedra"] = index.tetrahedra;
    j["edge_mm"] = index.edge_mm;
    j["low_mm"] = place_json(index.low);
    j["high_mm"] = place_json(index.high);
    j["provenance"] = Json::parse(program_provenance());
    j["labels"] = Json::array();
    for (const auto& [label, n] : index.labels) {
        const auto name = index.label_names.find(label);
        j["labels"].push_back(
            {{"label", label},
             {"tetrahedra", n},
             {"name", name == index.label_names.end() ? std::string() : name->second}});
    }
    j["fields"] = Json::array();
    for (const auto& f : index.fields)
        j["fields"].push_back({{"name", f.name},
                               {"on", f.on == Field::On::vertices ? "vertices" : "tetrahedra"},
                               {"components", f.components}});
    j["walls"] = index.walls;
    j["fibres"] = index.fibres;
    j["sheets"] = index.sheets;
    j["normals"] = index.normals;
    j["body"] = Json::array();
    if (const auto& b = index.body)
        j["body"].push_back({{"origin_mm", place_json(b->origin_mm)},
                             {"left", place_json(b->left)},
                             {"posterior", place_json(b->posterior)},
                             {"superior", place_json(b->superior)},
                             {"scale", b->scale}});
    j["parts"] = Json::array();
    for (const auto& p : index.parts)
        j["parts"].push_back({{"file", p.file},
                              {"bytes", p.bytes},
                              {"checksum", p.checksum},
                              {"vertices", p.vertices},
                              {"tetrahedra", p.tetrahedra}});
    return j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Index read_index(const std::filesystem::path& file)
{
    const auto text = file_content(file, longest, "indexes of parts are text of some kB");
    Json j;
    try {
        if (const auto excess = json_excess(text, 8); !excess.empty())
            throw MeshError("", excess);
        j = Json::parse(text);
    } catch (const std::exception&) {
        throw MeshError(file.string(),
                        "is no index of a mesh in parts: it is no JSON (tawara-cli mesh partition "
                        "writes them)");
    }
    if (!j.is_object() || !j.contains(version_key))
        throw MeshError(file.string(),
                        std::string("is no index of a mesh in parts: it has no key ") +
                            version_key);
    return index_of(Reader(file.string(), j, ""));
}

} // namespace tawara::mesh::parallel
