// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/program.hpp"

#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/optimise/placement.hpp"
#include "engine/cell/compiler/optimise/tabulate.hpp"
#include "engine/cell/compiler/schemes/schemes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>

namespace tawara::cell::compiler {

namespace {

/// Calls f with the expressions of all parts, which it may replace.
template <class F>
void rewrite_all(Program& p, F&& f)
{
    std::vector<Node> all;
    for (const Part& part : p.before)
        all.insert(all.end(), part.next.begin(), part.next.end());
    all.insert(all.end(), p.next.begin(), p.next.end());
    f(all);
    auto from = all.begin();
    const auto give = [&](std::vector<Node>& next) {
        std::copy_n(from, next.size(), next.begin());
        from += static_cast<std::ptrdiff_t>(next.size());
    };
    for (Part& part : p.before)
        give(part.next);
    give(p.next);
}

/// Each part by itself: what one computes is of no use to another. @return changes and operations
/// of all
OptimiseReport optimise_parts(Program& p, std::span<const double> typical,
                              const OptimiseOptions& options)
{
    auto report = optimise(p.graph, p.next, typical, options);
    for (Part& part : p.before) {
        const auto more = optimise(p.graph, part.next, typical, options);
        for (std::size_t k = 0; k < report.size(); ++k) {
            report[k].changes += more[k].changes;
            report[k].nodes += more[k].nodes;
        }
    }
    return report;
}

/// A program of these nodes, which are the system's.
Program compile(CellSystem&& system, StepNodes nodes, const OptimiseOptions& options)
{
    Program p;
    p.name = system.name;
    p.vector_bytes = options.vector_bytes;
    static_cast<StepNodes&>(p) = std::move(nodes);
    p.graph = std::move(system.graph);
    const auto typical = system.parameter_values();
    if (options.table_step_mV > 0) {
        const auto first = static_cast<std::uint32_t>(p.next.size() + p.kept);
        rewrite_all(p, [&](std::vector<Node>& roots) {
            remove_singularities(p.graph, roots, typical);
            p.lookups = tabulate(p.graph, roots, first);
        });
        p.table_step_mV = options.table_step_mV;
    }
    p.report = optimise_parts(p, typical, options);
    rewrite_all(p, [&](std::vector<Node>& roots) { p.table = hoist(p.graph, roots); });
    return p;
}

bool in_single_precision(const OptimiseOptions& o)
{
    return o.largest < 1e39;
}

} // namespace

Program compile(CellSystem system, Scheme scheme, const OptimiseOptions& options)
{
    auto nodes = step_nodes(system, scheme, in_single_precision(options));
    return compile(std::move(system), std::move(nodes), options);
}

Program compile_source(CellSystem system, const OptimiseOptions& options)
{
    auto nodes = source_nodes(system, in_single_precision(options));
    return compile(std::move(system), std::move(nodes), options);
}

Program compile_cable(CellSystem system, Scheme scheme, const OptimiseOptions& options)
{
    auto nodes = cable_nodes(system, scheme, in_single_precision(options));
    return compile(std::move(system), std::move(nodes), options);
}

Program compile_current(CellSystem system, const OptimiseOptions& options)
{
    auto nodes = current_nodes(system);
    return compile(std::move(system), std::move(nodes), options);
}

std::vector<std::size_t> states_read(const Program& current)
{
    std::vector<std::size_t> out;
    for (const Node n : reachable(current.graph, std::span(current.next).first(1)))
        if (current.graph.op(n) == Op::symbol) {
            const auto id = current.graph.symbol_of(n);
            const std::size_t k = symbol_index(id);
            if (symbol_kind(id) == Symbol::state && k > 0 && k < current.next.size())
                out.push_back(k);
        }
    std::sort(out.begin(), out.end());
    return out;
}

OptimiseOptions options_for(const CellSystem& system, const Target& target)
{
    const bool single_precision = target.single_precision;
    OptimiseOptions o;
    o.largest = single_precision ? 1e36 : 1e300;
    if (!single_precision)
        o.largest_power = 128; // half an ulp each: 1e-14
    o.products = true;
    o.states = system.initial_values();
    if (!target.processor) {
        if (single_precision) { // a GPU's special units
            o.exponential_cost = 6;
            o.division_cost = 3;
        }
        return o;
    }
    o.vector_bytes = target.vector_bytes;
    o.small_growth = true;
    o.short_exponentials = single_precision; // in double they take as many operations
    if (single_precision) {                  // in double more of them are slower
        o.share_quotients = true;
        o.quotient_cost = target.quotient_cost;
    }
    return o;
}

namespace {

/// The program that `make` makes, made once for a system and a key and kept.
template <class Key, class Make>
std::shared_ptr<const Program> shared(const std::shared_ptr<const CellSystem>& system,
                                      const Key& key, Make&& make)
{
    struct Entry
    {
        std::weak_ptr<const CellSystem> system; ///< an address may be used again, an owner is not
        std::shared_ptr<const Program> program;
    };
    static std::mutex mutex;
    static std::map<std::pair<const CellSystem*, Key>, Entry> programs;

    const std::scoped_lock lock(mutex);
    std::erase_if(programs, [](const auto& p) { return p.second.system.expired(); });
    auto& entry = programs[{system.get(), key}];
    if (!entry.program)
        entry = {system, std::make_shared<Program>(make())};
    return entry.program;
}

} // namespace

std::shared_ptr<const Program> shared_program(const std::shared_ptr<const CellSystem>& system,
                                              Scheme scheme, const Target& target,
                                              double table_step_mV)
{
    return shared(system, std::tuple{scheme, target, table_step_mV}, [&] {
        auto options = options_for(*system, target);
        options.table_step_mV = table_step_mV;
        return compile(*system, scheme, options);
    });
}

std::shared_ptr<const Program>
shared_source_program(const std::shared_ptr<const CellSystem>& system, const Target& target)
{
    return shared(system, target,
                  [&] { return compile_source(*system, options_for(*system, target)); });
}

std::shared_ptr<const Program> shared_cable_program(const std::shared_ptr<const CellSystem>& system,
                                                    Scheme scheme, const Target& target)
{
    return shared(system, std::tuple{"cable", scheme, target},
                  [&] { return compile_cable(*system, scheme, options_for(*system, target)); });
}

std::shared_ptr<const Program>
shared_current_program(const std::shared_ptr<const CellSystem>& system, const Target& target,
                       double table_step_mV)
{
    return shared(system, std::tuple{target, table_step_mV}, [&] {
        auto options = options_for(*system, target);
        options.table_step_mV = table_step_mV;
        return compile_current(*system, options);
    });
}

std::vector<double> Program::row(std::span<const double> parameters) const
{
    auto out =
        evaluate(graph, table, [&](std::uint32_t id) { return parameters[symbol_index(id)]; });
    if (!lookups.empty()) {
        const auto values = table_values(graph, lookups, parameters, table_step_mV);
        out.insert(out.end(), values.begin(), values.end());
    }
    return out;
}

std::vector<Part> Program::parts() const
{
    auto out = before;
    out.push_back({next, 1});
    return out;
}

std::vector<double> Program::step(std::span<const double> states,
                                  const std::function<double(std::uint32_t)>& value_of) const
{
    std::vector<double> x(states.begin(), states.end());
    x.resize(next.size() + kept, std::numeric_limits<double>::quiet_NaN());
    const auto value = [&](std::uint32_t id) {
        return symbol_kind(id) == Symbol::state && symbol_index(id) < x.size() ? x[symbol_index(id)]
                                                                               : value_of(id);
    };
    for (const Part& part : parts())
        for (int k = 0; k < part.times; ++k) {
            const auto y = evaluate(graph, part.next, value);
            std::copy(y.begin(), y.end(), x.begin());
            if (part.until && x[*part.until] != 0)
                break;
        }
    x.resize(next.size());
    return x;
}

namespace {

/// Operations on what differs from cell to cell.
Operations count_operations(const Graph& g, const std::vector<bool>& varies,
                            std::span<const Node> roots)
{
    Operations o;
    for (const Node n : reachable(g, roots)) {
        if (!varies[n] || g.type(n) == Type::boolean)
            continue;
        switch (g.op(n)) {
        case Op::add:
        case Op::sub:
            ++o.add;
            break;
        case Op::mul:
            ++o.mul;
            break;
        case Op::div:
            ++o.div;
            break;
        case Op::exp:
            ++o.exp;
            break;
        case Op::log:
            ++o.log;
            break;
        case Op::pow:
            if (g.is_constant(g.arg(n, 1)) &&
                g.value(g.arg(n, 1)) == std::round(g.value(g.arg(n, 1))))
                o.mul += static_cast<int>(std::ceil(std::log2(std::abs(g.value(g.arg(n, 1))) + 1)));
            else {
                ++o.exp;
                ++o.log;
            }
            break;
        case Op::linexp:
            ++o.exp;
            ++o.div;
            o.add += 10;
            break;
        case Op::sqrt:
        case Op::tanh:
        case Op::sin:
        case Op::cos:
            ++o.other;
            break;
        default:
            break;
        }
    }
    return o;
}

} // namespace

int usual_rounds(const Part& part)
{
    return part.until ? std::min(part.times, 2) : part.times;
}

Operations count_operations(const Program& p)
{
    const auto varies = differs_between_cells(p.graph);
    Operations sum;
    for (const Part& part : p.parts()) {
        const auto o = count_operations(p.graph, varies, part.next);
        for (const auto count : {&Operations::add, &Operations::mul, &Operations::div,
                                 &Operations::exp, &Operations::log, &Operations::other})
            sum.*count += usual_rounds(part) * (o.*count);
    }
    return sum;
}

} // namespace tawara::cell::compiler
