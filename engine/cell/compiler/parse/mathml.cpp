// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/parse/mathml.hpp"

#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/core/error.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

namespace tawara::cell::compiler {
namespace {

const std::map<std::string_view, Op> unary{
    {"exp", Op::exp},      {"ln", Op::log},      {"abs", Op::abs},     {"floor", Op::floor},
    {"ceiling", Op::ceil}, {"sin", Op::sin},     {"cos", Op::cos},     {"tan", Op::tan},
    {"arcsin", Op::asin},  {"arccos", Op::acos}, {"arctan", Op::atan}, {"sinh", Op::sinh},
    {"cosh", Op::cosh},    {"tanh", Op::tanh},   {"not", Op::negate},
};
const std::map<std::string_view, Op> chains{
    // left to right
    {"plus", Op::add},  {"times", Op::mul}, {"and", Op::both},
    {"or", Op::either}, {"min", Op::min},   {"max", Op::max},
};
struct Relation
{
    Op op;
    bool swapped;
};
const std::map<std::string_view, Relation> relations{
    {"eq", {Op::eq, false}},  {"neq", {Op::ne, false}}, {"lt", {Op::lt, false}},
    {"leq", {Op::le, false}}, {"gt", {Op::lt, true}},   {"geq", {Op::le, true}},
};

class Reader
{
  public:
    Reader(Graph& g, const XmlFile& xml, const MathScope& s) : g_(g), xml_(xml), scope_(s) {}

    Node value(pugi::xml_node n)
    {
        if (++depth_ > 200)
            xml_.fail(n, "the equation is nested more than 200 deep; split it");
        const Node r = element(n);
        --depth_;
        return r;
    }

  private:
    Node c(double v) { return g_.constant(v); }
    Node make(pugi::xml_node at, Op op, Node a, Node b = no_node, Node e = no_node)
    {
        const std::array<Node, 3> args{a, b, e};
        for (std::size_t i = 0; i < 3; ++i) {
            const bool logical = op == Op::both || op == Op::either || op == Op::negate ||
                                 (op == Op::select && i == 0);
            if (args[i] != no_node && logical != (g_.type(args[i]) == Type::boolean))
                xml_.fail(
                    at, logical
                            ? "a condition is needed here, and this is a number; compare it, e.g. "
                              "with <gt/>"
                            : "a number is needed here, and this is a condition; use <piecewise>");
        }
        try {
            return simple(g_, op, a, b, e);
        } catch (const InputError&) {
            throw;
        } catch (const Error& x) {
            xml_.fail(at, x.what());
        }
    }

    Node element(pugi::xml_node n)
    {
        const auto name = local_name(n);
        if (name == "cn")
            return number(n);
        if (name == "ci")
            return scope_.variable(text(n), n);
        if (name == "apply")
            return application(n);
        if (name == "piecewise")
            return piecewise(n);
        if (name == "true" || name == "false")
            return g_.truth(name == "true");
        if (name == "pi")
            return c(std::numbers::pi);
        if (name == "exponentiale")
            return c(std::numbers::e);
        if (name == "infinity")
            return c(std::numeric_limits<double>::infinity());
        if (name == "notanumber")
            return c(std::numeric_limits<double>::quiet_NaN());
        xml_.fail(n, "<" + std::string(name) +
                         "> is no part of CellML's mathematics; use MathML content "
                         "elements such as <apply>, <ci>, <cn>, <piecewise>");
    }

    static std::string text(pugi::xml_node n)
    {
        std::string t = n.text().get();
        const auto a = t.find_first_not_of(" \t\r\n");
        return a == std::string::npos ? "" : t.substr(a, t.find_last_not_of(" \t\r\n") - a + 1);
    }

    double real(pugi::xml_node at, std::string t)
    {
        const auto a = t.find_first_not_of(" \t\r\n+");
        t = a == std::string::npos ? "" : t.substr(a, t.find_last_not_of(" \t\r\n") - a + 1);
        double v = 0;
        const auto r = std::from_chars(t.data(), t.data() + t.size(), v);
        if (r.ec == std::errc::result_out_of_range)
            xml_.fail(at, "'" + t.substr(0, 30) + "' is out of the range of double precision");
        if (t.empty() || r.ec != std::errc() || r.ptr != t.data() + t.size() || !std::isfinite(v))
            xml_.fail(at, "'" + t.substr(0, 30) +
                              "' is no number; write e.g. 1.5, or type=\"e-notation\" "
                              "with <sep/>");
        return v;
    }

