// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/equations/system.hpp"
#include "engine/cell/compiler/schemes/step_nodes.hpp"

namespace tawara::cell::compiler {

/// States after one step (from the old ones). With f = dy/dt and a = df/dy, exact by
/// symbolic differentiation (of rates whose removable singularities are removed: s has these then):
///
///     forward_euler          y + dt f
///     rk4                    the classical fourth-order method
///     rush_larsen            gates and relaxations: inf + (y - inf) exp(-dt / tau); others forward
///                            Euler
///     rush_larsen_light      the same for stiff gates alone (shortest tau below stiff_tau_ms);
///                            for gates that strong pulses can make as stiff, and relaxations,
///                            y + min(dt / tau, 1) (inf - y), forward Euler that never passes inf
///     grl1                   y + f (exp(a dt) - 1) / a for every state
///     grl2                   grl1 over dt/2, then f and a at the middle, with the own state back
///     backward_euler_single  y + dt f / (1 - dt a)
///     backward_euler         y1 = y + dt f(y1) by Newton's method (newton.hpp), in several parts;
///                            V is NaN where it does not converge
///
/// All but backward_euler leave kept_part of what a store held that its own release ends
/// (SystemState::emptied), and Rush-Larsen's forms and GRL1 step that release by its tau after the
/// step: O'Hara-Rudy's of 1 mM/ms ends within 0.001 ms when its store is empty, and would else
/// take more than the store holds in any longer step.
///
/// V tells where a concentration has left its range (ranges.hpp).
///
/// @param single_precision  the step will be computed so: slopes may overflow
/// @throws InputError for cvode, which is no scheme of fixed steps
StepNodes step_nodes(CellSystem& s, Scheme scheme, bool single_precision = false);

/// What an implicit step of a tissue asks of a cell (newton.hpp, source_step()): the states, V as
/// given or as watch_ranges() makes it, and behind them F and F'.
StepNodes source_nodes(CellSystem& s, bool single_precision = false);

/// What an implicit step of a cable asks of its membrane: the other states after a step of `scheme`
/// in which V stays as it is, and behind them the rate of V f [mV/ms] that the membrane makes with
/// V and these states, and its slope by V with them held [1/ms]. V as given or as watch_ranges()
/// makes it.
/// @throws InputError for cvode and backward_euler
StepNodes cable_nodes(CellSystem& s, Scheme scheme, bool single_precision = false);

/// No step, but the rate of V that the membrane makes [mV/ms], in place of V; all other states
/// stay.
StepNodes current_nodes(CellSystem& s);

/// The scheme of a step that is some hundredths of a model's fastest rates at rest long, for tissue
/// that hardly changes meanwhile: Rush-Larsen; where another state than a gate would then change by
/// its own slope too fast (longest_ms times that slope of 0.5 or more), or where the short steps
/// are not Rush-Larsen's or Euler's, GRL1.
Scheme scheme_of_long_steps(const CellSystem& s, Scheme short_steps, double longest_ms);

inline constexpr double stiff_tau_ms = 0.05;
/// Gates that get faster than this where strong pulses take V (Gate::shortest_tau_anywhere_ms) are
/// held at inf by rush_larsen_light: TT06's j has tau 0.2 ms at 40 mV, 0.003 at 110.
inline constexpr double held_tau_ms = 0.1;
/// Gates that are always slower have the form of GRL1 in Rush-Larsen's step too, the same but for
/// rounding: it keeps the digits of 1 - exp(-dt / tau) in single precision.
inline constexpr double slow_tau_ms = 100;

/// So little that the release ends within the step: O'Hara-Rudy's tau, 4.75 ms / (1 + 0.0123 mM /
/// CaJSR), is then short against it.
inline constexpr double kept_part = 1e-3;

/// The schemes that step_nodes() knows.
std::vector<Scheme> compiled_schemes();

} // namespace tawara::cell::compiler
