// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/parse/cellml_flat.hpp"
#include "engine/cell/compiler/parse/mathml.hpp"
#include "engine/cell/compiler/parse/model_text.hpp"
#include "engine/core/error.hpp"
#include "engine/digest/sha256.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tawara::cell::compiler {
namespace {

/// Turns the equations of a flattened model into definitions of variables.
class Equations
{
  public:
    Equations(const CellmlFlat& flat, ModelText& m) : flat_(flat), m_(m), g_(m.graph) {}

    void run()
    {
        for (const CellmlComponent& c : flat_.components())
            collect(c);
        assign_ambiguous();
        choose_roots();
        for (const Equation& e : equations_)
            define(e);
        initial_values();
        link();
    }

  private:
    struct Equation
    {
        const CellmlComponent* component;
        pugi::xml_node left, right; ///< right is the value
        std::uint32_t variable = 0, time = 0;
        std::uint32_t other = 0; ///< the right one of an ambiguous equation
        bool rate = false;
    };

    static std::string text(pugi::xml_node n)
    {
        std::string t = n.text().get();
        const auto a = t.find_first_not_of(" \t\r\n");
        return a == std::string::npos ? "" : t.substr(a, t.find_last_not_of(" \t\r\n") - a + 1);
    }

    std::uint32_t variable(const CellmlComponent& c, const std::string& name,
                           pugi::xml_node at) const
    {
        const auto it = c.variables.find(name);
        if (it == c.variables.end())
            c.document->xml().fail(
                at, "the equations of component '" + c.name + "' use variable '" + name +
                        "', which it does not declare; add a <variable> and connect it");
        return it->second;
    }

    void collect(const CellmlComponent& c)
    {
        const XmlFile& xml = c.document->xml();
        for (const auto math : children(c.node, "math"))
            for (const auto e : elements(math)) {
                const auto parts = elements(e);
                if (local_name(e) != "apply" || parts.size() != 3 || local_name(parts[0]) != "eq")
                    xml.fail(e, "an equation is <apply><eq/> left right </apply>");
                if (!side(c, parts[1], parts[2]) && !side(c, parts[2], parts[1]))
                    xml.fail(e, "the equation does not give one variable or one derivative "
                                "explicitly; solve "
                                "it for one, as in x = ... or dx/dt = ...");
            }
    }

    /// Takes the equation if `left` is what it defines.
    bool side(const CellmlComponent& c, pugi::xml_node left, pugi::xml_node right)
    {
        const XmlFile& xml = c.document->xml();
        Equation e{&c, left, right};
        const auto parts = elements(left);
        const auto is_rate = [](pugi::xml_node n) {
            const auto p = elements(n);
            return local_name(n) == "apply" && !p.empty() && local_name(p[0]) == "diff";
        };
        if (is_rate(left)) {
            const auto bvar = children(left, "bvar");
            if (parts.size() != 3 || bvar.empty() || elements(bvar[0]).size() != 1)
                xml.fail(left, "only first derivatives by one variable are possible");
            e.rate = true;
            e.variable = variable(c, text(parts[2]), left);
            e.time = variable(c, text(elements(bvar[0])[0]), left);
            if (has_time_ && flat_.set_of(e.time) != flat_.set_of(time_))
                xml.fail(left, "derivatives by two variables, '" + m_.variables[time_].name +
                                   "' and '" + m_.variables[e.time].name +
                                   "'; there can be one time");
            has_time_ = true;
            time_ = e.time;
            if (local_name(right) == "ci") {
                e.other = variable(c, text(right), right);
                ambiguous_.push_back(e);
                return true;
            }
        } else if (local_name(left) == "ci" && !is_rate(right)) {
            e.variable = variable(c, text(left), left);
            if (local_name(right) == "ci") {
                e.other = variable(c, text(right), right);
                ambiguous_.push_back(e);
                return true;
            }
        } else
            return false;
        take(e);
        return true;
    }

    void take(const Equation& e)
    {
        if (!defined_.emplace(flat_.set_of(e.variable), e.variable).second)
            e.component->document->xml().fail(e.left, "variable '" + m_.variables[e.variable].name +
                                                          "' is given by two equations; keep one");
        equations_.push_back(e);
    }

    /// Is the set of a variable given by an equation, an initial value or time?
    bool known(std::uint32_t v) const
    {
        const auto set = flat_.set_of(v);
        return defined_.count(set) || (has_time_ && set == flat_.set_of(time_)) ||
               initial_sets_.count(set);
    }

