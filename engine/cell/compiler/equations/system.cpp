// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/equations/system.hpp"

#include "engine/cell/compiler/equations/recognise.hpp"
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::cell::compiler {
namespace {

constexpr std::uint32_t stimulus_probe =
    symbol_id(Symbol::table, 0x0ffffffe); ///< stands for i_stim meanwhile
constexpr std::size_t most_states = 2000; ///< what follows takes time with their square

class Resolver
{
  public:
    /// @param fixed  parameters that are constants
    Resolver(ModelText& m, const ResolveOptions& o, std::vector<std::uint32_t> fixed = {})
        : m_(m), o_(o), g_(m.graph), fixed_(std::move(fixed))
    {
    }
    /// Gives parameters their first numbers, by full names.
    void number_first(const std::vector<ParameterInfo>& parameters)
    {
        for (const auto& p : parameters)
            parameter_of_.emplace(*m_.find(p.full_name), parameter_of_.size());
    }

    CellSystem run()
    {
        find_special();
        std::vector<std::uint32_t> order{*v_};
        for (std::uint32_t i = 0; i < m_.variables.size(); ++i)
            if (m_.variables[i].rate != no_node && i != *v_)
                order.push_back(i);
        if (order.size() > most_states)
            m_.fail(order[most_states], "the model has more than " + std::to_string(most_states) +
                                            " states; a cell has some tens");
        for (std::uint32_t k = 0; k < order.size(); ++k)
            state_of_[order[k]] = k;
        done_.assign(2 * m_.variables.size(), no_node);
        open_.assign(done_.size(), false);
        std::vector<Node> rates;
        for (const auto i : order)
            rates.push_back(resolved(i, true));
        outside_stimulus(rates);
        return finish(order, rates);
    }

  private:
    std::optional<std::uint32_t> named(const std::string& name, const char* what) const
    {
        const auto i = m_.find(name);
        if (!i) {
            std::vector<std::string> known;
            for (const auto& v : m_.variables)
                known.push_back(v.name);
            throw InputError(m_.file, "there is no variable '" + name + "' to be the " + what +
                                          hint(name, known));
        }
        return i;
    }

    void find_special()
    {
        if (std::none_of(m_.variables.begin(), m_.variables.end(),
                         [](const auto& v) { return v.rate != no_node; }))
            throw InputError(m_.file, 1,
                             "the model has no differential equation; there is nothing to step");
        v_ = o_.potential.empty() ? recognise_potential(m_)
                                  : named(o_.potential, "membrane potential");
        if (!v_)
            throw InputError(
                m_.file, 1,
                "no state looks like the membrane potential; say which one it is, e.g. "
                "--membrane-potential component.variable (in a session: the region's "
                "\"model_variables\")");
        if (m_.variables[*v_].rate == no_node)
            m_.fail(*v_, "'" + m_.variables[*v_].name +
                             "' is no state and cannot be the membrane potential");
        time_ = o_.time.empty() ? recognise_time(m_) : named(o_.time, "time");
        stimulus_ =
            o_.stimulus.empty() ? recognise_stimulus(m_) : named(o_.stimulus, "stimulus current");
        const Units volt = *built_in_units("volt"), second = *built_in_units("second");
        if (!o_.time.empty())
            need_free_of_states(*time_, "time");
        if (!o_.stimulus.empty())
            need_free_of_states(*stimulus_, "stimulus current");
        need_unit(v_, {volt}, "membrane potential", "[mV] or another unit of voltage");
        need_unit(time_, {second}, "time", "[ms] or another unit of time");
        need_unit(stimulus_, currents(), "stimulus current",
                  "[A/F], [uA/cm^2], [pA] or another unit of current");
        const auto& vu = m_.variables[*v_].units;
        if (vu && vu->compatible(volt))
            mV_ = vu->factor / 1e-3;
        if (time_ && m_.variables[*time_].units && m_.variables[*time_].units->compatible(second))
            ms_ = m_.variables[*time_].units->factor / 1e-3;
    }

    /// Currents and fluxes, whatever they are divided by that is a length, an area or a volume, and
    /// what such a current is over a capacitance.
    static std::vector<Units> currents()
    {
        std::vector<Units> out{*parse_short_units("V/s"), *parse_short_units("1/s")};
        for (const char* whole : {"A", "mol/s"})
            for (const double metres : {0, -1, -2, -3})
                out.push_back(
                    product(*parse_short_units(whole), raised(*built_in_units("metre"), metres)));
        return out;
    }

    /// Refuses a declared unit of another quantity. None, a bare number and what is made of base
    /// units of the file's own say nothing against it.
    void need_unit(const std::optional<std::uint32_t>& i, const std::vector<Units>& fits,
                   const std::string& what, const std::string& right) const
    {
        if (!i || !m_.variables[*i].units)
            return;
        const ModelVariable& v = m_.variables[*i];
        const bool own = std::any_of(v.units->powers.begin(), v.units->powers.end(),
                                     [](const auto& p) { return p.first.starts_with("'"); });
        if (own || v.units->compatible(Units{}) ||
            std::any_of(fits.begin(), fits.end(),
                        [&](const Units& u) { return v.units->compatible(u); }))
            return;
        m_.fail(*i, "'" + v.name + "' is in " + v.unit_text + " and cannot be the " + what +
                        "; it should be in " + right + ", or without a unit");
    }

    void need_free_of_states(std::uint32_t i, const std::string& what) const
    {
        const ModelVariable& v = m_.variables[i];
        if (depends_on_state(m_, i))
            m_.fail(i, "'" + v.name + "' " +
                           (v.rate != no_node ? "is a state" : "depends on the cell's states") +
                           " and cannot be the " + what);
    }

    /// Nodes that a definition of the text refers to, as (variable, is rate).
    std::vector<std::pair<std::uint32_t, bool>> uses(Node definition) const
    {
        std::vector<std::pair<std::uint32_t, bool>> out;
        for (const Node n : reachable(g_, std::span(&definition, 1)))
            if (g_.op(n) == Op::symbol)
                out.emplace_back(g_.symbol_of(n) & ~rate_flag, (g_.symbol_of(n) & rate_flag) != 0);
        return out;
    }

    std::size_t slot(std::uint32_t v, bool rate) const { return 2 * std::size_t{v} + rate; }

    /// What a variable without need of others is; no_node when it has to be worked out.
    Node immediate(std::uint32_t i, bool rate)
    {
        const ModelVariable& v = m_.variables[i];
        if (rate)
            return no_node;
        if (const auto s = state_of_.find(i); s != state_of_.end()) {
            const Node n = g_.symbol(symbol_id(Symbol::state, s->second));
            return i == *v_ ? simple(g_, Op::mul, n, g_.constant(1 / mV_)) : n;
        }
        if (time_ && i == *time_)
            return simple(g_, Op::mul, g_.symbol(symbol_id(Symbol::time)), g_.constant(1 / ms_));
        if (stimulus_ && i == *stimulus_ && !o_.own_stimulus)
            return g_.symbol(stimulus_probe);
        if (v.binding == "pace")
            return o_.own_stimulus ? g_.symbol(symbol_id(Symbol::pace)) : g_.constant(0);
        if (std::find(fixed_.begin(), fixed_.end(), i) != fixed_.end())
            return v.value;
        if (v.value != no_node && g_.is_constant(v.value)) {
            const auto [p, fresh] = parameter_of_.emplace(i, parameter_of_.size());
            return g_.symbol(symbol_id(Symbol::parameter, static_cast<std::uint32_t>(p->second)));
        }
        return no_node;
    }

    Node definition(std::uint32_t i, bool rate) const
    {
        const ModelVariable& v = m_.variables[i];
        const Node d = rate ? v.rate : v.value;
        if (d == no_node)
            m_.fail(i, rate ? "the derivative of '" + v.name + "' is used and it is no state"
                            : "'" + v.name +
                                  "' is used and has neither an equation nor a value; give one");
        return d;
    }

    /// Depth-first, with a stack of its own: text cannot make it overflow.
    Node resolved(std::uint32_t first, bool first_rate)
    {
        struct Frame
        {
            std::uint32_t variable;
            bool rate;
            std::vector<std::pair<std::uint32_t, bool>> needs;
            std::size_t next = 0;
        };
        std::vector<Frame> stack;
        const auto enter = [&](std::uint32_t i, bool rate) {
            if (done_[slot(i, rate)] != no_node)
                return;
            if (const Node n = immediate(i, rate); n != no_node) {
                done_[slot(i, rate)] = n;
                return;
            }
            if (open_[slot(i, rate)])
                m_.fail(i, "'" + m_.variables[i].name + "' depends on itself, by way of '" +
                               m_.variables[stack.back().variable].name + "'; break the circle");
            open_[slot(i, rate)] = true;
            stack.push_back({i, rate, uses(definition(i, rate))});
        };
        enter(first, first_rate);
        while (!stack.empty()) {
            Frame& f = stack.back();
            if (f.next < f.needs.size()) {
                const auto [i, rate] = f.needs[f.next++];
                enter(i, rate);
                continue;
            }
            const Node d = definition(f.variable, f.rate);
            done_[slot(f.variable, f.rate)] =
                substitute(g_, std::span(&d, 1), [&](std::uint32_t s) {
                    return done_[slot(s & ~rate_flag, (s & rate_flag) != 0)];
                })[0];
            stack.pop_back();
        }
        return done_[slot(first, first_rate)];
    }

    /// Replaces the stimulus of the text by one from outside: with c = d(dV/dt) / d(i_stim), i_stim
    /// is stimulus / c, whatever its unit and sign are in this model.
    void outside_stimulus(std::vector<Node>& rates)
    {
        const Node stimulus = g_.symbol(symbol_id(Symbol::stimulus));
        const double scale = mV_ / ms_; // dV/dt of the text to mV/ms
        const Node probe = g_.symbol(stimulus_probe);
        Node by = no_node;
        if (stimulus_ && !o_.own_stimulus && depends_on(g_, rates[0], stimulus_probe)) {
            const Node c = differentiate(g_, std::span(rates.data(), 1), stimulus_probe)[0];
            for (const Node n : reachable(g_, std::span(&c, 1)))
                if (g_.op(n) == Op::symbol && symbol_kind(g_.symbol_of(n)) != Symbol::parameter)
                    m_.fail(*stimulus_, "dV/dt is not linear in the stimulus current '" +
                                            m_.variables[*stimulus_].name +
                                            "'; say which variable it is");
            by = simple(g_, Op::div, simple(g_, Op::mul, stimulus, g_.constant(1 / scale)), c);
        } else if (!o_.own_stimulus) {
            stimulus_.reset();
            by = g_.constant(0);
            rates[0] = simple(g_, Op::add, rates[0],
                              simple(g_, Op::mul, stimulus, g_.constant(1 / scale)));
        }
        if (by != no_node)
            rates = substitute(
                g_, rates, [&](std::uint32_t s) { return g_.symbol(s) == probe ? by : no_node; });
    }

    static std::optional<Range> range_of(const std::optional<Units>& units, double initial)
    {
        static const Units mM = *parse_short_units("mmol/L");
        constexpr double rounding_mM = 1e-9, most_mM = 1000, of_initial = 1e-3;
        if (!units || !units->compatible(mM) || units->offset != 0 || !(units->factor > 0))
            return {};
        const double one_mM = mM.factor / units->factor;
        const Range r{-std::max(rounding_mM * one_mM, of_initial * initial), most_mM * one_mM};
        return initial >= r.least && initial <= r.most ? std::optional(r) : std::nullopt;
    }

    CellSystem finish(const std::vector<std::uint32_t>& order, std::vector<Node> rates)
    {
        CellSystem s;
        std::map<std::string, int> short_names;
        const auto short_of = [](const std::string& n) { return n.substr(n.rfind('.') + 1); };
        for (const auto i : order)
            ++short_names[short_of(m_.variables[i].name)];
        for (const auto& [i, p] : parameter_of_)
            ++short_names[short_of(m_.variables[i].name)];
        const auto name_of = [&](const std::string& full) {
            return short_names[short_of(full)] == 1 ? short_of(full) : full;
        };
        const auto initial = initial_values(order);
        for (std::size_t k = 0; k < order.size(); ++k) {
            const ModelVariable& v = m_.variables[order[k]];
            SystemState x{
                name_of(v.name), v.name, k == 0 ? "mV" : v.unit_text, v.description, initial[k],
                no_node,         {}};
            x.rate = simple(g_, Op::mul, rates[k], g_.constant((k == 0 ? mV_ : 1) / ms_));
            if (k > 0)
                x.range = range_of(v.units, x.initial);
            s.states.push_back(std::move(x));
        }
        if (s.states[0].name != "V" && !short_names.count("V"))
            s.states[0].name = "V";
        s.parameters.resize(parameter_of_.size());
        for (const auto& [i, p] : parameter_of_) {
            const ModelVariable& v = m_.variables[i];
            s.parameters[p] = {name_of(v.name), v.unit_text, v.description, g_.value(v.value),
                               v.name};
        }
        s.variants = m_.variants;
        for (Variant& v : s.variants)
            for (auto* list : {&v.parameters, &v.initial})
                for (auto& [name, value] : *list)
                    name = name_of(name);
        s.name = m_.name.empty() ? std::filesystem::path(m_.file).stem().string() : m_.name;
        s.title = m_.title.empty() ? s.name : m_.title;
        s.file = m_.file;
        s.sources = m_.sources;
        s.description = m_.description;
        s.largest_step_ms = m_.largest_step_ms;
        s.protocol = m_.protocol;
        for (PaceEvent& e : s.protocol) // in the model's unit of time until here
            e.start *= ms_, e.duration *= ms_, e.period *= ms_;
        s.potential = m_.variables[*v_].name;
        s.stimulus = stimulus_ ? m_.variables[*stimulus_].name : "";
        s.time = time_ ? m_.variables[*time_].name : "";
        s.V_in_mV = mV_;
        s.graph = std::move(g_);
        return s;
    }

    std::vector<double> initial_values(const std::vector<std::uint32_t>& order)
    {
        std::vector<double> out;
        for (const auto i : order) {
            const Node text = m_.variables[i].initial;
            std::vector<Node> needs;
            const auto count = parameter_of_.size();
            const Node n = substitute(g_, std::span(&text, 1), [&](std::uint32_t s) {
                return initial_symbol(s & ~rate_flag, 0);
            })[0];
            while (parameter_of_.size() >
                   count) // parameters of initial values alone are no parameters
                std::erase_if(parameter_of_, [&](const auto& p) { return p.second >= count; });
            if (!g_.is_constant(n))
                m_.fail(i, "the initial value of '" + m_.variables[i].name +
                               "' is no constant; give a number");
            out.push_back(g_.value(n) * (i == *v_ ? mV_ : 1));
        }
        return out;
    }

    Node initial_symbol(std::uint32_t i, int depth)
    {
        if (const auto it = initial_of_.find(i); it != initial_of_.end())
            return it->second;
        const ModelVariable& v = m_.variables[i];
        const Node d = v.rate != no_node ? v.initial : v.value;
        if (depth > 50 || d == no_node)
            m_.fail(i, "an initial value depends on '" + v.name +
                           "', which has no "
                           "constant value");
        const Node n = substitute(g_, std::span(&d, 1), [&](std::uint32_t s) {
            return initial_symbol(s & ~rate_flag, depth + 1);
        })[0];
        return initial_of_.emplace(i, n).first->second;
    }

    ModelText& m_;
    const ResolveOptions& o_;
    Graph& g_;
    std::optional<std::uint32_t> v_, time_, stimulus_;
    std::vector<std::uint32_t> fixed_;
    double mV_ = 1, ms_ = 1; ///< mV per unit of V, ms per unit of time, in the text
    std::map<std::uint32_t, std::uint32_t> state_of_;
    std::map<std::uint32_t, std::size_t> parameter_of_;
    std::map<std::uint32_t, Node> initial_of_; ///< initial values that were worked out
    std::vector<Node> done_;
    std::vector<bool> open_; ///< begun; with done_ still empty: a circle
};

} // namespace

std::vector<Node> CellSystem::rates() const
{
    std::vector<Node> r;
    for (const auto& s : states)
        r.push_back(s.rate);
    return r;
}

double CellSystem::value(std::uint32_t symbol, std::span<const double> x, std::span<const double> p,
                         double t_ms, double stim, double pace) const
{
    switch (symbol_kind(symbol)) {
    case Symbol::state:
        return x[symbol_index(symbol)];
    case Symbol::parameter:
        return p[symbol_index(symbol)];
    case Symbol::time:
        return t_ms;
    case Symbol::stimulus:
        return stim;
    case Symbol::pace:
        return pace;
    default:
        return 0;
    }
}

std::vector<double> CellSystem::initial_values() const
{
    std::vector<double> x;
    for (const auto& s : states)
        x.push_back(s.initial);
    return x;
}

std::vector<double> CellSystem::parameter_values() const
{
    std::vector<double> p;
    for (const auto& q : parameters)
        p.push_back(q.value);
    return p;
}

CellSystem resolve(ModelText model, const ResolveOptions& options)
{
    const std::string file = model.file;
    try {
        if (model.neutral.empty()) {
            CellSystem s = Resolver(model, options).run();
            recognise_gates(s);
            return s;
        }
        ModelText copy = model;
        auto plain = std::make_shared<CellSystem>(Resolver(copy, options, model.neutral).run());
        Resolver all(model, options);
        all.number_first(plain->parameters); // the same numbers in both
        CellSystem s = all.run();
        for (const auto v : model.neutral)
            for (std::size_t k = 0; k < s.parameters.size(); ++k)
                if (s.parameters[k].full_name == model.variables[v].name)
                    s.neutral.push_back(k);
        std::sort(s.neutral.begin(), s.neutral.end());
        recognise_gates(s);
        recognise_gates(*plain);
        for (std::size_t k = 0; k < s.states.size(); ++k)
            plain->states[k].name = s.states[k].name;
        plain->parameters = s.parameters;
        plain->neutral = s.neutral;
        plain->variants = s.variants;
        s.plain = std::move(plain);
        return s;
    } catch (const InputError&) {
        throw;
    } catch (const Error& e) {
        throw InputError(file, e.what());
    }
}

} // namespace tawara::cell::compiler
