// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/parse/mmt_expression.hpp"
#include "engine/cell/compiler/parse/mmt_lines.hpp"
#include "engine/cell/compiler/parse/model_text.hpp"
#include "engine/cell/compiler/parse/trimmed.hpp"
#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"
#include "engine/core/utf8.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace tawara::cell::compiler {
namespace {

bool is_name(std::string_view t)
{
    if (t.empty() || (!std::isalpha(static_cast<unsigned char>(t[0])) && t[0] != '_'))
        return false;
    for (const char c : t)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_')
            return false;
    return true;
}

/// Reads the model section in two passes: names first, so that equations may refer forwards.
class MmtReader
{
  public:
    MmtReader(std::string_view text, std::string file) : lines_(mmt_lines(text, file))
    {
        m_.file = std::move(file);
    }

    ModelText read()
    {
        while (at_ < lines_.size()) {
            const MmtLine& l = lines_[at_];
            if (l.text.rfind("[[", 0) == 0) {
                section_ = l.text;
                seen_model_ = seen_model_ || section_ == "[[model]]";
                ++at_;
                if (section_ == "[[script]]")
                    break; // never run
                if (section_ != "[[model]]" && section_ != "[[protocol]]")
                    fail(l, "unknown section " + l.text +
                                "; known are [[model]], [[protocol]], [[script]]");
            } else if (section_ == "[[model]]")
                model_line();
            else if (section_ == "[[protocol]]")
                protocol_line(lines_[at_++]);
            else
                fail(l, "a .mmt file starts with [[model]]");
        }
        if (!seen_model_)
            throw InputError(m_.file, 1, "there is no [[model]] section; nothing to simulate");
        equations();
        return std::move(m_);
    }

  private:
    struct Pending
    {
        std::uint32_t variable;
        bool rate;
        std::string text;
        long line;
        std::string component, scope; ///< scope: "component.variable" path of the nesting
    };

    [[noreturn]] void fail(const MmtLine& l, const std::string& why) const
    {
        throw InputError(m_.file, l.line, why);
    }

    void model_line()
    {
        const MmtLine& l = lines_[at_++];
        if (l.text[0] == '[') {
            const auto end = l.text.find(']');
            component_ = end == std::string::npos ? "" : trimmed(l.text.substr(1, end - 1));
            if (!is_name(component_))
                fail(l, "'" + l.text + "' is no component; write [name]");
            parents_.clear();
        } else if (l.meta)
            meta(l);
        else if (component_.empty())
            header(l);
        else if (l.text.rfind("use ", 0) == 0)
            use(l);
        else if (!parents_.empty() && l.indent > 0 && attribute(l))
            return;
        else
            variable(l);
    }

    void meta(const MmtLine& l)
    {
        if (!parents_.empty() && l.indent > parents_.back().first) {
            if (l.text == "desc")
                m_.variables[parents_.back().second].description = trimmed(l.note);
        } else if (component_.empty()) {
            if (l.text == "name")
                m_.name = plain_name(trimmed(l.note), m_.file, l.line);
            else if (l.text == "display_name")
                m_.title = trimmed(l.note);
            else if (l.text == "desc")
                m_.description = trimmed(l.note);
            else if (l.text.rfind("variant_", 0) == 0)
                variant(l);
            else if (l.text == "largest_step_ms")
                largest_steps(l);
            else if (l.text == "neutral")
                neutral_ = {trimmed(l.note), l.line};
        }
    }

    /// largest_step_ms: SCHEME = number; ...
    void largest_steps(const MmtLine& l)
    {
        for (const auto& [scheme, ms] : settings(l, "SCHEME")) {
            if (!(ms > 0))
                fail(l, "the largest step of " + scheme + " is not above 0 ms; leave it out");
            m_.largest_step_ms.emplace_back(scheme_by_name(scheme, m_.file, std::to_string(l.line)),
                                            ms);
        }
    }

    /// NAME = number; ...
    std::vector<std::pair<std::string, double>> settings(const MmtLine& l, const char* name) const
    {
        std::vector<std::pair<std::string, double>> out;
        std::istringstream in(l.note);
        for (std::string item; std::getline(in, item, ';');) {
            if (trimmed(item).empty())
                continue;
            const auto eq = item.find('=');
            const std::string number = eq == std::string::npos ? "" : trimmed(item.substr(eq + 1));
            char* end = nullptr;
            const double x = std::strtod(number.c_str(), &end);
            if (number.empty() || *end || !std::isfinite(x))
                fail(l, "'" + trimmed(item) + "' is no setting; write " + name + " = number; ...");
            out.emplace_back(trimmed(item.substr(0, eq)), x);
        }
        return out;
    }

