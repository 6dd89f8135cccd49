// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/schemes/schemes.hpp"

#include "engine/cell/compiler/equations/ranges.hpp"
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/optimise/optimise.hpp"
#include "engine/cell/compiler/schemes/newton.hpp"
#include "engine/core/error.hpp"

namespace tawara::cell::compiler {
namespace {

class Stepper
{
  public:
    Stepper(CellSystem& s, bool single_precision)
        : s_(s), g_(s.graph), single_(single_precision), dt_(g_.symbol(symbol_id(Symbol::dt)))
    {
        for (std::uint32_t k = 0; k < s.states.size(); ++k)
            y_.push_back(g_.symbol(symbol_id(Symbol::state, k)));
    }

    StepNodes run(Scheme scheme)
    {
        auto f = s_.rates();
        std::vector<Node> out;
        if (scheme == Scheme::rk4)
            return {{}, kept(rk4(f))};
        if (scheme == Scheme::grl1 || scheme == Scheme::grl2 ||
            scheme == Scheme::backward_euler_single || scheme == Scheme::backward_euler)
            f = closed();
        if (scheme == Scheme::grl2)
            return {{}, kept(grl2(f))};
        const bool newton = scheme == Scheme::backward_euler;
        for (std::uint32_t k = 0; k < f.size(); ++k)
            out.push_back(one(newton ? Scheme::backward_euler_single : scheme, k, f[k]));
        if (!newton) {
            out = kept(std::move(out));
            end_relaxations(scheme, out);
            return {{}, out};
        }
        return newton_step(s_, out, newton_options());
    }
    StepNodes source()
    {
        const auto f = closed();
        std::vector<Node> start;
        for (std::uint32_t k = 0; k < f.size(); ++k)
            start.push_back(one(Scheme::backward_euler_single, k, f[k]));
        auto o = newton_options();
        o.tolerance = 1e-6; // the tissue's own iterations go on from what is found here
        o.accepted = 1e-4;
        return source_step(s_, start, o);
    }
    StepNodes with_V_held(Scheme scheme)
    {
        if (scheme == Scheme::backward_euler)
            throw InputError("--scheme", "",
                             "backward_euler steps V together with the other states, which cables "
                             "cannot take; use rush_larsen, rush_larsen_light, grl1 or grl2");
        const Node f = closed()[0];
        s_.states[0].rate = c(0);
        std::vector<Node> next = run(scheme).next;
        next[0] = y_[0];
        const auto at_end =
            at({f, slope(0, f)}, next, n(Op::add, g_.symbol(symbol_id(Symbol::time)), dt_));
        next.insert(next.end(), at_end.begin(), at_end.end());
        return {{}, next};
    }

  private:
    NewtonOptions newton_options() const
    {
        NewtonOptions o;
        o.single_precision = single_;
        return o;
    }
    /// The rates, whose removable singularities s loses: the slope of what is 0 / 0 somewhere would
    /// be so there too.
    std::vector<Node> closed()
    {
        auto f = s_.rates();
        remove_singularities(g_, f, s_.parameter_values());
        for (std::uint32_t k = 0; k < f.size(); ++k)
            s_.states[k].rate = f[k];
        return f;
    }
    Node n(Op op, Node a, Node b = no_node) { return simple(g_, op, a, b); }
    Node c(double v) { return g_.constant(v); }
    Node euler(Node y, Node h, Node f) { return n(Op::add, y, n(Op::mul, h, f)); }
    Node slope(std::uint32_t k, Node f)
    {
        return differentiate(g_, std::span(&f, 1), symbol_id(Symbol::state, k))[0];
    }

