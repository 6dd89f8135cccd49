// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/equations/own_stimulus.hpp"

#include "engine/cell/compiler/equations/recognise.hpp"
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tawara::cell::compiler {
namespace {

constexpr double window_ms = 2000, sample_ms = 0.05;
constexpr double least_pA_per_pF = 0.1; ///< what is smaller is no stimulus

/// Which repetition of an event a time falls into, or -1 before it and after its last.
double repetition(const PaceEvent& e, double t)
{
    if (t < e.start)
        return -1;
    const double k = e.period > 0 ? std::floor((t - e.start) / e.period) : 0;
    return e.period > 0 && e.count > 0 && k >= e.count ? -1 : k;
}

/// Variables that an equation of the text refers to.
std::vector<std::uint32_t> used_by(const ModelText& m, Node equation)
{
    std::vector<std::uint32_t> out;
    if (equation != no_node)
        for (const Node n : reachable(m.graph, std::span(&equation, 1)))
            if (m.graph.op(n) == Op::symbol)
                out.push_back(m.graph.symbol_of(n) & ~rate_flag);
    return out;
}

/// Those and what their equations refer to, the nearest first; not beyond states.
std::vector<std::uint32_t> all_used_by(const ModelText& m, Node equation)
{
    auto out = used_by(m, equation);
    std::vector<bool> seen(m.variables.size());
    std::erase_if(out, [&](auto i) {
        const bool before = seen[i];
        seen[i] = true;
        return before;
    });
    for (std::size_t k = 0; k < out.size(); ++k)
        if (m.variables[out[k]].rate == no_node)
            for (const auto i : used_by(m, m.variables[out[k]].value))
                if (!seen[i]) {
                    seen[i] = true;
                    out.push_back(i);
                }
    return out;
}

/// The variable nearest to dV/dt that depends on the time and on no state; empty: none, or the file
/// cannot be read any more.
std::string timed_variable(const CellSystem& s)
{
    ModelText m;
    try {
        m = read_model(s.file);
    } catch (const InputError&) {
        return {};
    }
    const auto v = m.find(s.potential), time = m.find(s.time);
    if (!v || !time)
        return {};
    for (const auto i : all_used_by(m, m.variables[*v].rate)) {
        const auto uses = all_used_by(m, m.variables[i].value);
        if (i != *time && !depends_on_state(m, i) &&
            std::find(uses.begin(), uses.end(), *time) != uses.end())
            return m.variables[i].name;
    }
    return {};
}

/// Values of a function of time and pace in the window; none where it depends on neither. What
/// does not vary is worked out once.
/// @throws InputError where more varies than can be sampled within seconds
std::vector<double> samples(const CellSystem& s, const Graph& g, Node function)
{
    constexpr std::size_t most_varying = 1000;
    std::vector<double> v(g.size());
    std::vector<bool> varies(g.size());
    std::vector<Node> varying;
    const auto work_out = [&](Node n) {
        double a[3] = {0, 0, 0};
        for (int i = 0; i < g.arity(n); ++i)
            a[i] = v[g.arg(n, i)];
        v[n] = g.arity(n) == 0 ? g.value(n) : apply(g.op(n), a[0], a[1], a[2]);
    };
    for (const Node n : reachable(g, std::span(&function, 1))) {
        varies[n] = g.op(n) == Op::symbol;
        for (int i = 0; i < g.arity(n); ++i)
            varies[n] = varies[n] || varies[g.arg(n, i)];
        if (varies[n])
            varying.push_back(n);
        else
            work_out(n);
    }
    if (varying.size() > most_varying)
        throw InputError(s.file, "dV/dt has more than " + std::to_string(most_varying) +
                                     " operations that depend on the time alone; a stimulus has "
                                     "some ten, simplify it");
    std::vector<double> out;
    for (double t = sample_ms / 2; t < window_ms && !varying.empty(); t += sample_ms) {
        for (const Node n : varying)
            if (g.op(n) == Op::symbol)
                v[n] = symbol_kind(g.symbol_of(n)) == Symbol::time ? t : pace_level(s.protocol, t);
            else
                work_out(n);
        out.push_back(v[function]);
    }
    return out;
}

} // namespace

double pace_level(std::span<const PaceEvent> protocol, double t)
{
    double level = 0;
    for (const PaceEvent& e : protocol) {
        const double k = repetition(e, t);
        if (k >= 0 && t - e.start - k * e.period < e.duration)
            level = e.level;
    }
    return level;
}

std::vector<double> pace_jumps(std::span<const PaceEvent> protocol, double until)
{
    std::vector<double> jumps;
    for (const PaceEvent& e : protocol)
        for (double k = 0, start = e.start; start < until && repetition(e, start) >= 0;
             start = e.start + ++k * e.period) {
            jumps.push_back(start);
            if (start + e.duration < until)
                jumps.push_back(start + e.duration);
            if (!(e.period > 0))
                break;
        }
    std::sort(jumps.begin(), jumps.end());
    jumps.erase(std::unique(jumps.begin(), jumps.end()), jumps.end());
    return jumps;
}

std::optional<OwnStimulus> own_stimulus(const CellSystem& s, std::span<const double> parameters)
{
    // dV/dt as a function of time and pace alone, everything else at its initial value
    Graph g = s.graph;
    const auto x = s.initial_values();
    const auto p = parameters.empty() ? s.parameter_values()
                                      : std::vector<double>(parameters.begin(), parameters.end());
    const Node rate = substitute(g, std::span(&s.states[0].rate, 1), [&](std::uint32_t id) {
        const auto kind = symbol_kind(id);
        return kind == Symbol::time || kind == Symbol::pace ? no_node
                                                            : g.constant(s.value(id, x, p, 0));
    })[0];
    const std::vector<double> f = samples(s, g, rate);
    if (f.empty())
        return {};
    std::vector<double> sorted = f;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(f.size() / 2),
                     sorted.end());
    const double rest = sorted[f.size() / 2];
    const auto larger = [&](double a, double b) { return std::abs(a - rest) < std::abs(b - rest); };
    const double peak = *std::max_element(f.begin(), f.end(), larger) - rest;
    if (!(std::abs(peak) > least_pA_per_pF))
        return {};
    const auto on = [&](std::size_t i) { return std::abs(f[i] - rest) > std::abs(peak) / 2; };
    std::vector<double> starts, ends;
    for (std::size_t i = 0; i < f.size(); ++i) {
        const double t = static_cast<double>(i) * sample_ms;
        if (on(i) && (i == 0 || !on(i - 1)))
            starts.push_back(t);
        if (!on(i) && i > 0 && on(i - 1))
            ends.push_back(t);
    }
    if (ends.empty())
        return {};
    OwnStimulus o;
    o.amplitude_pA_per_pF = peak;
    o.start_ms = starts[0];
    o.duration_ms = ends[0] - starts[0];
    o.period_ms = starts.size() > 1 ? starts[1] - starts[0] : 0;
    return o;
}

std::string stimulus_left_on(const CellSystem& s, std::span<const double> parameters)
{
    const auto left = own_stimulus(s, parameters);
    if (!left)
        return {};
    char pulse[120];
    std::snprintf(pulse, sizeof pulse, "%.4g pA/pF over %.4g ms from %.4g ms",
                  left->amplitude_pA_per_pF, left->duration_ms, left->start_ms);
    const std::string variable = timed_variable(s);
    const std::string help =
        variable.empty()
            ? "give it a variable of its own and name that with --stimulus COMPONENT.VARIABLE"
            : "if it is the stimulus current, name it: --stimulus " + variable +
                  " (in a session: the region's \"model_variables\": {\"stimulus\": \"" + variable +
                  "\"})";
    return s.file + ": " + (variable.empty() ? "a term of dV/dt" : "'" + variable + "'") +
           " stimulates by itself (" + pulse +
           ") and stays on; pulses from outside come on top of it; " + help;
}

} // namespace tawara::cell::compiler