    /// a = b and dx/dt = b define the one of both sides that nothing else does; equations that
    /// leave no choice go first.
    void assign_ambiguous()
    {
        if (ambiguous_.size() > 2000) // each may have to be looked at as often as there are others
            ambiguous_.front().component->document->xml().fail(
                ambiguous_.front().left,
                "this and 2000 more equations say that one variable is another; connect those");
        for (std::uint32_t i = 0; i < m_.variables.size(); ++i)
            if (!any_attribute(flat_.element(i), "initial_value").empty())
                initial_sets_.insert(flat_.set_of(i));
        for (bool forced = false; !ambiguous_.empty();) {
            bool any = false;
            for (std::size_t i = 0; i < ambiguous_.size();) {
                Equation e = ambiguous_[i];
                const auto other = e.other;
                const bool left_known =
                    e.rate ? defined_.count(flat_.set_of(e.variable)) != 0 : known(e.variable);
                if (!left_known && !known(other) && !forced) {
                    ++i;
                    continue;
                }
                if (left_known) {
                    e.rate = false;
                    std::swap(e.left, e.right);
                    e.variable = other;
                }
                take(e);
                ambiguous_.erase(ambiguous_.begin() + static_cast<std::ptrdiff_t>(i));
                any = true;
                forced = false;
            }
            forced = !any;
        }
    }

    void choose_roots()
    {
        const auto n = static_cast<std::uint32_t>(m_.variables.size());
        root_.resize(n);
        std::map<std::uint32_t, std::uint32_t> best = defined_;
        if (has_time_) {
            if (best.count(flat_.set_of(time_)))
                m_.fail(time_, "'" + m_.variables[time_].name +
                                   "' is time and has an equation of its own");
            best[flat_.set_of(time_)] = time_;
            m_.variables[time_].binding = "time";
        }
        for (std::uint32_t v = 0; v < n; ++v)
            if (!any_attribute(flat_.element(v), "initial_value").empty())
                best.emplace(flat_.set_of(v), v);
        for (std::uint32_t v = 0; v < n; ++v)
            if (any_attribute(flat_.element(v), "public_interface") == "out")
                best.emplace(flat_.set_of(v), v);
        for (std::uint32_t v = 0; v < n; ++v)
            root_[v] = best.emplace(flat_.set_of(v), v).first->second;
    }

    /// Factor from the units of variable a to those of b.
    double factor(std::uint32_t a, std::uint32_t b) const
    {
        return m_.variables[a].units->factor / m_.variables[b].units->factor;
    }
    Node scaled(Node x, double f) { return simple(g_, Op::mul, x, g_.constant(f)); }
    Node converted(Node x, std::uint32_t a, std::uint32_t b)
    {
        const Units &from = *m_.variables[a].units, &to = *m_.variables[b].units;
        const double shift = (from.offset - to.offset) / to.factor;
        return simple(g_, Op::add, scaled(x, from.factor / to.factor), g_.constant(shift));
    }

    void define(const Equation& e)
    {
        const CellmlComponent& c = *e.component;
        const MathScope scope{
            [&](const std::string& name, pugi::xml_node at) {
                return g_.symbol(variable(c, name, at));
            },
            [&](const std::string& name, const std::string& by, pugi::xml_node at) {
                const auto x = variable(c, name, at), t = variable(c, by, at);
                if (!has_time_ || flat_.set_of(t) != flat_.set_of(time_))
                    c.document->xml().fail(at,
                                           "the derivative is by '" + by + "', which is not time");
                return scaled(g_.symbol(root_[x] | rate_flag),
                              factor(root_[x], x) / factor(root_[t], t));
            },
            [&](const std::string& units, pugi::xml_node at) {
                c.document->units(units, c.node, c.document->xml(), at);
            }};
        const Node value = mathml_value(g_, c.document->xml(), e.right, scope);
        m_.need_moderate(c.document->xml().file(), c.document->xml().line(e.right));
        if (g_.type(value) == Type::boolean)
            c.document->xml().fail(e.right, "a variable cannot be a condition; use <piecewise>");
        ModelVariable& v = m_.variables[e.variable];
        if (e.rate) // the root's units and the root's time
            v.rate = scaled(value, factor(root_[e.time], e.time));
        else
            v.value = value;
    }

