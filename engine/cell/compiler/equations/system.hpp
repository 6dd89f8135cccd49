// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/parse/model_text.hpp"

#include <memory>
#include <optional>

namespace tawara::cell::compiler {

/// What a symbol of a CellSystem's graph stands for: the upper four bits; the lower ones are an
/// index.
enum class Symbol : std::uint32_t { state, parameter, time, dt, stimulus, pace, table };
constexpr std::uint32_t symbol_id(Symbol kind, std::uint32_t index = 0)
{
    return (static_cast<std::uint32_t>(kind) << 28) | index;
}
constexpr Symbol symbol_kind(std::uint32_t id)
{
    return static_cast<Symbol>(id >> 28);
}
constexpr std::uint32_t symbol_index(std::uint32_t id)
{
    return id & 0x0fffffffu;
}

/// A state whose rate is linear in itself: dy/dt = (inf - y) / tau.
struct Gate
{
    Node inf = no_node;
    Node tau = no_node;         ///< [ms]
    bool voltage_only = false;  ///< inf and tau depend on V and parameters alone
    double shortest_tau_ms = 0; ///< over V in [-100, 60] mV, other states at their initial values
    double shortest_tau_anywhere_ms = 0; ///< over V in [-200, 250] mV, where strong pulses lead
};

/// What a concentration can be, in its state's unit: 0 to 1 mol/L, and below 0 by a thousandth of
/// its initial value, which an explicit step of a store that empties may come to and leave again.
struct Range
{
    double least, most;
};

struct SystemState
{
    std::string name;      ///< short where unique, else component.variable; V first
    std::string full_name; ///< component.variable
    std::string unit, description;
    double initial = 0;
    Node rate = no_node; ///< [unit of the state / ms]
    std::optional<Gate> gate{};
    /// Written as (inf - y) / tau, no gate, and tau depends on other states than V: such a tau may
    /// get as short as it likes (O'Hara-Rudy's release, 4.7 to 0.001 ms as its store empties).
    std::optional<Gate> relaxation{};
    /// Of states whose unit is one of concentration; none where the text starts outside of it.
    std::optional<Range> range{};
    /// A concentration that the tau of a relaxation depends on: what empties this store ends
    /// faster than a step as the store gets empty, so that a step has to end it (kept_part).
    bool emptied = false;
};

/// The ordinary differential equations of a cell in Tawara's units: V in mV (when the model has a
/// voltage at all), time in ms, stimulus in pA/pF (mV/ms), positive depolarising. Everything
/// algebraic is put in place.
struct CellSystem
{
    std::string name, title, file, description;
    Graph graph;
    std::vector<SystemState> states; ///< states[0] is the membrane potential
    std::vector<ParameterInfo>
        parameters; ///< literal constants of the text that the rates depend on
    std::vector<Variant> variants;
    std::vector<PaceEvent> protocol;
    std::vector<std::pair<Scheme, double>> largest_step_ms; ///< see ModelInfo
    std::string potential, stimulus, time; ///< variables that were recognised; empty: none
    double V_in_mV = 1;                    ///< mV per unit of V in the text
    std::uint64_t digest = 0;        ///< of the files that shared_model() read it from; else 0
    std::vector<SourceFile> sources; ///< files that its text was read from, the model's own first
    /// Parameters that with their defaults change nothing (.mmt: "neutral: component.variable;
    /// ..."), as currents of disease that a normal cell does not have; ascending.
    std::vector<std::size_t> neutral;
    /// The equations with those as constants, so that they cost a normal cell nothing and leave its
    /// results as they are without them, bit for bit. The same states and parameters. None where
    /// nothing is neutral.
    std::shared_ptr<const CellSystem> plain;

    std::vector<Node> rates() const;
    /// Values of symbols from state and parameter values.
    double value(std::uint32_t symbol, std::span<const double> states,
                 std::span<const double> parameters, double t_ms, double stimulus = 0,
                 double pace = 0) const;
    std::vector<double> initial_values() const;
    std::vector<double> parameter_values() const;
};

/// How the special variables are found when names and metadata do not say.
struct ResolveOptions
{
    std::string potential, stimulus, time; ///< component.variable; empty: recognise
    /// Keep the stimulus of the file (a function of time and pace) in place of the outside one.
    bool own_stimulus = false;
};

/// Puts a model's equations into the form above.
/// @throws InputError for circular or missing definitions, no state, or a potential that is unclear
/// (then
///         the candidates are named and ResolveOptions can say)
CellSystem resolve(ModelText model, const ResolveOptions& options = {});

/// Finds the gates and the relaxations among the states (called by resolve()).
void recognise_gates(CellSystem& s);

} // namespace tawara::cell::compiler