    Node one(Scheme scheme, std::uint32_t k, Node f)
    {
        const auto& gate = s_.states[k].gate;
        switch (scheme) {
        case Scheme::forward_euler:
            return euler(y_[k], dt_, f);
        case Scheme::rush_larsen:
        case Scheme::rush_larsen_light:
            if (gate && (scheme == Scheme::rush_larsen || gate->shortest_tau_ms < stiff_tau_ms)) {
                if (gate->shortest_tau_ms >= slow_tau_ms)
                    return exponential(y_[k], f, slope(k, f), dt_);
                return decayed(y_[k], *gate);
            }
            if (gate && gate->shortest_tau_anywhere_ms < held_tau_ms)
                return held(y_[k], *gate);
            return euler(y_[k], dt_, f);
        case Scheme::grl1:
            if (gate) // the same, shorter
                return one(Scheme::rush_larsen, k, f);
            return exponential(y_[k], f, slope(k, f), dt_);
        case Scheme::backward_euler_single:
            return n(
                Op::add, y_[k],
                n(Op::div, n(Op::mul, dt_, f), n(Op::sub, c(1), n(Op::mul, dt_, slope(k, f)))));
        default:
            throw InputError(
                "--scheme", "",
                "scheme '" + std::string(name(scheme)) +
                    "' is not compiled; use rush_larsen, rush_larsen_light, grl1 or grl2");
        }
    }

    /// The states after a step that leaves some of what a store held.
    std::vector<Node> kept(std::vector<Node> next)
    {
        for (std::size_t k = 0; k < next.size(); ++k)
            if (s_.states[k].emptied)
                next[k] = n(Op::max, next[k], n(Op::mul, c(kept_part), y_[k]));
        return next;
    }

    /// Relaxations by the tau of what is left in the stores after the step.
    void end_relaxations(Scheme scheme, std::vector<Node>& next)
    {
        if (scheme != Scheme::rush_larsen && scheme != Scheme::rush_larsen_light &&
            scheme != Scheme::grl1)
            return;
        for (std::uint32_t k = 0; k < next.size(); ++k) {
            const auto& relaxation = s_.states[k].relaxation;
            if (!relaxation)
                continue;
            Gate after = *relaxation;
            after.tau = substitute(g_, std::span(&after.tau, 1), [&](std::uint32_t id) {
                return symbol_kind(id) == Symbol::state && s_.states[symbol_index(id)].emptied
                           ? next[symbol_index(id)]
                           : no_node;
            })[0];
            next[k] =
                scheme == Scheme::rush_larsen_light ? held(y_[k], after) : decayed(y_[k], after);
        }
    }

    /// inf + (y - inf) exp(-dt / tau)
    Node decayed(Node y, const Gate& g)
    {
        const Node decay = n(Op::exp, n(Op::div, n(Op::neg, dt_), g.tau));
        return n(Op::add, g.inf, n(Op::mul, n(Op::sub, y, g.inf), decay));
    }

    /// Forward Euler that never passes inf.
    Node held(Node y, const Gate& g)
    {
        const Node share = n(Op::min, n(Op::div, dt_, g.tau), c(1));
        return n(Op::add, y, n(Op::mul, share, n(Op::sub, g.inf, y)));
    }

    /// y + f (exp(a h) - 1) / a = y + h f / linexp(a h), which is forward Euler where a = 0.
    Node exponential(Node y, Node f, Node a, Node h)
    {
        if (g_.is_constant(a, 0))
            return euler(y, h, f);
        return n(Op::add, y, n(Op::div, n(Op::mul, h, f), n(Op::linexp, n(Op::mul, a, h))));
    }

    std::vector<Node> at(const std::vector<Node>& f, const std::vector<Node>& y, Node t)
    {
        return substitute(g_, f, [&](std::uint32_t id) {
            return symbol_kind(id) == Symbol::state  ? y[symbol_index(id)]
                   : symbol_kind(id) == Symbol::time ? t
                                                     : no_node;
        });
    }

    std::vector<Node> moved(const std::vector<Node>& f, Node h)
    {
        std::vector<Node> y;
        for (std::size_t k = 0; k < f.size(); ++k)
            y.push_back(euler(y_[k], h, f[k]));
        return y;
    }

