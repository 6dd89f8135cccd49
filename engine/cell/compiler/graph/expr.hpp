// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tawara::cell::compiler {

/// Index of a node in its Graph. A node's arguments always have smaller indices than the node, so
/// every pass is a loop in index order and none recurses.
using Node = std::uint32_t;
inline constexpr Node no_node = 0xffffffffu;

enum class Op : std::uint8_t {
    constant, ///< value()
    symbol,   ///< symbol_of()
    add,
    sub,
    mul,
    div,
    neg,
    pow,
    rem, ///< remainder with the sign of the dividend (fmod)
    exp,
    log, ///< natural
    sqrt,
    abs,
    floor,
    ceil,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    sinh,
    cosh,
    tanh,
    min,
    max,
    linexp, ///< x / (exp(x) - 1), continuous with 1 at x = 0
    eq,     ///< comparisons: boolean results of two real arguments
    ne,
    lt,
    le,
    both,   ///< logical and
    either, ///< logical or
    negate, ///< logical not
    truth,  ///< boolean constant, value() 0 or 1
    select  ///< select(condition, a, b)
};

enum class Type : std::uint8_t { real, boolean };

/// Number of arguments of an operation.
int arity(Op op);
/// Type of the result of an operation.
Type result_type(Op op);
/// Lower-case name, e.g. "exp".
std::string_view op_name(Op op);

/// Arena of typed expressions in which equal expressions are the same node (hash-consing), so
/// common subexpressions are shared from the start.
///
/// @thread none of it is locked: one graph, one thread
class Graph
{
  public:
    /// @param max_nodes  bound on memory (16 to 40 bytes a node); untrusted models cannot exceed it
    explicit Graph(std::size_t max_nodes = std::size_t{1} << 22) : max_nodes_(max_nodes) {}

    Node constant(double value);
    Node truth(bool value);
    /// A free variable; what `id` means is the caller's affair.
    Node symbol(std::uint32_t id);
    /// @throws Error when an argument has the wrong type or the arena is full
    Node make(Op op, Node a, Node b = no_node, Node c = no_node);

    Op op(Node n) const { return nodes_[n].op; }
    Type type(Node n) const { return result_type(nodes_[n].op); }
    double value(Node n) const { return nodes_[n].value; }
    std::uint32_t symbol_of(Node n) const { return nodes_[n].args[0]; }
    Node arg(Node n, int i) const { return nodes_[n].args[static_cast<std::size_t>(i)]; }
    int arity(Node n) const { return compiler::arity(nodes_[n].op); }
    std::size_t size() const { return nodes_.size(); }

    bool is_constant(Node n) const { return op(n) == Op::constant; }
    bool is_constant(Node n, double v) const { return is_constant(n) && value(n) == v; }

  private:
    struct Record
    {
        double value = 0;
        std::array<Node, 3> args{no_node, no_node, no_node};
        Op op = Op::constant;
        bool operator==(const Record& o) const;
    };
    struct Hash
    {
        std::size_t operator()(const Record& r) const;
    };
    Node intern(const Record& r);
    std::vector<Record> nodes_;
    std::unordered_map<Record, Node, Hash> index_;
    std::size_t max_nodes_;
};

/// The nodes that `roots` depend on, themselves included, in ascending (dependency) order.
/// Roots that are no_node are skipped.
std::vector<Node> reachable(const Graph& g, std::span<const Node> roots);

/// Rebuilds what `roots` depend on, bottom up: `f(node, new_args)` gives each node's replacement.
/// @return the replacements of the roots (no_node stays no_node)
template <class F>
std::vector<Node> rewrite(Graph& g, std::span<const Node> roots, F&& f)
{
    std::unordered_map<Node, Node> to;
    for (const Node n : reachable(g, roots)) {
        std::array<Node, 3> args{no_node, no_node, no_node};
        for (int i = 0; i < g.arity(n); ++i)
            args[static_cast<std::size_t>(i)] = to.at(g.arg(n, i));
        to[n] = f(n, args);
    }
    std::vector<Node> out;
    for (const Node r : roots)
        out.push_back(r == no_node ? no_node : to.at(r));
    return out;
}

} // namespace tawara::cell::compiler