    /// variant_NAME: component.variable = number; ...  States are set as initial values.
    void variant(const MmtLine& l)
    {
        Variant v;
        v.name = l.text.substr(8);
        v.parameters = settings(l, "component.variable");
        variant_lines_.push_back(l.line);
        m_.variants.push_back(std::move(v));
    }

    /// Lines before the first component: initial values and functions.
    void header(const MmtLine& l)
    {
        const auto eq = l.text.find('=');
        if (eq == std::string::npos)
            fail(l, "'" + l.text +
                        "' is neither an initial value (component.state = number) nor a function");
        const std::string left = trimmed(l.text.substr(0, eq)),
                          right = trimmed(l.text.substr(eq + 1));
        if (left.empty())
            fail(l, "'" + l.text + "' has no name before '='; write component.state = number");
        if (left.back() == ')' && left.find('(') != std::string::npos) {
            MmtFunction f{{}, right, l.line};
            std::istringstream in(
                left.substr(left.find('(') + 1, left.size() - left.find('(') - 2));
            for (std::string a; std::getline(in, a, ',');) {
                if (!is_name(trimmed(a)))
                    fail(l, "'" + trimmed(a) + "' is no name for an argument");
                f.arguments.push_back(trimmed(a));
            }
            functions_[trimmed(left.substr(0, left.find('(')))] = std::move(f);
        } else if (!initial_.emplace(left, std::pair(right, l.line)).second)
            fail(l, "the initial value of '" + left + "' is given twice; keep one");
    }

    void use(const MmtLine& l)
    {
        std::istringstream in(l.text.substr(4));
        for (std::string item; std::getline(in, item, ',');) {
            std::istringstream words(item);
            std::string from, as, alias;
            words >> from >> as >> alias;
            if (as.empty())
                alias = from.substr(from.find('.') + 1);
            if (from.find('.') == std::string::npos || (!as.empty() && as != "as") ||
                !is_name(alias))
                fail(l, "'" + l.text + "' is no alias; write: use component.variable as name");
            aliases_[component_ + "." + alias] = from;
        }
    }

    bool attribute(const MmtLine& l) { return attribute(l, l.text); }

    bool attribute(const MmtLine& l, const std::string& text)
    {
        ModelVariable& v = m_.variables[parents_.back().second];
        std::istringstream in(text);
        std::string key, value;
        while (in && (std::isalnum(in.peek()) || in.peek() == '_'))
            key += static_cast<char>(in.get());
        std::getline(in, value);
        value = trimmed(value);
        if (value.empty() || value[0] == '=')
            return false;
        if (key == "in") {
            if (value.size() < 2 || value.front() != '[' || value.back() != ']')
                fail(l, "'" + text + "' is no unit; write: in [mV]");
            v.unit_text = trimmed(value.substr(1, value.size() - 2));
            v.units = parse_short_units(v.unit_text);
            if (!v.units)
                fail(l, "unknown unit [" + shortened(v.unit_text, 60) +
                            "]; write it from SI symbols, e.g. [mV], [uA/cm^2]");
        } else if (key == "label")
            v.labels.push_back(value);
        else if (key == "bind")
            v.binding = value;
        else
            return false;
        return true;
    }

