// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/parse/mmt_expression.hpp"

#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/parse/model_text.hpp"
#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"
#include "engine/core/utf8.hpp"

#include <cctype>
#include <charconv>
#include <cmath>

namespace tawara::cell::compiler {
namespace {

constexpr int max_depth = 200;

const std::map<std::string, Op, std::less<>> one_argument{
    {"sqrt", Op::sqrt}, {"sin", Op::sin},     {"cos", Op::cos},   {"tan", Op::tan},
    {"asin", Op::asin}, {"acos", Op::acos},   {"atan", Op::atan}, {"exp", Op::exp},
    {"abs", Op::abs},   {"floor", Op::floor}, {"ceil", Op::ceil}, {"not", Op::negate},
};

class Parser
{
  public:
    Parser(Graph& g, std::string_view t, long line, const MmtScope& s, int depth,
           const std::map<std::string, Node>* bound)
        : g_(g), t_(t), line_(line), scope_(s), depth_(depth), bound_(bound)
    {
    }

    Node whole()
    {
        const Node n = either();
        skip();
        if (at_ < t_.size())
            fail("'" + std::string(t_.substr(at_, 20)) +
                 "' is left over after the expression; an operator "
                 "is missing before it, or a bracket");
        return n;
    }

  private:
    [[noreturn]] void fail(const std::string& why) const
    {
        throw InputError(scope_.file, line_, why);
    }

