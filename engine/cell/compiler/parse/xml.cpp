// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/parse/xml.hpp"

#include "engine/cell/compiler/parse/trimmed.hpp"
#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"
#include "engine/core/xml_tags.hpp"

#include <algorithm>

namespace tawara::cell::compiler {
namespace {

constexpr int most_deep = 500;
constexpr std::size_t longest_tag = 64 << 10; ///< with its attributes [bytes]

/// What the XML reader or those that use it would take for ever with: its trees are taken down by
/// recursion, and an element's attributes are looked through for each of its children.
struct Excess
{
    std::size_t at = 0;
    const char* what = nullptr; ///< null: there is none
};
Excess excess_of(std::string_view t)
{
    Excess found;
    for_each_tag(t, [&](const XmlTag& tag) {
        if (tag.depth > most_deep)
            found = {tag.begin, "elements are nested more than 500 deep; simplify the model"};
        else if (tag.end - tag.begin > longest_tag)
            found = {tag.begin, "an element's tag has more than 64 kB; simplify the model"};
        return found.what == nullptr;
    });
    return found;
}

} // namespace

std::string model_file_content(const std::filesystem::path& file)
{
    std::error_code none;
    if (!std::filesystem::exists(file, none))
        throw InputError(file.string(), "the file cannot be read; check its name");
    return file_content(file, std::uintmax_t{8} << 20, "a cell model is text of some kB");
}

XmlFile::XmlFile(std::string_view text, std::string file) : file_(std::move(file))
{
    line_starts_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '\n')
            line_starts_.push_back(i + 1);
    if (const auto e = excess_of(text); e.what)
        throw InputError(
            file_,
            static_cast<long>(std::upper_bound(line_starts_.begin(), line_starts_.end(), e.at) -
                              line_starts_.begin()),
            e.what);
    const auto r = document_.load_buffer(text.data(), text.size());
    if (!r) {
        const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(r.offset, 0));
        const auto it = std::upper_bound(line_starts_.begin(), line_starts_.end(), at);
        throw InputError(file_, static_cast<long>(it - line_starts_.begin()),
                         std::string("not well-formed XML: ") + r.description());
    }
    if (!root())
        throw InputError(file_, 1, "there is no XML element; a CellML file has a <model> element");
}

long XmlFile::line(pugi::xml_node n) const
{
    const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(n.offset_debug(), 0));
    return static_cast<long>(std::upper_bound(line_starts_.begin(), line_starts_.end(), at) -
                             line_starts_.begin());
}

void XmlFile::fail(pugi::xml_node n, const std::string& why) const
{
    throw InputError(file_, line(n), why);
}

std::string XmlFile::attribute(pugi::xml_node n, const char* name) const
{
    std::string v = trimmed(any_attribute(n, name));
    if (v.empty())
        fail(n, "<" + std::string(n.name()) + "> lacks its attribute '" + name + "'");
    return v;
}

std::string_view local_name(pugi::xml_node n)
{
    const std::string_view t = n.name();
    const auto c = t.find(':');
    return c == std::string_view::npos ? t : t.substr(c + 1);
}

std::vector<pugi::xml_node> children(pugi::xml_node n, std::string_view local)
{
    std::vector<pugi::xml_node> out;
    for (const auto c : n.children())
        if (c.type() == pugi::node_element && local_name(c) == local)
            out.push_back(c);
    return out;
}

std::vector<pugi::xml_node> elements(pugi::xml_node n)
{
    std::vector<pugi::xml_node> out;
    for (const auto c : n.children())
        if (c.type() == pugi::node_element)
            out.push_back(c);
    return out;
}

std::string namespace_of(pugi::xml_node n)
{
    const std::string_view t = n.name();
    const auto c = t.find(':');
    const std::string key =
        c == std::string_view::npos ? "xmlns" : "xmlns:" + std::string(t.substr(0, c));
    for (; n; n = n.parent())
        if (const auto a = n.attribute(key.c_str()))
            return a.value();
    return {};
}

std::string any_attribute(pugi::xml_node n, std::string_view local)
{
    if (const auto a = n.attribute(std::string(local).c_str()))
        return a.value();
    for (const auto a : n.attributes()) {
        const std::string_view t = a.name();
        const auto c = t.find(':');
        if (c != std::string_view::npos && t.substr(c + 1) == local && t.substr(0, c) != "xmlns")
            return a.value();
    }
    return {};
}

} // namespace tawara::cell::compiler
