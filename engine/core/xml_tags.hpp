// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>

namespace tawara {

/// A start or an empty-element tag of an XML text.
struct XmlTag
{
    std::size_t begin = 0, end = 0; ///< of '<'; behind '>', or where the text ends
    int depth = 0;                  ///< the outermost element's is 1
    std::string_view name;
};

/// Walks over the tags of a text without making anything of it, so that a reader can refuse depth
/// and numbers of elements before a parser fetches memory or recurses. Comments, instructions,
/// CDATA and quoted attributes are stepped over as pugixml does: nothing in them can hide depth.
/// @param see  called with each XmlTag in order; false ends the walk
template <class See>
void for_each_tag(std::string_view t, See&& see)
{
    int depth = 0;
    const auto behind = [&](std::size_t from, std::string_view end) {
        const auto at = t.find(end, from);
        return at == std::string_view::npos ? t.size() : at + end.size() - 1;
    };
    for (std::size_t i = t.find('<'); i < t.size(); i = t.find('<', i + 1)) {
        const auto rest = t.substr(i + 1, 8);
        if (rest.substr(0, 3) == "!--") {
            i = behind(i + 4, "-->");
        } else if (rest == "![CDATA[") {
            i = behind(i + 9, "]]>");
        } else if (rest.substr(0, 1) == "?") {
            i = behind(i + 2, "?>");
        } else if (rest.substr(0, 1) == "/") {
            depth = std::max(0, depth - 1);
        } else {
            XmlTag tag{i, t.size(), ++depth, {}};
            for (++i; i < t.size() && t[i] != '>' && t[i] != '<'; ++i)
                if (t[i] == '"' || t[i] == '\'')
                    i = std::min(t.find(t[i], i + 1), t.size());
            const bool closed = i < t.size() && t[i] == '>';
            tag.end = closed ? i + 1 : std::min(i, t.size());
            const auto name = t.substr(tag.begin + 1, tag.end - tag.begin - 1);
            tag.name = name.substr(0, name.find_first_of(" \t\r\n/>"));
            if (closed && t[i - 1] == '/')
                --depth;
            else if (i < t.size() && t[i] == '<')
                --i;
            if (!see(tag))
                return;
        }
        if (i >= t.size())
            return;
    }
}

} // namespace tawara
