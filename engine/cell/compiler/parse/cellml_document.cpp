// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/parse/cellml_document.hpp"

#include "engine/cell/imports.hpp"
#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"
#include "engine/digest/sha256.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::cell::compiler {
namespace fs = std::filesystem;

CellmlDocument::CellmlDocument(std::string_view text, const std::string& file,
                               const fs::path& folder, std::vector<fs::path> chain, Files& files)
    : xml_(text, file)
{
    const auto root = xml_.root();
    const std::string ns = namespace_of(root);
    const bool v1 =
        ns == "http://www.cellml.org/cellml/1.0#" || ns == "http://www.cellml.org/cellml/1.1#";
    version2_ = ns == "http://www.cellml.org/cellml/2.0#";
    if (local_name(root) != "model" || (!v1 && !version2_))
        xml_.fail(root, "the file starts with <" + std::string(root.name()) + "> of namespace '" +
                            ns + "'; a CellML 1.0, 1.1 or 2.0 <model> is needed");
    for (const auto e : children(root, "units")) {
        const std::string name = xml_.attribute(e, "name");
        if (built_in_units(name))
            xml_.fail(e, "units '" + name +
                             "' are built in and cannot be defined anew; choose another name");
        if (!units_.emplace(name, e).second)
            xml_.fail(e, "units '" + name + "' are defined twice; keep one definition");
    }
    read_components();
    read_imports(folder, std::move(chain), files);
    read_encapsulation();
    for (const auto& [name, e] : units_)
        units(name, {}, xml_, e);
}

void CellmlDocument::read_components()
{
    for (const auto e : elements(xml_.root())) {
        const auto n = local_name(e);
        if (namespace_of(e) == namespace_of(xml_.root()) && n != "component" && n != "units" &&
            n != "import" && n != "connection" && n != "group" && n != "encapsulation" &&
            n != "documentation")
            xml_.fail(e, "<" + std::string(e.name()) + "> cannot stand in a CellML <model>");
    }
    for (const auto e : children(xml_.root(), "component")) {
        const std::string name = xml_.attribute(e, "name");
        if (!components_.emplace(name, e).second)
            xml_.fail(e, "component '" + name + "' is defined twice; names are unique");
        if (!children(e, "reaction").empty())
            xml_.fail(children(e, "reaction")[0],
                      "reactions are not read; write their equations as math");
    }
}

std::shared_ptr<CellmlDocument> CellmlDocument::imported(pugi::xml_node e, const fs::path& folder,
                                                         std::vector<fs::path> chain,
                                                         Files& files) const
{
    const std::string href = xml_.attribute(e, "href");
    const fs::path relative(href);
    if (href.find("://") != std::string::npos || relative.is_absolute())
        xml_.fail(e, "import '" + href + "' is not a file beside this one; give a relative path");
    const fs::path path = (folder / relative).lexically_normal();
    if (std::find(chain.begin(), chain.end(), path) != chain.end() || chain.size() > 16)
        xml_.fail(e, "import '" + href + "' goes round in a circle or is more than 16 files deep");
    if (const auto it = files.read.find(path); it != files.read.end())
        return it->second;
    std::error_code ec;
    const auto inside = fs::weakly_canonical(path, ec).lexically_relative(
        fs::weakly_canonical(files.folder.empty() ? fs::path(".") : files.folder, ec));
    if (!imports_anywhere() && (inside.empty() || *inside.begin() == ".."))
        xml_.fail(e, "import '" + href +
                         "' lies outside the model's folder; put that file into it, or allow it "
                         "by --imports-anywhere");
    if (!fs::is_regular_file(path, ec))
        xml_.fail(e, "import '" + href + "' cannot be read; put that file beside this one");
    const std::string text = model_file_content(path);
    chain.push_back(path);
    const auto document =
        std::make_shared<CellmlDocument>(text, path.string(), path.parent_path(), chain, files);
    files.read.emplace(path, document);
    files.sources.push_back({path, sha256(text)});
    return document;
}

void CellmlDocument::read_imports(const fs::path& folder, std::vector<fs::path> chain, Files& files)
{
    for (const auto e : children(xml_.root(), "import")) {
        const std::string href = xml_.attribute(e, "href");
        const auto document = imported(e, folder, chain, files);
        for (const auto c : children(e, "component")) {
            const std::string ref = xml_.attribute(c, "component_ref"),
                              name = xml_.attribute(c, "name");
            if (!document->components_.count(ref) && !document->imports_.count(ref))
                xml_.fail(c, "'" + href + "' has no component '" + ref + "' to import");
            if (components_.count(name) || !imports_.emplace(name, Import{document, ref, c}).second)
                xml_.fail(c, "component '" + name + "' is defined twice; names are unique");
        }
        for (const auto u : children(e, "units")) {
            const std::string ref = xml_.attribute(u, "units_ref");
            document->units(ref, {}, xml_, u);
            if (!imported_units_.emplace(xml_.attribute(u, "name"), Import{document, ref, u})
                     .second)
                xml_.fail(u, "units are imported twice under one name");
        }
    }
}

void CellmlDocument::read_encapsulation()
{
    for (const auto g : children(xml_.root(), "group"))
        for (const auto r : children(g, "relationship_ref")) {
            const std::string kind = any_attribute(r, "relationship");
            if (kind == "encapsulation")
                read_refs(g, "", 0);
            else if (kind.empty())
                xml_.fail(r, "<relationship_ref> lacks its attribute 'relationship'");
        }
    for (const auto g : children(xml_.root(), "encapsulation"))
        read_refs(g, "", 0);
}

