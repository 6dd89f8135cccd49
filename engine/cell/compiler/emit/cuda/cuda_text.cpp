// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/cuda/cuda_text.hpp"

#include "engine/cell/compiler/emit/cuda/cuda_math.hpp"
#include "engine/core/error.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <map>

namespace tawara::cell::compiler {
namespace {

/// Writes the body of cell_step(): each value where it is first needed, and each state's new value
/// as soon as it is known, so that few values live at once. Where there are parts before the last,
/// states and kept values are variables between them, changed all at once at the end of a part.
class Writer
{
  public:
    Writer(const Program& p, bool single) : p_(p), g_(p.graph), single_(single) {}

    std::string body()
    {
        if (p_.before.empty()) {
            part(p_.next, true);
            return text_;
        }
        for (std::size_t k = 0; k < p_.next.size() + p_.kept; ++k)
            text_ += "    Real y" + std::to_string(k) +
                     (k < p_.next.size() ? " = cell.state(" + std::to_string(k) + ")" : "") + ";\n";
        variables_ = true;
        for (const Part& q : p_.before) {
            if (q.times > 1)
                text_ += "#pragma unroll 1\n    for (int round = 0; round < " +
                         std::to_string(q.times) + "; ++round)\n";
            text_ += "    {\n";
            part(q.next, false);
            for (std::size_t k = 0; k < q.next.size(); ++k)
                if (!is_own_state(q.next[k], k))
                    text_ += "    y" + std::to_string(k) + " = " + name(q.next[k]) + ";\n";
            if (q.until && q.times > 1) // all threads of a warp go on together, for exp()'s sake
                text_ += "    if (__ballot_sync(0xffffffffu, y" + std::to_string(*q.until) +
                         " != 0) == 0xffffffffu) break;\n";
            text_ += "    }\n";
        }
        part(p_.next, true);
        return text_;
    }

    /// The numbers that name() put into constant memory: an instruction takes an operand from
    /// there, but of a literal double only the upper half.
    std::string numbers() const
    {
        return literals_.empty()
                   ? ""
                   : "__constant__ Real cell_numbers[" + std::to_string(literals_.size()) +
                         "] = {" + literal_text_ + "};\n";
    }

  private:
    /// @param last  its results are the step's
    void part(const std::vector<Node>& next, bool last)
    {
        written_.assign(g_.size(), false);
        for (const std::size_t s : order(next)) {
            const Node n = next[s];
            if (is_own_state(n, s) && !(last && variables_))
                continue;
            write(n);
            if (last)
                text_ += "    cell.store(" + std::to_string(s) + ", " + name(n) + ");\n";
        }
    }

    /// States by the size of what they are computed from, the least first. Of the orders tried this
    /// one needs the fewest registers: ptxas then spills 76 bytes of ten Tusscher's model at 96
    /// registers, where it spills 656 in the graph's own order.
    std::vector<std::size_t> order(const std::vector<Node>& next) const
    {
        std::vector<std::size_t> states, below;
        for (std::size_t s = 0; s < next.size(); ++s) {
            states.push_back(s);
            below.push_back(reachable(g_, std::span(&next[s], 1)).size());
        }
        std::stable_sort(states.begin(), states.end(),
                         [&](auto a, auto b) { return below[a] < below[b]; });
        return states;
    }

    bool is_own_state(Node n, std::size_t s) const
    {
        return g_.op(n) == Op::symbol &&
               g_.symbol_of(n) == symbol_id(Symbol::state, static_cast<std::uint32_t>(s));
    }
    double exp_scale() const { return single_ ? cuda_exp_single : cuda_exp_double; }
    /// x and c of exp(c x), where c is a constant: it costs nothing there.
    std::pair<Node, double> exponent(Node n) const
    {
        const Node x = g_.arg(n, 0);
        if (g_.op(x) == Op::neg)
            return {g_.arg(x, 0), -1};
        if (g_.op(x) == Op::mul)
            for (const int k : {0, 1})
                if (g_.is_constant(g_.arg(x, k)))
                    return {g_.arg(x, 1 - k), g_.value(g_.arg(x, k))};
        return {x, 1};
    }
    bool is_plain(Node n) const { return g_.op(n) == Op::constant || g_.op(n) == Op::truth; }

    /// Everything below n that is not written yet, depth first, without recursion.
    void write(Node root)
    {
        std::vector<std::pair<Node, int>> stack{{root, 0}};
        while (!stack.empty()) {
            auto& [n, next] = stack.back();
            if (is_plain(n) || written_[n]) {
                stack.pop_back();
            } else if (next < g_.arity(n)) {
                const Node a = g_.op(n) == Op::exp ? exponent(n).first : g_.arg(n, next);
                ++next;
                stack.emplace_back(a, 0);
            } else {
                written_[n] = true;
                text_ += (g_.type(n) == Type::boolean ? "    const bool " : "    const Real ") +
                         name(n) + " = " + value(n) + ";\n";
                stack.pop_back();
            }
        }
    }

