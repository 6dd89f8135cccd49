// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/equations/recognise.hpp"

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

} // namespace

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

std::vector<Likely> potentials(const ModelText& m)
{
    static constexpr std::array usual{
        "v", "vm", "e", "em", "vmembrane", "vmyo", "membranepotential", "u"};
    const Units volt = *built_in_units("volt");
    std::vector<Likely> out;
    for (std::uint32_t i = 0; i < m.variables.size(); ++i) {
        const ModelVariable& v = m.variables[i];
        if (v.rate == no_node)
            continue;
        const bool voltage = v.units && v.units->compatible(volt),
                   named = is_in(bare(v.name), usual);
        if (labelled(v, {"membrane_potential", "membrane_voltage"}))
            out.push_back({i, 4, "a state that the file marks as the membrane potential"});
        else if (voltage && named)
            out.push_back({i, 3, "a state in volt, with a usual name"});
        else if (voltage)
            out.push_back({i, 2, "a state in volt"});
        else if (named)
            out.push_back({i, 1, "a state with a usual name"});
        else
            out.push_back({i, 0, "a state"});
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return a.rank > b.rank; });
    return out;
}

std::optional<std::uint32_t> recognise_potential(const ModelText& m)
{
    const auto list = potentials(m);
    if (list.empty() || list[0].rank == 0)
        return {};
    const auto end = std::find_if(list.begin(), list.end(),
                                  [&](const Likely& x) { return x.rank != list[0].rank; });
    if (end == list.begin() + 1 || list[0].rank == 4)
        return list[0].variable;
    std::string names;
    for (auto x = list.begin(); x != end; ++x) {
        if (m.variables[x->variable].name.rfind("membrane.", 0) == 0)
            return x->variable;
        names += (names.empty() ? "" : ", ") + m.variables[x->variable].name;
    }
    m.fail(list[0].variable, "several states may be the membrane potential (" + names +
                                 "); say which one, e.g. --membrane-potential " +
                                 m.variables[list[0].variable].name +
                                 " (in a session: the region's \"model_variables\")");
}

std::vector<Likely> times(const ModelText& m)
{
    const Units second = *built_in_units("second");
    std::vector<Likely> out;
    for (std::uint32_t i = 0; i < m.variables.size(); ++i) {
        const ModelVariable& v = m.variables[i];
        if (v.rate != no_node)
            continue;
        const std::string name = bare(v.name);
        if (v.binding == "time")
            out.push_back({i, 3, "bound to the time"});
        else if (labelled(v, {"time"}))
            out.push_back({i, 2, "marked as the time by the file"});
        else if (v.value == no_node &&
                 ((v.units && v.units->compatible(second)) || name == "t" || name == "time"))
            out.push_back({i, 1, "without an equation, in a unit of time or with a usual name"});
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return a.rank > b.rank; });
    return out;
}

std::optional<std::uint32_t> recognise_time(const ModelText& m)
{
    const auto list = times(m);
    return list.empty() || list[0].rank < 2 ? std::nullopt : std::optional(list[0].variable);
}

std::vector<Likely> stimuli(const ModelText& m)
{
    static constexpr std::array usual{"istim",     "ist",      "iapp", "stimulus",
                                      "istimulus", "iapplied", "stim", "stimuluscurrent",
                                      "ims",       "jstim"};
    const auto current = [&](const ModelVariable& v) {
        if (!v.units)
            return false;
        for (const char* unit : {"A", "A/F", "A/m^2"})
            if (const auto u = parse_short_units(unit); u && v.units->compatible(*u))
                return true;
        return false;
    };
    std::vector<Likely> out;
    for (std::uint32_t i = 0; i < m.variables.size(); ++i) {
        const ModelVariable& v = m.variables[i];
        if (v.rate != no_node || v.binding == "time" || follows(m, v))
            continue;
        const bool named = is_in(bare(v.name), usual);
        if (labelled(v, {"stimulus_current", "membrane_stimulus_current"}))
            out.push_back({i, 3, "marked as the stimulus current by the file"});
        else if ((named || current(v)) && !depends_on_state(m, i))
            out.push_back({i, named ? 2 : 1,
                           named ? "a usual name, and it depends on no state"
                                 : "a current that depends on no state"});
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return a.rank > b.rank; });
    return out;
}

std::optional<std::uint32_t> recognise_stimulus(const ModelText& m)
{
    const auto list = stimuli(m);
    return list.empty() || list[0].rank < 2 ? std::nullopt : std::optional(list[0].variable);
}

std::optional<Pacing> pacing(const ModelText& m)
{
    const auto bound = std::find_if(m.variables.begin(), m.variables.end(),
                                    [](const auto& v) { return v.binding == "pace"; });
    if (bound == m.variables.end())
        return {};
    const auto pace = static_cast<std::uint32_t>(bound - m.variables.begin());
    const auto uses = [&](Node definition) {
        const auto nodes = definition == no_node ? std::vector<Node>()
                                                 : reachable(m.graph, std::span(&definition, 1));
        return std::any_of(nodes.begin(), nodes.end(), [&](Node n) {
            return m.graph.op(n) == Op::symbol && m.graph.symbol_of(n) == pace;
        });
    };
    Pacing out{bound->name, {}};
    for (const auto& v : m.variables) {
        if (uses(v.value))
            out.drives.push_back(v.name);
        if (uses(v.rate))
            out.drives.push_back("dot(" + v.name + ")");
    }
    return out;
}

} // namespace tawara::cell::compiler