void CellmlDocument::read_refs(pugi::xml_node n, const std::string& parent, int depth)
{
    for (const auto c : children(n, "component_ref")) {
        const std::string name = xml_.attribute(c, "component");
        if (!components_.count(name) && !imports_.count(name))
            xml_.fail(c, "encapsulation names component '" + name + "', which does not exist");
        if (!parent.empty() && (!parent_.emplace(name, parent).second || is_above(name, parent, c)))
            xml_.fail(c, "component '" + name +
                             "' has two parents in the encapsulation; it can have one");
        read_refs(c, name, depth + 1);
    }
}

std::string CellmlDocument::parent(const std::string& component) const
{
    const auto it = parent_.find(component);
    return it == parent_.end() ? "" : it->second;
}

/// Whether `name` is `component` or one of its parents.
bool CellmlDocument::is_above(const std::string& name, std::string component,
                              pugi::xml_node at) const
{
    constexpr int most = 500;
    for (int depth = 0; !component.empty(); ++depth, component = parent(component)) {
        if (component == name)
            return true;
        if (depth > most)
            xml_.fail(at, "encapsulation is nested more than 500 deep; simplify the model");
    }
    return false;
}

std::set<std::string> CellmlDocument::below(const std::string& component) const
{
    if (children_.empty())
        for (const auto& [child, p] : parent_)
            children_.emplace(p, child);
    std::set<std::string> out{component};
    std::vector<std::string> next{component};
    while (!next.empty()) {
        const std::string name = std::move(next.back());
        next.pop_back();
        for (auto [at, end] = children_.equal_range(name); at != end; ++at)
            if (out.insert(at->second).second)
                next.push_back(at->second);
    }
    return out;
}

Units CellmlDocument::units(const std::string& name, pugi::xml_node component, const XmlFile& from,
                            pugi::xml_node at) const
{
    if (const auto u = lookup(name, component, 0))
        return *u;
    std::vector<std::string> known;
    for (const auto& [k, v] : units_)
        known.push_back(k);
    const std::string near = likely(name, known);
    from.fail(at, "unknown units '" + name + "'" +
                      (near.empty() ? "; define them in the model"
                                    : "; the nearest known is '" + near + "'"));
}

/// The definitions of a component of its own; of equal names the first counts.
const std::map<std::string, pugi::xml_node>&
CellmlDocument::units_of(pugi::xml_node component) const
{
    const auto [it, fresh] = own_units_.try_emplace(component.hash_value());
    if (fresh)
        for (const auto u : children(component, "units"))
            it->second.emplace(any_attribute(u, "name"), u);
    return it->second;
}

std::optional<Units> CellmlDocument::lookup(const std::string& name, pugi::xml_node component,
                                            int depth) const
{
    if (component) {
        const auto& own = units_of(component);
        if (const auto it = own.find(name); it != own.end())
            return defined(it->second, component, depth + 1);
    }
    if (const auto it = units_.find(name); it != units_.end())
        return defined(it->second, {}, depth + 1);
    if (const auto it = imported_units_.find(name); it != imported_units_.end())
        return it->second.document->lookup(it->second.name, {}, depth + 1);
    return built_in_units(name);
}

Units CellmlDocument::defined(pugi::xml_node definition, pugi::xml_node component, int depth) const
{
    const std::string name = any_attribute(definition, "name");
    if (depth > 40)
        xml_.fail(definition, "units '" + name + "' are defined by themselves; break the circle");
    if (const auto it = worked_out_.find(definition.hash_value()); it != worked_out_.end())
        return it->second;
    const auto parts = children(definition, "unit");
    if (parts.empty()) // a new base unit
        return Units{1, 0, {{"'" + name + "'", 1}}};
    constexpr std::size_t most_parts = 100; // those of models have some five
    if (parts.size() > most_parts)
        xml_.fail(definition, "units '" + name + "' are made of more than " +
                                  std::to_string(most_parts) +
                                  " units; put them together by exponents");
    Units out;
    for (const auto p : parts) {
        const auto number = [&](const char* key, double fallback) {
            std::string t = any_attribute(p, key);
            std::erase(t, ' ');
            if (t.empty())
                return fallback;
            const auto v = si_prefix(t);
            if (!v || !std::isfinite(*v) || std::abs(*v) > 1e100)
                xml_.fail(p, "'" + t + "' cannot be the " + key + " of a unit; give a number");
            return *v;
        };
        const std::string base = xml_.attribute(p, "units");
        const auto u = base == name ? std::nullopt : lookup(base, component, depth + 1);
        if (!u)
            xml_.fail(p, "unknown units '" + base + "' in the definition of '" + name + "'");
        const double power = number("exponent", 1);
        const double prefix = std::pow(10.0, number("prefix", 0));
        Units scaled = *u;
        scaled.factor *= prefix;
        scaled = raised(scaled, power);
        const double multiplier = number("multiplier", 1);
        const double offset = number("offset", 0);
        if (offset != 0 && parts.size() > 1)
            xml_.fail(p, "units with an offset cannot be combined with others");
        out = parts.size() == 1 ? scaled : product(out, scaled);
        out.factor *= multiplier;
        if (offset != 0)
            out.offset = u->offset + offset * u->factor;
    }
    if (!std::isfinite(out.factor) || out.factor == 0 || !std::isfinite(out.offset))
        xml_.fail(definition, "units '" + name + "' are out of the range of double precision");
    worked_out_.emplace(definition.hash_value(), out);
    return out;
}

} // namespace tawara::cell::compiler