    Node number(pugi::xml_node n)
    {
        const std::string units = any_attribute(n, "units");
        if (units.empty())
            xml_.fail(
                n, "the number lacks cellml:units; give one, e.g. cellml:units=\"dimensionless\"");
        scope_.check_units(units, n);
        const auto seps = children(n, "sep");
        if (seps.empty())
            return c(real(n, n.text().get()));
        const std::string type = any_attribute(n, "type");
        const std::string first = n.first_child().value(), second = seps[0].next_sibling().value();
        if (type == "rational")
            return c(real(n, first) / real(n, second));
        if (type != "e-notation")
            xml_.fail(n,
                      "numbers with <sep/> are of type e-notation or rational, not '" + type + "'");
        return c(power_of_ten(n, first, real(n, second)));
    }

    /// mantissa * 10^exponent, rounded once: as if the text were one number.
    double power_of_ten(pugi::xml_node n, const std::string& mantissa, double exponent)
    {
        if (std::abs(exponent) > 400 || exponent != std::floor(exponent))
            xml_.fail(n, "the exponent after <sep/> has to be a whole number below 400");
        if (real(n, mantissa) == 0)
            return 0;
        const auto e = mantissa.find_first_of("eE"); // a mantissa may have its own: 1e-5<sep/>-3
        if (e != std::string::npos)
            exponent += real(n, mantissa.substr(e + 1));
        const std::string digits = mantissa.substr(0, e);
        return real(n, digits.substr(0, digits.find_last_not_of(" \t\r\n") + 1) + "e" +
                           std::to_string(static_cast<int>(exponent)));
    }

    Node piecewise(pugi::xml_node n)
    {
        const auto pieces = children(n, "piece");
        const auto others = children(n, "otherwise");
        if (pieces.size() + others.size() != elements(n).size() || others.size() > 1)
            xml_.fail(n, "<piecewise> takes <piece> elements and at most one <otherwise>");
        Node r = c(std::numeric_limits<double>::quiet_NaN());
        if (!others.empty())
            r = value(only(others[0]));
        for (std::size_t i = pieces.size(); i-- > 0;) {
            const auto e = elements(pieces[i]);
            if (e.size() != 2)
                xml_.fail(pieces[i], "<piece> takes a value and a condition");
            const Node v = value(e[0]);
            r = make(pieces[i], Op::select, value(e[1]), v, r);
        }
        return r;
    }

    pugi::xml_node only(pugi::xml_node n)
    {
        const auto e = elements(n);
        if (e.size() != 1)
            xml_.fail(n, "<" + std::string(n.name()) + "> takes one element");
        return e[0];
    }

    Node derivative(pugi::xml_node n, const std::vector<pugi::xml_node>& e)
    {
        if (e.size() != 3 || local_name(e[1]) != "bvar" || local_name(e[2]) != "ci")
            xml_.fail(n, "<diff/> takes <bvar><ci>time</ci></bvar> and a variable");
        const auto inner = elements(e[1]);
        if (inner.empty() || local_name(inner[0]) != "ci" || inner.size() > 1)
            xml_.fail(e[1], "only first derivatives by one variable are possible");
        return scope_.rate(text(e[2]), text(inner[0]), n);
    }

    Node application(pugi::xml_node n)
    {
        const auto e = elements(n);
        if (e.empty())
            xml_.fail(n, "<apply> is empty; an operator and its arguments are needed");
        const auto name = local_name(e[0]);
        if (name == "diff")
            return derivative(n, e);
        pugi::xml_node qualifier; // <degree>, <logbase>
        std::vector<Node> a;
        for (std::size_t i = 1; i < e.size(); ++i) {
            if (local_name(e[i]) == "degree" || local_name(e[i]) == "logbase")
                qualifier = only(e[i]);
            else
                a.push_back(value(e[i]));
        }
        return operation(n, name, a, qualifier);
    }

