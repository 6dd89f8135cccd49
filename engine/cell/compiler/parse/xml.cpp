// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/parse/xml.hpp"

#include "engine/core/error.hpp"
#include "engine/core/xml_tags.hpp"

#include <algorithm>

namespace tawara::cell::compiler {
namespace {

std::string trimmed(std::string_view t)
{
    const auto a = t.find_first_not_of(" \t\r\n");
    if (a == std::string_view::npos)
        return {};
    return std::string(t.substr(a, t.find_last_not_of(" \t\r\n") - a + 1));
}

/// Where elements are first nested deeper than `most`, or the end: the XML reader takes its trees
/// down by recursion.
std::size_t too_deep(std::string_view t, int most)
{
    std::size_t at = t.size();
    for_each_tag(t, [&](const XmlTag& tag) {
        if (tag.depth > most)
            at = tag.begin;
        return tag.depth <= most;
    });
    return at;
}

} // namespace

XmlFile::XmlFile(std::string_view text, std::string file) : file_(std::move(file))
{
    line_starts_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '\n')
            line_starts_.push_back(i + 1);
    if (const auto at = too_deep(text, 500); at < text.size())
        throw InputError(
            file_,
            static_cast<long>(std::upper_bound(line_starts_.begin(), line_starts_.end(), at) -
                              line_starts_.begin()),
            "elements are nested more than 500 deep; simplify the model");
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