    void variable(const MmtLine& l)
    {
        const auto eq = l.text.find('=');
        if (eq == std::string::npos)
            fail(l, "'" + l.text + "' is no equation; write name = expression");
        std::string left = trimmed(l.text.substr(0, eq));
        const bool rate = left.rfind("dot(", 0) == 0 && left.back() == ')';
        if (rate)
            left = trimmed(left.substr(4, left.size() - 5));
        if (!is_name(left))
            fail(l, "'" + left + "' cannot be the name of a variable; use letters, digits and _");
        while (!parents_.empty() && l.indent <= parents_.back().first)
            parents_.pop_back();
        if (parents_.size() > 50)
            fail(l, "variables are nested more than 50 deep");
        const std::string scope =
            parents_.empty() ? component_ : m_.variables[parents_.back().second].name;
        const std::string name = scope + "." + left;
        const auto index = static_cast<std::uint32_t>(m_.variables.size());
        if (!names_.emplace(name, index).second)
            fail(l, "'" + name + "' is defined twice; keep one definition");
        ModelVariable v;
        v.name = name;
        v.line = l.line;
        v.description = trimmed(l.note);
        m_.variables.push_back(v);
        m_.need_moderate(m_.file, l.line);
        parents_.emplace_back(l.indent, index);
        std::string right = l.text.substr(eq + 1);
        int attributes = 0; // each is looked for in the whole line
        for (auto cut = last_attribute(right); cut != std::string::npos;
             cut = last_attribute(right)) {
            if (++attributes > 50)
                fail(l, "'" + name + "' has more than 50 units, labels and bindings in its line");
            if (!attribute(l, trimmed(right.substr(cut))))
                fail(l, "'" + trimmed(right.substr(cut)) + "' is no unit, label or binding");
            right.resize(cut);
        }
        unit_of_literal(right);
        pending_.push_back({index, rate, right, l.line, component_, name});
    }

    /// "g = 5 [mS/cm^2]": a constant has its literal's unit where no "in" says one.
    void unit_of_literal(const std::string& right)
    {
        ModelVariable& v = m_.variables[parents_.back().second];
        const std::string text = trimmed(right);
        const auto open = text.find('[');
        if (!v.unit_text.empty() || open == std::string::npos || text.back() != ']')
            return;
        const std::string number = trimmed(text.substr(0, open));
        char* end = nullptr;
        std::strtod(number.c_str(), &end);
        if (number.empty() || *end)
            return;
        v.unit_text = trimmed(text.substr(open + 1, text.size() - open - 2));
        v.units = parse_short_units(v.unit_text);
    }

    /// Where the last "in [unit]", "bind name" or "label name" behind an expression starts, on the
    /// same line.
    static std::size_t last_attribute(const std::string& t)
    {
        std::size_t best = std::string::npos;
        for (const char* key : {"in", "bind", "label"}) {
            const std::string k = key;
            for (auto at = t.find(k); at != std::string::npos; at = t.find(k, at + 1)) {
                const auto before = t.find_last_not_of(" \t", at == 0 ? 0 : at - 1);
                const auto after = t.find_first_not_of(" \t", at + k.size());
                const bool alone = at > 0 &&
                                   (t[at - 1] == ' ' || t[at - 1] == ']' || t[at - 1] == ')') &&
                                   before != std::string::npos && after != std::string::npos &&
                                   (after > at + k.size() || t[after] == '[');
                const char a = alone ? t[before] : '*', b = alone ? t[after] : '*';
                const bool operand = std::isalnum(static_cast<unsigned char>(a)) || a == '_' ||
                                     a == ')' || a == ']' || a == '.';
                const bool value =
                    k == "in" ? b == '[' : std::isalpha(static_cast<unsigned char>(b)) != 0;
                if (operand && value && (best == std::string::npos || at > best))
                    best = at;
            }
        }
        return best;
    }

    void protocol_line(const MmtLine& l)
    {
        std::istringstream in(l.text);
        PaceEvent e;
        double count = 0;
        std::string start;
        if (!(in >> e.level >> start))
            fail(l, "an event of the protocol is LEVEL START LENGTH [PERIOD [COUNT]], in numbers");
        if (start == "next") {
            if (m_.protocol.empty() || m_.protocol.back().period > 0)
                fail(l, "\"next\" starts at the end of the event before, which is not there or "
                        "repeats; give a time");
            e.start = m_.protocol.back().start + m_.protocol.back().duration;
        } else {
            char* end = nullptr;
            e.start = std::strtod(start.c_str(), &end);
            if (end == start.c_str() || *end != '\0')
                fail(l, "the event starts at '" + start + "'; give a time or the word \"next\"");
        }
        if (!(in >> e.duration))
            fail(l, "the event has no length; give LEVEL START LENGTH [PERIOD [COUNT]]");
        in >> e.period >> count;
        e.count = static_cast<int>(std::clamp(count, 0.0, 1e6));
        m_.protocol.push_back(e);
    }