    void skip()
    {
        for (; at_ < t_.size() && std::isspace(static_cast<unsigned char>(t_[at_])); ++at_)
            line_ += t_[at_] == '\n';
    }
    bool take(std::string_view s)
    {
        skip();
        if (t_.substr(at_, s.size()) != s)
            return false;
        if (std::isalpha(static_cast<unsigned char>(s[0])) && at_ + s.size() < t_.size() &&
            is_word(t_[at_ + s.size()]))
            return false;
        at_ += s.size();
        return true;
    }
    static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
    void expect(std::string_view s)
    {
        if (!take(s))
            fail("'" + std::string(s) + "' is missing" +
                 (at_ < t_.size() ? " before '" + std::string(t_.substr(at_, 20)) + "'"
                                  : " at the end"));
    }
    Node make(Op op, Node a, Node b = no_node, Node c = no_node)
    {
        if (g_.size() > 200'000)
            fail("the model has more than 200000 operations; a cell has some thousands");
        try {
            return simple(g_, op, checked(op, a, 0), b == no_node ? b : checked(op, b, 1),
                          c == no_node ? c : checked(op, c, 2));
        } catch (const InputError&) {
            throw;
        } catch (const Error& e) {
            fail(e.what());
        }
    }
    /// Checks the type before simplification may drop the argument.
    Node checked(Op op, Node a, int i)
    {
        const bool wants =
            op == Op::both || op == Op::either || op == Op::negate || (op == Op::select && i == 0);
        if (wants != (g_.type(a) == Type::boolean))
            fail(wants
                     ? "a condition is needed here; write a comparison such as x > 0"
                     : "a number is needed here, and this is a condition; use if(condition, 1, 0)");
        return a;
    }
    struct Deeper
    {
        explicit Deeper(Parser& p) : p_(p)
        {
            if (++p_.depth_ > max_depth)
                p_.fail(
                    "brackets or functions are nested more than 200 deep; split the expression");
        }
        ~Deeper() { --p_.depth_; }
        Deeper(const Deeper&) = delete;
        Deeper& operator=(const Deeper&) = delete;
        Parser& p_;
    };

    Node either()
    {
        const Deeper d(*this);
        Node n = both();
        while (take("or"))
            n = make(Op::either, n, both());
        return n;
    }
    Node both()
    {
        Node n = inverse();
        while (take("and"))
            n = make(Op::both, n, inverse());
        return n;
    }
    Node inverse()
    {
        const Deeper d(*this);
        return take("not") ? make(Op::negate, inverse()) : comparison();
    }
    Node comparison()
    {
        Node n = sum();
        for (;;) {
            if (take("=="))
                n = make(Op::eq, n, sum());
            else if (take("!="))
                n = make(Op::ne, n, sum());
            else if (take("<="))
                n = make(Op::le, n, sum());
            else if (take(">="))
                n = make(Op::le, sum(), n);
            else if (take("<"))
                n = make(Op::lt, n, sum());
            else if (take(">"))
                n = make(Op::lt, sum(), n);
            else
                return n;
        }
    }
    Node sum()
    {
        Node n = term();
        for (;;) {
            if (take("+"))
                n = make(Op::add, n, term());
            else if (take("-"))
                n = make(Op::sub, n, term());
            else
                return n;
        }
    }
    Node term()
    {
        Node n = factor();
        for (;;) {
            if (take("*"))
                n = make(Op::mul, n, factor());
            else if (take("//"))
                n = make(Op::floor, make(Op::div, n, factor()));
            else if (take("/"))
                n = make(Op::div, n, factor());
            else if (take("%")) {
                const Node b = factor(); // floored: a - b floor(a / b)
                n = make(Op::sub, n, make(Op::mul, b, make(Op::floor, make(Op::div, n, b))));
            } else
                return n;
        }
    }
    Node factor()
    {
        const Deeper d(*this);
        if (take("-"))
            return make(Op::neg, factor());
        if (take("+"))
            return factor();
        return power();
    }
    Node power()
    {
        Node n = primary();
        while (take("^"))
            n = make(Op::pow, n, exponent());
        return n;
    }
    Node exponent()
    {
        const Deeper d(*this);
        if (take("-"))
            return make(Op::neg, exponent());
        return take("+") ? exponent() : primary();
    }
    Node primary()
    {
        if (take("(")) {
            const Node n = either();
            expect(")");
            return n;
        }
        skip();
        if (at_ >= t_.size())
            fail("the expression ends where a value is needed");
        if (std::isdigit(static_cast<unsigned char>(t_[at_])) || t_[at_] == '.')
            return number();
        if (!is_word(t_[at_]))
            fail("'" + std::string(t_.substr(at_, 1)) + "' stands where a value is needed");
        std::string name = word();
        if (take("("))
            return call(name);
        if (take("."))
            name += "." + word();
        if (bound_)
            if (const auto it = bound_->find(name); it != bound_->end())
                return it->second;
        return g_.symbol(scope_.symbol(name, line_));
    }
    std::string word()
    {
        const std::size_t begin = at_;
        while (at_ < t_.size() && is_word(t_[at_]))
            ++at_;
        if (begin == at_)
            fail("a name is missing after '.'");
        return std::string(t_.substr(begin, at_ - begin));
    }
    Node number()
    {
        double v = 0;
        const auto r = std::from_chars(t_.data() + at_, t_.data() + t_.size(), v);
        if (r.ec != std::errc() || !std::isfinite(v))
            fail("'" + std::string(t_.substr(at_, 20)) +
                 "' is no number in the range of double precision");
        at_ = static_cast<std::size_t>(r.ptr - t_.data());
        skip();
        if (at_ < t_.size() && t_[at_] == '[') { // its unit
            const auto end = t_.find(']', at_);
            if (end == std::string_view::npos)
                fail("']' is missing after the unit");
            const std::string unit(t_.substr(at_ + 1, end - at_ - 1));
            if (!parse_short_units(unit))
                fail("unknown unit [" + shortened(unit, 60) +
                     "]; write it from SI symbols, e.g. [mV], [uA/cm^2], [1/ms]");
            at_ = end + 1;
        }
        return g_.constant(v);
    }
    std::vector<Node> arguments()
    {
        std::vector<Node> a;
        if (take(")"))
            return a;
        do
            a.push_back(either());
        while (take(","));
        expect(")");
        return a;
    }
    Node call(const std::string& name)
    {
        if (name == "dot" || name == "init") {
            skip();
            std::string v = word();
            if (take("."))
                v += "." + word();
            expect(")");
            if (name == "init")
                fail("init() is not a part of equations; write the value");
            return g_.symbol(scope_.symbol(v, line_) | rate_flag);
        }
        const auto a = arguments();
        const auto count = [&](std::size_t low, std::size_t high) {
            if (a.size() < low || a.size() > high)
                fail(name + "() takes " + std::to_string(low) +
                     (high > low ? " or " + std::to_string(high) : "") + " arguments, not " +
                     std::to_string(a.size()));
        };
        if (scope_.functions)
            if (const auto it = scope_.functions->find(name); it != scope_.functions->end()) {
                count(it->second.arguments.size(), it->second.arguments.size());
                std::map<std::string, Node> bound;
                for (std::size_t i = 0; i < a.size(); ++i)
                    bound[it->second.arguments[i]] = a[i];
                const Deeper d(*this);
                if (scope_.calls && (*scope_.calls += 1 + it->second.text.size() / 200) > 20000)
                    fail("the model's functions are called more than 20000 times, one inside "
                         "the other counted; simplify them");
                return Parser(g_, it->second.text, it->second.line, scope_, depth_ + 10, &bound)
                    .whole();
            }
        if (const auto it = one_argument.find(name); it != one_argument.end()) {
            count(1, 1);
            return make(it->second, a[0]);
        }
        if (name == "log" || name == "log10") {
            count(1, name == "log" ? 2 : 1);
            const Node base = name == "log10" ? g_.constant(10) : a.size() == 2 ? a[1] : no_node;
            const Node l = make(Op::log, a[0]);
            return base == no_node ? l : make(Op::div, l, make(Op::log, base));
        }
        if (name == "if") {
            count(3, 3);
            return make(Op::select, a[0], a[1], a[2]);
        }
        if (name == "piecewise") {
            if (a.size() < 3 || a.size() % 2 == 0)
                fail("piecewise() takes pairs of condition and value, then a last value: an odd "
                     "number of "
                     "arguments");
            Node n = a.back();
            for (std::size_t i = a.size() - 1; i >= 2; i -= 2)
                n = make(Op::select, a[i - 2], a[i - 1], n);
            return n;
        }
        std::vector<std::string> known{"log", "log10", "if", "piecewise", "dot"};
        for (const auto& [k, op] : one_argument)
            known.push_back(k);
        fail("unknown function '" + name + "'" + hint(name, known));
    }

    Graph& g_;
    std::string_view t_;
    long line_;
    const MmtScope& scope_;
    int depth_;
    const std::map<std::string, Node>* bound_;
    std::size_t at_ = 0;
};

} // namespace

Node parse_mmt_expression(Graph& g, std::string_view text, long line, const MmtScope& scope)
{
    return Parser(g, text, line, scope, 0, nullptr).whole();
}

} // namespace tawara::cell::compiler