    std::vector<Node> rk4(const std::vector<Node>& f)
    {
        const Node half = n(Op::mul, dt_, c(0.5)), t = g_.symbol(symbol_id(Symbol::time));
        const auto k2 = at(f, moved(f, half), n(Op::add, t, half));
        const auto k3 = at(f, moved(k2, half), n(Op::add, t, half));
        const auto k4 = at(f, moved(k3, dt_), n(Op::add, t, dt_));
        std::vector<Node> sum;
        for (std::size_t k = 0; k < f.size(); ++k)
            sum.push_back(
                n(Op::mul, c(1.0 / 6),
                  n(Op::add, n(Op::add, f[k], k4[k]), n(Op::mul, c(2), n(Op::add, k2[k], k3[k])))));
        return moved(sum, dt_);
    }

    std::vector<Node> grl2(const std::vector<Node>& f)
    {
        const Node half = n(Op::mul, dt_, c(0.5)), t = g_.symbol(symbol_id(Symbol::time));
        std::vector<Node> middle, out;
        for (std::uint32_t k = 0; k < f.size(); ++k)
            middle.push_back(exponential(y_[k], f[k], slope(k, f[k]), half));
        for (std::uint32_t k = 0; k < f.size(); ++k) {
            auto y = middle;
            y[k] = y_[k];
            const auto fa = at({f[k], slope(k, f[k])}, y, n(Op::add, t, half));
            out.push_back(g_.is_constant(fa[1], 0) ? euler(y_[k], dt_, fa[0])
                                                   : n(Op::add, y_[k],
                                                       n(Op::div, n(Op::mul, dt_, fa[0]),
                                                         n(Op::linexp, n(Op::mul, fa[1], dt_)))));
        }
        return out;
    }

    CellSystem& s_;
    Graph& g_;
    bool single_;
    Node dt_;
    std::vector<Node> y_;
};

} // namespace

StepNodes step_nodes(CellSystem& s, Scheme scheme, bool single_precision)
{
    auto step = Stepper(s, single_precision).run(scheme);
    watch_ranges(s, step.next);
    return step;
}

StepNodes source_nodes(CellSystem& s, bool single_precision)
{
    auto step = Stepper(s, single_precision).source();
    watch_ranges(s, step.next);
    return step;
}

StepNodes cable_nodes(CellSystem& s, Scheme scheme, bool single_precision)
{
    auto step = Stepper(s, single_precision).with_V_held(scheme);
    watch_ranges(s, step.next);
    return step;
}

StepNodes current_nodes(CellSystem& s)
{
    StepNodes out;
    out.next.push_back(s.rates()[0]);
    for (std::uint32_t k = 1; k < s.states.size(); ++k)
        out.next.push_back(s.graph.symbol(symbol_id(Symbol::state, k)));
    return out;
}

Scheme scheme_of_long_steps(const CellSystem& system, Scheme short_steps, double longest_ms)
{
    if (short_steps == Scheme::grl1 || short_steps == Scheme::grl2 ||
        short_steps == Scheme::backward_euler_single || short_steps == Scheme::backward_euler)
        return Scheme::grl1;
    CellSystem s = system;
    const auto rates = s.rates();
    const auto initial = s.initial_values(), parameters = s.parameter_values();
    for (std::uint32_t k = 0; k < s.states.size(); ++k) {
        if (s.states[k].gate)
            continue;
        const Node slope =
            differentiate(s.graph, std::span(&rates[k], 1), symbol_id(Symbol::state, k))[0];
        const double a = evaluate(
            s.graph, slope, [&](std::uint32_t id) { return s.value(id, initial, parameters, 0); });
        if (!(-a * longest_ms < 0.5))
            return Scheme::grl1;
    }
    return Scheme::rush_larsen;
}

std::vector<Scheme> compiled_schemes()
{
    return {Scheme::forward_euler,         Scheme::rk4,           Scheme::rush_larsen,
            Scheme::rush_larsen_light,     Scheme::grl1,          Scheme::grl2,
            Scheme::backward_euler_single, Scheme::backward_euler};
}

} // namespace tawara::cell::compiler