    Node operation(pugi::xml_node n, std::string_view name, const std::vector<Node>& a,
                   pugi::xml_node qualifier)
    {
        const auto need = [&](std::size_t low, std::size_t high) {
            if (a.size() < low || a.size() > high)
                xml_.fail(n, "<" + std::string(name) + "/> cannot take " +
                                 std::to_string(a.size()) + " arguments");
        };
        if (const auto it = unary.find(name); it != unary.end()) {
            need(1, 1);
            return make(n, it->second, a[0]);
        }
        if (const auto it = chains.find(name); it != chains.end()) {
            need(1, 1000);
            Node r = a[0];
            for (std::size_t i = 1; i < a.size(); ++i)
                r = make(n, it->second, r, a[i]);
            return r;
        }
        if (const auto it = relations.find(name); it != relations.end()) {
            need(2, 1000);
            Node r = no_node;
            for (std::size_t i = 1; i < a.size(); ++i) {
                const Node x = it->second.swapped ? make(n, it->second.op, a[i], a[i - 1])
                                                  : make(n, it->second.op, a[i - 1], a[i]);
                r = r == no_node ? x : make(n, Op::both, r, x);
            }
            return r;
        }
        if (name == "minus") {
            need(1, 2);
            return a.size() == 1 ? make(n, Op::neg, a[0]) : make(n, Op::sub, a[0], a[1]);
        }
        if (name == "log") {
            need(1, 1);
            const Node base = qualifier ? value(qualifier) : c(10);
            return make(n, Op::div, make(n, Op::log, a[0]), make(n, Op::log, base));
        }
        if (name == "root") {
            need(1, 1);
            return qualifier ? make(n, Op::pow, a[0], make(n, Op::div, c(1), value(qualifier)))
                             : make(n, Op::sqrt, a[0]);
        }
        if (name == "xor") {
            need(2, 2);
            return make(n, Op::both, make(n, Op::either, a[0], a[1]),
                        make(n, Op::negate, make(n, Op::both, a[0], a[1])));
        }
        return two(n, name, a, need);
    }

    template <class Need>
    Node two(pugi::xml_node n, std::string_view name, const std::vector<Node>& a, Need&& need)
    {
        static const std::map<std::string_view, Op> binary{
            {"divide", Op::div}, {"power", Op::pow}, {"rem", Op::rem}};
        if (const auto it = binary.find(name); it != binary.end()) {
            need(2, 2);
            return make(n, it->second, a[0], a[1]);
        }
        static const std::map<std::string_view, Op> reciprocal{
            {"sec", Op::cos},   {"csc", Op::sin},   {"cot", Op::tan},
            {"sech", Op::cosh}, {"csch", Op::sinh}, {"coth", Op::tanh}};
        if (const auto it = reciprocal.find(name); it != reciprocal.end()) {
            need(1, 1);
            return make(n, Op::div, c(1), make(n, it->second, a[0]));
        }
        static const std::map<std::string_view, Op> inverse_reciprocal{
            {"arcsec", Op::acos}, {"arccsc", Op::asin}, {"arccot", Op::atan}};
        if (const auto it = inverse_reciprocal.find(name); it != inverse_reciprocal.end()) {
            need(1, 1);
            return make(n, it->second, make(n, Op::div, c(1), a[0]));
        }
        if (name == "arcsinh" || name == "arccosh" || name == "arctanh" || name == "arccsch" ||
            name == "arcsech" || name == "arccoth") {
            need(1, 1);
            return area(n, name, a[0]);
        }
        xml_.fail(n, "<" + std::string(name) + "/> is no operator of CellML's mathematics");
    }

    /// Inverse hyperbolic functions by logarithms.
    Node area(pugi::xml_node n, std::string_view name, Node x)
    {
        if (name == "arccsch" || name == "arcsech" || name == "arccoth")
            x = make(n, Op::div, c(1), x);
        if (name == "arctanh" || name == "arccoth")
            return make(
                n, Op::mul, c(0.5),
                make(n, Op::log,
                     make(n, Op::div, make(n, Op::add, c(1), x), make(n, Op::sub, c(1), x))));
        const bool sinh = name == "arcsinh" || name == "arccsch";
        const Node square = make(n, sinh ? Op::add : Op::sub, make(n, Op::mul, x, x), c(1));
        return make(n, Op::log, make(n, Op::add, x, make(n, Op::sqrt, square)));
    }

    Graph& g_;
    const XmlFile& xml_;
    const MathScope& scope_;
    int depth_ = 0;
};

} // namespace

Node mathml_value(Graph& g, const XmlFile& xml, pugi::xml_node n, const MathScope& scope)
{
    return Reader(g, xml, scope).value(n);
}

} // namespace tawara::cell::compiler
