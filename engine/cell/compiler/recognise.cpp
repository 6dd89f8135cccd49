// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/recognise.hpp"

#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/core/error.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace tawara::cell::compiler {
namespace {

/// Last part of the name, lower case, without underscores.
std::string bare(const std::string& name)
{
    std::string t;
    for (const char c : name.substr(name.rfind('.') + 1))
        if (c != '_')
            t += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return t;
}

template <class Names>
bool is_in(const std::string& t, const Names& names)
{
    return std::find(std::begin(names), std::end(names), t) != std::end(names);
}

bool labelled(const ModelVariable& v, std::initializer_list<const char*> labels)
{
    return std::any_of(labels.begin(), labels.end(),
                       [&](const char* l) { return is_in(l, v.labels); });
}

/// Does it merely follow another variable (a CellML connection)?
bool follows(const ModelText& m, const ModelVariable& v)
{
    if (v.value == no_node)
        return false;
    const auto nodes = reachable(m.graph, std::span(&v.value, 1));
    return std::count_if(nodes.begin(), nodes.end(),
                         [&](Node n) { return m.graph.op(n) == Op::symbol; }) == 1 &&
           nodes.size() <= 5 && m.graph.op(v.value) != Op::select &&
           bare(m.variables[m.graph.symbol_of(*std::find_if(
                                nodes.begin(), nodes.end(),
                                [&](Node n) { return m.graph.op(n) == Op::symbol; })) &
                            ~rate_flag]
                    .name) == bare(v.name);
}

/// Does its equation depend on a state, however indirectly? A stimulus never does.
bool depends_on_state(const ModelText& m, std::uint32_t variable)
{
    std::vector<bool> seen(m.variables.size());
    std::vector<std::uint32_t> todo{variable};
    while (!todo.empty()) {
        const auto i = todo.back();
        todo.pop_back();
        if (m.variables[i].rate != no_node)
            return true;
        if (seen[i] || m.variables[i].value == no_node)
            continue;
        seen[i] = true;
        for (const Node n : reachable(m.graph, std::span(&m.variables[i].value, 1)))
            if (m.graph.op(n) == Op::symbol)
                todo.push_back(m.graph.symbol_of(n) & ~rate_flag);
    }
    return false;
}

} // namespace

std::optional<std::uint32_t> recognise_potential(const ModelText& m)
{
    const Units volt = *built_in_units("volt");
    std::vector<std::uint32_t> labels, names, voltages;
    static constexpr std::array usual{
        "v", "vm", "e", "em", "vmembrane", "vmyo", "membranepotential", "u"};
    for (std::uint32_t i = 0; i < m.variables.size(); ++i) {
        const ModelVariable& v = m.variables[i];
        if (labelled(v, {"membrane_potential", "membrane_voltage"}) && v.rate != no_node)
            labels.push_back(i);
        if (v.rate == no_node)
            continue;
        if (v.units && v.units->compatible(volt))
            voltages.push_back(i);
        if (is_in(bare(v.name), usual))
            names.push_back(i);
    }
    if (!labels.empty())
        return labels[0];
    std::vector<std::uint32_t> both;
    std::set_intersection(names.begin(), names.end(), voltages.begin(), voltages.end(),
                          std::back_inserter(both));
    for (const auto* list : {&both, &voltages, &names}) {
        if (list->size() == 1)
            return (*list)[0];
        if (list->size() > 1) {
            for (const auto i : *list)
                if (m.variables[i].name.rfind("membrane.", 0) == 0)
                    return i;
            std::string t;
            for (const auto i : *list)
                t += (t.empty() ? "" : ", ") + m.variables[i].name;
            throw InputError(m.file, m.variables[list->front()].line,
                             "several states may be the membrane potential (" + t +
                                 "); say which one, e.g. --v " + m.variables[list->front()].name);
        }
    }
    return {};
}

std::optional<std::uint32_t> recognise_time(const ModelText& m)
{
    for (std::uint32_t i = 0; i < m.variables.size(); ++i)
        if (m.variables[i].binding == "time")
            return i;
    for (std::uint32_t i = 0; i < m.variables.size(); ++i)
        if (labelled(m.variables[i], {"time"}) && m.variables[i].rate == no_node)
            return i;
    return {};
}

std::optional<std::uint32_t> recognise_stimulus(const ModelText& m)
{
    static constexpr std::array usual{"istim",     "ist",      "iapp", "stimulus",
                                      "istimulus", "iapplied", "stim", "stimuluscurrent",
                                      "ims",       "jstim"};
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < m.variables.size(); ++i) {
        const ModelVariable& v = m.variables[i];
        if (v.rate != no_node || v.binding == "time" || follows(m, v))
            continue;
        if (labelled(v, {"stimulus_current", "membrane_stimulus_current"}))
            return i;
        if (is_in(bare(v.name), usual) && !depends_on_state(m, i))
            found.push_back(i);
    }
    return found.empty() ? std::nullopt : std::optional(found[0]);
}

} // namespace tawara::cell::compiler
