// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/equations/system.hpp"
#include "engine/cell/compiler/schemes/step_nodes.hpp"

namespace tawara::cell::compiler {

/// How backward Euler is solved. Each cell iterates until it has converged.
struct NewtonOptions
{
    /// Iterations. Nearly all steps take one or two, Courtemanche's up to 36, and where V and
    /// another state jump together up to twice as many: only such a cell pays for them.
    int most = 80;
    /// Iterations end with a correction that is no larger than this, relative to |y| and a floor of
    /// each state (V: 100 mV). The next one, as a rule its square, is not made.
    double tolerance = 1e-4;
    /// After the most iterations the last correction may be so large; more means not converged.
    double accepted = 1e-3;
    /// V is moved by no more at once, and the other states by what follows from that: during the
    /// upstroke full steps go astray.
    double largest_change_mV = 20;
    /// A correction of V that is larger and leads where V was found not to lie is halved instead.
    double first_halving_mV = 0.2;
    /// From this iteration on that is so for all states with a slope of their own that changes, V
    /// by more than the least: Courtemanche's release gates go to and fro where they are steep.
    int bracket_from = 6;
    double least_halving_mV = 0.002;
    /// From this iteration on V may stay where it can be brought no nearer, with a correction left
    /// of no more than the largest jump: at a jump of the rates (LR91's gates at -40 mV) the
    /// equation has no solution, and V is left at the jump. Both sides of it are looked for anew
    /// from then on.
    int jump_from = 24;
    double largest_jump_mV = 5;
    /// Slopes overflow there at smaller values.
    bool single_precision = false;
    /// V stays where it is, and the other states are found that go with it (source_step()).
    bool fixed_V = false;
};

/// States after a step of backward Euler, y1 = y + dt f(y1, t + dt), by Newton's method
///
///     y1 <- y1 - (I - dt J)^-1 (y1 - y - dt f(y1)),   from y1 = the single-iteration step,
///
/// with the exact Jacobian J by symbolic differentiation, eliminated symbolically once for its
/// pattern of non-zeros (diagonal pivots in the order of least fill, Markowitz). Parts of the step:
/// the start, an iteration, the verdict. Gates of V alone are what each iteration's V makes of
/// them, so that their equations always hold: in the upstroke that saves an iteration or two.
/// Pivots of other states are at least 0.1, slopes that overflow count as 0; V's pivot is the last,
/// so that all others follow the correction of V that is made. What would leave the values that
/// proved too low and too high is put between them; they are forgotten where they have met and the
/// equation does not hold, since other states moved meanwhile. In each iteration, and at the start,
/// gates are kept in [0, 1], V in +-1000 mV, and what logarithms and roots are taken of positive.
/// A cell whose last correction is not accepted gets V = NaN, so that the step's verdict stops the
/// run, and no wrong solution goes on.
StepNodes newton_step(CellSystem& s, const std::vector<Node>& start,
                      const NewtonOptions& options = {});

/// What an implicit step of a tissue asks of a cell whose V at the end of the step is given: with
/// the other states s that solve
///
///     s - s_0 - dt g(V, s, t + dt) = 0
///
/// by the same method, the rate of V that the membrane makes and its whole derivative
///
///     F = f(V, s),   F' = f_V + f_s ds/dV,   (I - dt g_s) ds/dV = dt g_V.
///
/// The last part leaves V, s, and behind the states F [mV/ms] and F' [1/ms]; F is NaN where s was
/// not found. Holes of the model's functions (0 / 0) have to be closed before.
StepNodes source_step(CellSystem& s, const std::vector<Node>& start, NewtonOptions options = {});

} // namespace tawara::cell::compiler