    std::string name(Node n)
    {
        if (g_.op(n) == Op::truth)
            return g_.value(n) != 0 ? "true" : "false";
        if (g_.op(n) != Op::constant)
            return "n" + std::to_string(n);
        return number(g_.value(n));
    }
    std::string number(double v)
    {
        if (!std::isfinite(v))
            return std::isnan(v) ? "Real(0.0 / 0.0)"
                   : v > 0       ? "Real(1.0 / 0.0)"
                                 : "Real(-1.0 / 0.0)";
        char buffer[40];
        std::snprintf(buffer, sizeof buffer, "Real(%.17g)", v);
        if (single_ || (std::bit_cast<std::uint64_t>(v) & 0xffffffffu) == 0)
            return buffer;
        const auto [it, fresh] = literals_.try_emplace(v, literals_.size());
        if (fresh)
            literal_text_ += std::string(it->second ? ", " : "") + buffer;
        return "cell_numbers[" + std::to_string(it->second) + "]";
    }

    std::string symbol(std::uint32_t id) const
    {
        const auto k = std::to_string(symbol_index(id));
        switch (symbol_kind(id)) {
        case Symbol::state:
            return variables_ ? "y" + k : "cell.state(" + k + ")";
        case Symbol::table:
            return "cell.constant(" + k + ")";
        case Symbol::time:
            return "t_ms";
        case Symbol::dt:
            return "dt_ms";
        case Symbol::stimulus:
            return "cell.stimulus()";
        case Symbol::pace:
            return "Real(0)";
        default:
            throw Error("a symbol without meaning reached the emitter");
        }
    }

    std::string value(Node n)
    {
        const Op op = g_.op(n);
        if (op == Op::symbol)
            return symbol(g_.symbol_of(n));
        const auto a = [&](int i) { return name(g_.arg(n, i)); };
        static constexpr std::pair<Op, const char*> infix[] = {
            {Op::add, " + "}, {Op::sub, " - "},   {Op::mul, " * "},
            {Op::eq, " == "}, {Op::ne, " != "},   {Op::lt, " < "},
            {Op::le, " <= "}, {Op::both, " && "}, {Op::either, " || "}};
        for (const auto& [o, t] : infix)
            if (o == op)
                return a(0) + t + a(1);
        switch (op) {
        case Op::div:
            return g_.is_constant(g_.arg(n, 0), 1) ? "math.reciprocal(" + a(1) + ")"
                                                   : "math.quotient(" + a(0) + ", " + a(1) + ")";
        case Op::neg:
            return "-" + a(0);
        case Op::negate:
            return "!" + a(0);
        case Op::select:
            return a(0) + " ? " + a(1) + " : " + a(2);
        case Op::min:
            return a(0) + " < " + a(1) + " ? " + a(0) + " : " + a(1);
        case Op::max:
            return a(0) + " > " + a(1) + " ? " + a(0) + " : " + a(1);
        case Op::rem:
            return call("fmod", a(0) + ", " + a(1));
        case Op::abs:
            return call("fabs", a(0));
        case Op::exp: {
            const auto [base, factor] = exponent(n);
            return "math.exp(" + name(base) +
                   (factor == 1 ? "" : ", " + number(factor * exp_scale())) + ")";
        }
        case Op::log:
        case Op::sqrt:
        case Op::tanh:
        case Op::linexp:
            return "math." + std::string(op_name(op)) + "(" + a(0) + ")";
        case Op::pow:
            if (g_.is_constant(g_.arg(n, 1))) {
                const double e = g_.value(g_.arg(n, 1));
                if (e == std::round(e) && std::abs(e) <= 64) {
                    const auto power = "math.power(" + a(0) + ", " +
                                       std::to_string(static_cast<int>(std::abs(e))) + ")";
                    return e < 0 ? "math.reciprocal(" + power + ")" : power;
                }
            }
            return "math.pow(" + a(0) + ", " + a(1) + ")";
        default:
            return call(std::string(op_name(op)), a(0));
        }
    }
    std::string call(const std::string& f, const std::string& arguments) const
    {
        return f + (single_ ? "f(" : "(") + arguments + ")";
    }

    const Program& p_;
    const Graph& g_;
    bool single_, variables_ = false;
    std::vector<bool> written_;
    std::string text_;
    std::map<double, std::size_t> literals_;
    std::string literal_text_;
};

} // namespace

std::string cuda_mathematics(bool single)
{
    return std::string("typedef ") + (single ? "float" : "double") + " Real;\n" +
           (single ? cuda_math_single : cuda_math_double) + cuda_math_common;
}

std::string cuda_step_text(const Program& p, bool single, const std::string& space)
{
    if (!p.lookups.empty())
        throw InputError("tables", "", "tables of functions of V are for the CPU; leave them out");
    Writer writer(p, single);
    const std::string body = writer.body();
    std::string t = space.empty() ? "" : "namespace " + space + " {\n";
    t += "[[maybe_unused]] constexpr int cell_states = " + std::to_string(p.next.size()) + ";\n";
    t += "[[maybe_unused]] constexpr int cell_row_size = " +
         std::to_string(std::max<std::size_t>(p.table.size(), 1)) + ";\n";
    t += writer.numbers();
    t += "template <class Cell>\n__device__ __forceinline__ void cell_step(Cell& cell, "
         "const Elementary& math, Real t_ms, Real dt_ms)\n{\n";
    return t + body + (space.empty() ? "}\n" : "}\n}\n");
}

std::string cuda_text(const Program& p, bool single)
{
    return cuda_mathematics(single) + cuda_step_text(p, single);
}

} // namespace tawara::cell::compiler