    void initial_values()
    {
        std::set<std::uint32_t> seen;
        for (std::uint32_t i = 0; i < m_.variables.size(); ++i) {
            const std::string t = any_attribute(flat_.element(i), "initial_value");
            if (t.empty())
                continue;
            const CellmlComponent& c = flat_.component_of(i);
            const XmlFile& xml = c.document->xml();
            double number = 0;
            const char* begin = t.c_str() + (t[0] == '+');
            const auto r = std::from_chars(begin, t.c_str() + t.size(), number);
            Node x;
            if (r.ec == std::errc() && r.ptr == t.c_str() + t.size() && std::isfinite(number))
                x = g_.constant(number);
            else if (c.variables.count(t))
                x = g_.symbol(c.variables.at(t));
            else
                xml.fail(flat_.element(i),
                         "initial value '" + t + "' of '" + m_.variables[i].name +
                             "' is neither a number nor a variable of its component");
            ModelVariable& root = m_.variables[root_[i]];
            if (!seen.insert(root_[i]).second)
                xml.fail(flat_.element(i), "'" + m_.variables[i].name +
                                               "' and a variable connected with it "
                                               "both have initial values; keep one");
            x = converted(x, i, root_[i]);
            if (root.rate != no_node)
                root.initial = x;
            else if (root.value != no_node)
                xml.fail(flat_.element(i),
                         "'" + m_.variables[i].name +
                             "' has an equation and an initial value; "
                             "keep one (an initial value as a first guess is not used)");
            else if (root.binding.empty())
                root.value = x;
        }
        for (std::uint32_t i = 0; i < m_.variables.size(); ++i)
            if (m_.variables[i].rate != no_node && m_.variables[i].initial == no_node)
                flat_.component_of(i).document->xml().fail(flat_.element(i),
                                                           "state '" + m_.variables[i].name +
                                                               "' has no initial_value; give one");
    }

    /// Variables that are not the root of their set follow it; its labels are shared.
    void link()
    {
        for (std::uint32_t i = 0; i < m_.variables.size(); ++i)
            if (root_[i] != i) {
                m_.variables[i].value = converted(g_.symbol(root_[i]), root_[i], i);
                auto& labels = m_.variables[root_[i]].labels;
                labels.insert(labels.end(), m_.variables[i].labels.begin(),
                              m_.variables[i].labels.end());
            }
    }

    const CellmlFlat& flat_;
    ModelText& m_;
    Graph& g_;
    std::vector<Equation> equations_, ambiguous_;
    std::map<std::uint32_t, std::uint32_t> defined_; ///< set -> variable with the equation
    std::set<std::uint32_t> initial_sets_;           ///< with an initial value
    std::vector<std::uint32_t> root_;
    bool has_time_ = false;
    std::uint32_t time_ = 0;
};

} // namespace

ModelText parse_cellml(std::string_view text, const std::string& file,
                       const std::filesystem::path& folder)
{
    CellmlDocument::Files files{folder, {}, {}};
    const auto document = std::make_shared<const CellmlDocument>(
        text, file, folder, std::vector{std::filesystem::path(file).lexically_normal()}, files);
    ModelText m;
    m.file = file;
    m.name = plain_name(any_attribute(document->xml().root(), "name"), file, 1);
    m.sources = std::move(files.sources);
    const CellmlFlat flat(document, m);
    Equations(flat, m).run();
    return m;
}

std::string plain_name(std::string name, const std::string& file, long line)
{
    const bool plain = std::none_of(name.begin(), name.end(), [](char c) {
        return static_cast<unsigned char>(c) < 32 || c == 127 || c == '"' || c == '\\';
    });
    if (!plain || name.size() > 200)
        throw InputError(file, line,
                         "the model's name has quotes, backslashes or control characters, or more "
                         "than 200 bytes; give a plain one");
    return name;
}

void ModelText::need_moderate(const std::string& from, long line) const
{
    if (variables.size() > 20000 || graph.size() > 100'000)
        throw InputError(from, line,
                         "up to here the model has " + std::to_string(variables.size()) +
                             " variables and " + std::to_string(graph.size()) +
                             " operations; 20000 and 100000 can be read, and a cell has some "
                             "hundreds and thousands");
}

void ModelText::fail(std::uint32_t variable, const std::string& reason) const
{
    const auto& v = variables[variable];
    throw InputError(v.file.empty() ? file : v.file, v.line, reason);
}

std::optional<std::uint32_t> ModelText::find(const std::string& variable) const
{
    for (std::uint32_t i = 0; i < variables.size(); ++i)
        if (variables[i].name == variable)
            return i;
    return {};
}

ModelText read_model(const std::filesystem::path& path)
{
    const std::string text = model_file_content(path);
    const std::string extension = path.extension().string();
    const auto read_from_it = [&](ModelText m) {
        m.sources.insert(m.sources.begin(), SourceFile{path, sha256(text)});
        return m;
    };
    try {
        if (extension == ".mmt")
            return read_from_it(parse_mmt(text, path.string()));
        if (extension == ".cellml" || extension == ".xml")
            return read_from_it(parse_cellml(text, path.string(), path.parent_path()));
    } catch (const InputError&) {
        throw;
    } catch (const Error& e) {
        throw InputError(path.string(), e.what());
    }
    throw InputError(path.string(),
                     "unknown kind of cell model '" + extension + "'; give .mmt or .cellml");
}

} // namespace tawara::cell::compiler
