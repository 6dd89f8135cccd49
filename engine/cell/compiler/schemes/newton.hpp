// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/step_nodes.hpp"
#include "engine/cell/compiler/system.hpp"

namespace tawara::cell::compiler {

/// How backward Euler is solved. The iterations are counted beforehand, and every cell makes all of
/// them.
struct NewtonOptions
{
    int exact = 4;      ///< iterations with a Jacobian of their own
    int simplified = 2; ///< iterations after these with the last one's
    /// The last correction may be so large, relative to |y| and a floor of each state (V: 100 mV);
    /// more means not converged. What is left behind it is far smaller.
    double tolerance = 1e-3;
    /// A correction that would move V by more is shortened as a whole: during the upstroke full
    /// steps go astray.
    double largest_change_mV = 20;
    /// A correction of V that is larger and leads where V was found not to lie is halved instead.
    double smallest_halving_mV = 0.2;
    /// Slopes overflow there at smaller values.
    bool single_precision = false;
};

/// States after a step of backward Euler, y1 = y + dt f(y1, t + dt), by Newton's method
///
///     y1 <- y1 - (I - dt J)^-1 (y1 - y - dt f(y1)),   from y1 = the single-iteration step,
///
/// with the exact Jacobian J by symbolic differentiation, eliminated symbolically once for its
/// pattern of non-zeros (diagonal pivots in the order of least fill, Markowitz). Parts of the step:
/// the start, an exact iteration, a simplified one, the verdict. Gates of V alone are what each
/// iteration's V makes of them, so that their equations always hold: in the upstroke that saves an
/// iteration or two. Pivots of other states are at least 0.1, slopes that overflow count as 0, and
/// V stays between the values that proved too low and too high. Gates are kept in [0, 1], and the
/// start's V where no iteration leaves +-1000 mV. A cell whose last correction is beyond the
/// tolerance gets V = NaN, so that the step's verdict stops the run, and no wrong solution goes
/// on.
StepNodes newton_step(CellSystem& s, const std::vector<Node>& start,
                      const NewtonOptions& options = {});

} // namespace tawara::cell::compiler