    std::uint32_t lookup(const std::string& name, const Pending& p, long line) const
    {
        if (name.find('.') == std::string::npos) {
            for (std::string scope = p.scope;;) { // own children, then siblings, then outwards
                if (const auto it = names_.find(scope + "." + name); it != names_.end())
                    return it->second;
                if (scope == p.component)
                    break;
                scope.resize(scope.rfind('.'));
            }
            if (const auto a = aliases_.find(p.component + "." + name); a != aliases_.end())
                if (const auto it = names_.find(a->second); it != names_.end())
                    return it->second;
        } else if (const auto it = names_.find(name); it != names_.end())
            return it->second;
        std::vector<std::string> known;
        for (const auto& [k, i] : names_)
            known.push_back(k);
        // of equally near ones that of the same component
        std::stable_partition(known.begin(), known.end(), [&](const std::string& k) {
            return k.starts_with(p.component + ".");
        });
        throw InputError(m_.file, line, "unknown variable '" + name + "'" + hint(name, known));
    }

    Node expression(const std::string& text, long line, const Pending& p)
    {
        MmtScope scope{m_.file, [&](const std::string& n, long at) { return lookup(n, p, at); },
                       &functions_, &calls_};
        const Node n = parse_mmt_expression(m_.graph, text, line, scope);
        m_.need_moderate(m_.file, line);
        if (m_.graph.type(n) == Type::boolean) // Myokit: a condition counts as 1 or 0
            return m_.graph.make(Op::select, n, m_.graph.constant(1), m_.graph.constant(0));
        return n;
    }

    void equations()
    {
        for (const Pending& p : pending_) {
            ModelVariable& v = m_.variables[p.variable];
            (p.rate ? v.rate : v.value) = expression(p.text, p.line, p);
            const auto it = initial_.find(v.name);
            if (p.rate && it == initial_.end())
                throw InputError(m_.file, p.line,
                                 "state '" + v.name + "' has no initial value; give " + v.name +
                                     " = number before the first component");
            if (it != initial_.end()) {
                if (!p.rate)
                    throw InputError(m_.file, it->second.second,
                                     "'" + v.name +
                                         "' has an initial value and is no state; define dot(...)");
                v.initial = expression(it->second.first, it->second.second, p);
                initial_.erase(it);
            }
        }
        if (!initial_.empty())
            throw InputError(m_.file, initial_.begin()->second.second,
                             "an initial value is given for '" + initial_.begin()->first +
                                 "', which the model does not define");
        for (std::size_t i = 0; i < m_.variants.size(); ++i)
            split_variant(m_.variants[i], variant_lines_[i]);
        neutral_parameters();
    }

    /// neutral: component.variable; ...
    void neutral_parameters()
    {
        std::istringstream in(neutral_.first);
        for (std::string item; std::getline(in, item, ';');) {
            const auto name = trimmed(item);
            const auto it = names_.find(name);
            if (it == names_.end() || m_.variables[it->second].value == no_node ||
                !m_.graph.is_constant(m_.variables[it->second].value))
                throw InputError(m_.file, neutral_.second,
                                 "'" + name +
                                     "' is no parameter; write neutral: component.variable; ... "
                                     "with variables that are numbers");
            m_.neutral.push_back(it->second);
        }
    }

    void split_variant(Variant& v, long line) const
    {
        std::vector<std::pair<std::string, double>> parameters;
        for (const auto& [name, x] : v.parameters) {
            const auto it = names_.find(name);
            if (it == names_.end())
                throw InputError(m_.file, line,
                                 "variant '" + v.name + "' sets unknown variable '" + name + "'");
            (m_.variables[it->second].rate != no_node ? v.initial : parameters)
                .emplace_back(name, x);
        }
        v.parameters = std::move(parameters);
    }

    std::vector<MmtLine> lines_;
    ModelText m_;
    std::size_t at_ = 0;
    std::string section_, component_;
    bool seen_model_ = false;
    std::vector<std::pair<int, std::uint32_t>>
        parents_; ///< indent and variable of the open nesting
    std::map<std::string, std::uint32_t> names_;
    std::map<std::string, std::string> aliases_;
    std::map<std::string, std::pair<std::string, long>> initial_;
    std::map<std::string, MmtFunction> functions_;
    std::size_t calls_ = 0;
    std::vector<Pending> pending_;
    std::vector<long> variant_lines_;
    std::pair<std::string, long> neutral_; ///< the list and its line
};

} // namespace

ModelText parse_mmt(std::string_view text, const std::string& file)
{
    return MmtReader(text, file).read();
}

} // namespace tawara::cell::compiler
