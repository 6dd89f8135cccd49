// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/program.hpp"

#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/optimise/tabulate.hpp"
#include "engine/cell/compiler/schemes/schemes.hpp"

#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

namespace tawara::cell::compiler {

Program compile(CellSystem system, Scheme scheme, const OptimiseOptions& options)
{
    Program p;
    p.name = system.name;
    p.next = step_nodes(system, scheme);
    p.graph = std::move(system.graph);
    const auto typical = system.parameter_values();
    if (options.table_step_mV > 0) {
        remove_singularities(p.graph, p.next, typical);
        p.lookups = tabulate(p.graph, p.next, static_cast<std::uint32_t>(p.next.size()));
        p.table_step_mV = options.table_step_mV;
    }
    p.report = optimise(p.graph, p.next, typical, options);
    p.table = hoist(p.graph, p.next);
    return p;
}

OptimiseOptions options_for(const CellSystem& system, bool single_precision)
{
    OptimiseOptions o;
    o.largest = single_precision ? 1e36 : 1e300;
    if (!single_precision) {
        o.largest_power = 128; // half an ulp each: 1e-14
    } else { // a GPU's special units
        o.exponential_cost = 6;
        o.division_cost = 3;
    }
    o.products = true;
    o.states = system.initial_values();
    return o;
}

OptimiseOptions processor_options(const CellSystem& system, bool single_precision)
{
    OptimiseOptions o = options_for(system, single_precision);
    o.exponential_cost = OptimiseOptions().exponential_cost;
    o.division_cost = OptimiseOptions().division_cost;
    return o;
}

std::shared_ptr<const Program> shared_program(const std::shared_ptr<const CellSystem>& system,
                                              Scheme scheme, bool single_precision, bool processor,
                                              double table_step_mV)
{
    struct Entry
    {
        std::weak_ptr<const CellSystem> system; ///< an address may be used again, an owner is not
        std::shared_ptr<const Program> program;
    };
    static std::mutex mutex;
    static std::map<std::tuple<const CellSystem*, Scheme, bool, bool, double>, Entry> programs;

    const std::scoped_lock lock(mutex);
    std::erase_if(programs, [](const auto& p) { return p.second.system.expired(); });
    auto& entry = programs[{system.get(), scheme, single_precision, processor, table_step_mV}];
    if (!entry.program) {
        entry = {system, nullptr};
        auto options = processor ? processor_options(*system, single_precision)
                                 : options_for(*system, single_precision);
        options.table_step_mV = table_step_mV;
        entry.program = std::make_shared<Program>(compile(*system, scheme, options));
    }
    return entry.program;
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

Operations count_operations(const Program& p)
{
    const Graph& g = p.graph;
    const auto varies = depends(g, [](std::uint32_t id) {
        return symbol_kind(id) == Symbol::state || symbol_kind(id) == Symbol::stimulus;
    });
    Operations o;
    for (const Node n : reachable(g, p.next)) {
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

} // namespace tawara::cell::compiler
