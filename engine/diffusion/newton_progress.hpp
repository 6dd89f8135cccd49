// SPDX-License-Identifier: GPL-3.0-or-later
// What Newton's method decides from the sizes of residuals and corrections: one code for hosts and
// devices, with the same bits on both.
#pragma once
#include "engine/core/everywhere.hpp"

#include <cfloat>
#include <cmath>

namespace tawara::diffusion {

/// How Newton's method goes on.
struct NewtonOptions
{
    double tolerance_mV = 1e-6; ///< bound of the largest residual
    int most_iterations = 20;
    int most_linear_iterations = 2000; ///< of one system
    /// Linear systems are solved until their residual is so small a part of the nonlinear one;
    /// 0: as each iteration deserves.
    double linear_part = 0;
    /// The first iteration is expected to leave its residual squared over this.
    double bend_mV = 100;
    double largest_change_mV = 50; ///< of V in one iteration
};

/// Newton's method between two looks at a system. V's residual is looked at first (begin), then, as
/// long as it goes on, a correction is found (corrected), and a share of it tried (tried).
struct NewtonProgress
{
    double residual_mV = 0; ///< the largest, of V
    double share = 1;       ///< of the correction that is to be tried
    double gained = 0;      ///< the last iteration's residual over the one before; 0: none yet
    int iterations = 0, halvings = 0;
    bool goes_on = true, converged = false;

    TAWARA_EVERYWHERE void begin(double largest_mV, const NewtonOptions& o)
    {
        *this = {};
        accept(largest_mV, o);
    }
    /// Of the linear system's residual, the part that it may leave (Eisenstat and Walker 1996,
    /// choice 2; the first by its own residual, so that a good guess needs no second).
    TAWARA_EVERYWHERE double linear_part(const NewtonOptions& o) const
    {
        const double left = iterations == 0 ? residual_mV / o.bend_mV : 0.9 * gained * gained;
        const double deserved = std::fmin(std::fmax(left, 1e-6), 0.1);
        return std::fmax(o.linear_part > 0 ? o.linear_part : deserved,
                         std::fmin(0.1, 0.1 * o.tolerance_mV / residual_mV));
    }
    /// A correction was found. @param largest_mV  its largest value
    TAWARA_EVERYWHERE void corrected(double largest_mV, const NewtonOptions& o)
    {
        share = std::fmin(1.0, o.largest_change_mV / largest_mV);
        halvings = 0;
    }
    /// The residual of the trial was found.
    /// @return whether the trial becomes V; otherwise, if it goes on, half the share is to be tried
    TAWARA_EVERYWHERE bool tried(double largest_mV, const NewtonOptions& o)
    {
        constexpr int most_trials = 8;
        if (!(largest_mV < std::fma(-1e-4, share, 1.0) * residual_mV)) {
            share /= 2;
            goes_on = ++halvings < most_trials;
            return false;
        }
        gained = largest_mV / residual_mV;
        ++iterations;
        accept(largest_mV, o);
        return true;
    }

  private:
    TAWARA_EVERYWHERE void accept(double largest_mV, const NewtonOptions& o)
    {
        residual_mV = largest_mV;
        converged = largest_mV <= o.tolerance_mV;
        goes_on = !converged && iterations < o.most_iterations && largest_mV <= DBL_MAX;
    }
};

} // namespace tawara::diffusion
