// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/graph/expr.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <bit>
#include <string>

namespace tawara::cell::compiler {
namespace {

constexpr std::string_view names[] = {
    "constant", "symbol", "add",  "sub",  "mul",   "div",  "neg", "pow",   "rem",
    "exp",      "log",    "sqrt", "abs",  "floor", "ceil", "sin", "cos",   "tan",
    "asin",     "acos",   "atan", "sinh", "cosh",  "tanh", "min", "max",   "linexp",
    "eq",       "ne",     "lt",   "le",   "and",   "or",   "not", "truth", "select"};

Type argument_type(Op op, int i)
{
    if (op == Op::both || op == Op::either || op == Op::negate || (op == Op::select && i == 0))
        return Type::boolean;
    return Type::real;
}

} // namespace

int arity(Op op)
{
    switch (op) {
    case Op::constant:
    case Op::symbol:
    case Op::truth:
        return 0;
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::pow:
    case Op::rem:
    case Op::min:
    case Op::max:
    case Op::eq:
    case Op::ne:
    case Op::lt:
    case Op::le:
    case Op::both:
    case Op::either:
        return 2;
    case Op::select:
        return 3;
    default:
        return 1;
    }
}

Type result_type(Op op)
{
    return op >= Op::eq && op <= Op::truth ? Type::boolean : Type::real;
}

std::string_view op_name(Op op)
{
    return names[static_cast<std::size_t>(op)];
}

bool Graph::Record::operator==(const Record& o) const
{
    // by bits: NaN equals itself, and 0 differs from -0
    return op == o.op && args == o.args &&
           std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(o.value);
}

std::size_t Graph::Hash::operator()(const Record& r) const
{
    std::uint64_t h =
        std::bit_cast<std::uint64_t>(r.value) ^ (static_cast<std::uint64_t>(r.op) << 56);
    for (const Node a : r.args) {
        h ^= a;
        h *= 0x9e3779b97f4a7c15ull;
        h ^= h >> 29;
    }
    return h;
}

Node Graph::intern(const Record& r)
{
    const auto [it, fresh] = index_.try_emplace(r, static_cast<Node>(nodes_.size()));
    if (fresh) {
        if (nodes_.size() >= max_nodes_) {
            index_.erase(it);
            throw Error("the model's equations grow beyond " + std::to_string(max_nodes_) +
                        " operations; split or simplify the model");
        }
        nodes_.push_back(r);
    }
    return it->second;
}

Node Graph::constant(double value)
{
    Record r;
    r.value = value;
    return intern(r);
}

Node Graph::truth(bool value)
{
    Record r;
    r.op = Op::truth;
    r.value = value;
    return intern(r);
}

Node Graph::symbol(std::uint32_t id)
{
    Record r;
    r.op = Op::symbol;
    r.args[0] = id;
    return intern(r);
}

Node Graph::make(Op op, Node a, Node b, Node c)
{
    Record r;
    r.op = op;
    r.args = {a, b, c};
    for (int i = 0; i < compiler::arity(op); ++i) {
        const Node n = r.args[static_cast<std::size_t>(i)];
        if (n >= nodes_.size())
            throw Error("operation '" + std::string(op_name(op)) + "' lacks an argument");
        if (op == Op::select && i > 0 ? type(n) != type(r.args[1])
                                      : type(n) != argument_type(op, i))
            throw Error("operation '" + std::string(op_name(op)) + "' has " +
                        (type(n) == Type::boolean ? "a condition where a number is needed"
                                                  : "a number where a condition is needed"));
    }
    if (op == Op::select && type(b) == Type::boolean) // booleans are selected by logic
        return make(Op::either, make(Op::both, a, b), make(Op::both, make(Op::negate, a), c));
    return intern(r);
}

std::vector<Node> reachable(const Graph& g, std::span<const Node> roots)
{
    std::vector<bool> seen(g.size());
    std::vector<Node> stack, out;
    for (const Node r : roots)
        if (r != no_node)
            stack.push_back(r);
    while (!stack.empty()) {
        const Node n = stack.back();
        stack.pop_back();
        if (seen[n])
            continue;
        seen[n] = true;
        out.push_back(n);
        for (int i = 0; i < g.arity(n); ++i)
            stack.push_back(g.arg(n, i));
    }
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace tawara::cell::compiler
