// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/parse/cellml_flat.hpp"

#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"

#include <algorithm>

namespace tawara::cell::compiler {

CellmlFlat::CellmlFlat(std::shared_ptr<const CellmlDocument> document, ModelText& m) : m_(m)
{
    std::set<std::string> all;
    for (const auto& [name, c] : document->components())
        all.insert(name);
    for (const auto& [name, c] : document->imported_components())
        all.insert(name);
    Scope scope;
    instantiate(document, all, scope, 0);
    annotate(document->xml());
}

void CellmlFlat::instantiate(const std::shared_ptr<const CellmlDocument>& d,
                             const std::set<std::string>& which, Scope& scope, int depth)
{
    if (depth > 16 || components_.size() > 20000)
        d->xml().fail(d->xml().root(),
                      "imports make more than 20000 components or are 16 deep; simplify");
    for (const auto& [name, node] : d->components())
        if (which.count(name))
            add_component(d, node, name, scope);
    for (const auto& [name, import] : d->imported_components())
        if (which.count(name)) {
            Scope inner;
            instantiate(import.document, import.document->below(import.name), inner, depth + 1);
            scope[name] = inner.at(import.name);
        }
    connect(*d, which, scope);
}

void CellmlFlat::add_component(const std::shared_ptr<const CellmlDocument>& d, pugi::xml_node node,
                               const std::string& name, Scope& scope)
{
    std::string unique = name;
    for (int& i = next_number_.try_emplace(name, 2).first->second; !names_.insert(unique).second;)
        unique = name + "_" + std::to_string(i++);
    CellmlComponent& c = components_.emplace_back(CellmlComponent{d, node, unique, {}});
    scope[name] = &c;
    for (const auto e : elements(node)) {
        const auto kind = local_name(e);
        if (kind != "variable")
            continue;
        const std::string variable = d->xml().attribute(e, "name");
        if (!c.variables.emplace(variable, static_cast<std::uint32_t>(m_.variables.size())).second)
            d->xml().fail(e, "variable '" + variable + "' is defined twice in component '" + name +
                                 "'");
        ModelVariable v;
        v.name = unique + "." + variable;
        v.unit_text = d->xml().attribute(e, "units");
        v.units = d->units(v.unit_text, node, d->xml(), e);
        v.line = d->xml().line(e);
        if (d->xml().file() != m_.file)
            v.file = d->xml().file();
        m_.need_moderate(d->xml().file(), v.line);
        joined_.push_back(static_cast<std::uint32_t>(m_.variables.size()));
        m_.variables.push_back(std::move(v));
        owner_.push_back(&c);
        elements_.push_back(e);
    }
}

void CellmlFlat::connect(const CellmlDocument& d, const std::set<std::string>& which,
                         const Scope& scope)
{
    for (const auto e : children(d.xml().root(), "connection")) {
        if (++connections_ > 2'000'000)
            d.xml().fail(e, "imports repeat more than 2000000 connections; simplify the model");
        const auto maps = children(e, "map_components");
        const auto ends = maps.empty() ? e : maps[0];
        const std::string one = d.xml().attribute(ends, "component_1"),
                          two = d.xml().attribute(ends, "component_2");
        for (const auto& n : {one, two})
            if (!d.components().count(n) && !d.imported_components().count(n))
                d.xml().fail(ends,
                             "the connection names component '" + n + "', which does not exist");
        if (!which.count(one) || !which.count(two))
            continue;
        int relation = 0; // of two as seen from one
        if (d.parent(two) == one)
            relation = 1;
        else if (d.parent(one) == two)
            relation = -1;
        else if (d.parent(one) != d.parent(two) || one == two)
            d.xml().fail(ends, "components '" + one + "' and '" + two +
                                   "' cannot be connected: they are "
                                   "neither siblings nor parent and child in the encapsulation");
        for (const auto v : children(e, "map_variables")) {
            const auto find = [&](const std::string& c, const char* key) {
                const std::string name = d.xml().attribute(v, key);
                const auto& variables = scope.at(c)->variables;
                const auto it = variables.find(name);
                if (it != variables.end())
                    return it->second;
                std::vector<std::string> known;
                for (const auto& [k, i] : variables)
                    known.push_back(k);
                d.xml().fail(v, "component '" + c + "' has no variable '" + name + "'" +
                                    hint(name, known));
            };
            join(d, v, find(one, "variable_1"), find(two, "variable_2"), relation);
        }
    }
}

void CellmlFlat::join(const CellmlDocument& d, pugi::xml_node at, std::uint32_t a, std::uint32_t b,
                      int relation)
{
    const ModelVariable &x = m_.variables[a], &y = m_.variables[b];
    if (!x.units->compatible(*y.units))
        d.xml().fail(
            at,
            "'" + x.name + "' [" + x.unit_text + ": " + to_text(*x.units) + "] and '" + y.name +
                "' [" + y.unit_text + ": " + to_text(*y.units) +
                "] are connected and have incompatible units; use the same quantity on both sides");
    check_interfaces(d, at, a, b, relation);
    joined_[set_of(a)] = set_of(b);
}

void CellmlFlat::check_interfaces(const CellmlDocument& d, pugi::xml_node at, std::uint32_t a,
                                  std::uint32_t b, int relation)
{
    const bool private_a = relation == 1, private_b = relation == -1;
    const auto name = [&](std::uint32_t v) { return "'" + m_.variables[v].name + "'"; };
    if (owner_[a]->document->version2()) {
        const auto allows = [&](std::uint32_t v, bool inner) {
            const std::string t = any_attribute(elements_[v], "interface");
            if (t != "public_and_private" && t != (inner ? "private" : "public"))
                d.xml().fail(at, "variable " + name(v) + " is connected and its interface is '" +
                                     t +
                                     "'; it has "
                                     "to be '" +
                                     (inner ? "private" : "public") + "' or 'public_and_private'");
        };
        allows(a, private_a);
        allows(b, private_b);
        return;
    }
    const auto side = [&](std::uint32_t v, bool inner) {
        return any_attribute(elements_[v], inner ? "private_interface" : "public_interface");
    };
    const std::string ia = side(a, private_a), ib = side(b, private_b);
    if (!((ia == "in" && ib == "out") || (ia == "out" && ib == "in")))
        d.xml().fail(at, "the interfaces of " + name(a) + " ('" + ia + "') and " + name(b) + " ('" +
                             ib + "') do not fit; one has to be 'in' and the other 'out'");
    if (!fed_.insert(ia == "in" ? a : b).second)
        d.xml().fail(at, "variable " + name(ia == "in" ? a : b) +
                             " gets its value from two connections");
}

std::uint32_t CellmlFlat::set_of(std::uint32_t v) const
{
    while (joined_[v] != v)
        v = joined_[v] = joined_[joined_[v]];
    return v;
}

void CellmlFlat::annotate(const XmlFile& xml)
{
    std::map<std::string, std::vector<std::uint32_t>> by_id;
    for (std::uint32_t v = 0; v < elements_.size(); ++v) {
        std::string id = any_attribute(elements_[v], "id");
        if (!id.empty())
            by_id["#" + id].push_back(v);
    }
    std::size_t labels = 0;
    const auto take = [&](pugi::xml_node rdf) {
        for (const auto about : children(rdf, "Description"))
            for (const auto is : children(about, "is")) {
                const std::string what = any_attribute(is, "resource");
                const auto it = by_id.find(any_attribute(about, "about"));
                if (it != by_id.end() && what.find('#') != std::string::npos)
                    for (const auto v : it->second) {
                        if (++labels > 100'000)
                            xml.fail(about, "more than 100000 labels of variables; give each one");
                        m_.variables[v].labels.push_back(what.substr(what.find('#') + 1));
                    }
            }
    };
    struct Walker : pugi::xml_tree_walker
    {
        bool for_each(pugi::xml_node& n) override
        {
            if (local_name(n) == "RDF")
                found.push_back(n);
            return true;
        }
        std::vector<pugi::xml_node> found;
    } walker;
    xml.root().traverse(walker);
    for (const auto n : walker.found)
        take(n);
}

} // namespace tawara::cell::compiler
