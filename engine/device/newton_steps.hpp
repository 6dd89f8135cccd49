// SPDX-License-Identifier: GPL-3.0-or-later
// How implicit steps of a tissue follow each other, wherever its vectors lie.
#pragma once
#include "engine/device/problem.hpp"
#include "engine/device/stepper.hpp"
#include "engine/diffusion/newton.hpp"

#include <vector>

namespace tawara::device {

/// What is kept of the steps of a tissue by Newton's method: V where the step under way starts and
/// ends, V where the one before it started, what stimulates the cells meanwhile [pA/pF].
enum class ImplicitVector { start, end, before, stimulus };

/// What NewtonSteps ask of a tissue: vectors of V as above, the other states before a step, and
/// those that go with its end.
class ImplicitTissue
{
  public:
    virtual ~ImplicitTissue() = default;
    /// The start is V now, and the stimulus that of now.
    virtual void begin() = 0;
    /// Whether the stimulus or a cell type is another one than when the step began.
    virtual bool changed() const = 0;
    /// Solves for the end of a step of dt, its start and the states being those at t. Newton's
    /// method begins at start + slope_ms (start - before), no farther from the start than
    /// largest_guess_mV.
    virtual diffusion::NewtonResult solve(double t_ms, double dt_ms, double slope_ms) = 0;
    static constexpr double largest_guess_mV = 5;
    /// begin(), solve() and, where that converged, keep(), leave(1) and go_on().
    virtual diffusion::NewtonResult whole(double t_ms, double dt_ms, double slope_ms);
    /// Largest |(end - start) / dt - (start - before) / before_ms|, the change of V's slope
    /// [mV/ms].
    virtual double largest_turn(double dt_ms, double before_ms) const = 0;
    /// The states become those at the end of a step of dt from t.
    virtual void keep(double t_ms, double dt_ms) = 0;
    virtual void end_is_now() = 0; ///< the end is V now, wherever the step was to lead
    virtual void go_on() = 0;      ///< before = start, start = end
    /// Sets start, before and the states aside.
    virtual void set_aside() = 0;
    /// Puts them back, as often as asked; not the states where they are those of the end.
    virtual void put_back(bool states_stay) = 0;
    /// V after the time step: start + share (end - start).
    virtual void leave(double share) = 0;
    /// @throws NewtonError by what the last solve() left, of parts of dt at t
    [[noreturn]] virtual void fail(double t_ms, double dt_ms, const diffusion::NewtonResult& r) = 0;

    virtual void forget() = 0; ///< what there was of a step under way
    /// In the mesh's order; 0 of unknowns without cells.
    virtual std::vector<double> values(ImplicitVector v) const = 0;
    virtual void set_values(ImplicitVector v, const std::vector<double>& values) = 0;
};

/// Time steps that the longest step by Newton's method may have: a power of 2, the largest that
/// fits into dt_max_ms; 1 where `adaptive` is off.
int longest_implicit(const TissueProblem& p);

/// Implicit steps of cells and diffusion at once (diffusion/newton.hpp) in double precision.
///
/// A step is one time step of the run, or, where that is wanted, several of them (`length`, a power
/// of 2): it is solved when it begins, and V moves along the straight line between its ends
/// meanwhile, so that whatever looks at single time steps finds them. The other states follow at
/// its end. Lengths are doubled while the local error of backward Euler, dt/2 times the difference
/// of two slopes of V, stays below 0.1 mV and 1 mV/ms2 dt_ms^2, and halved where it does not or
/// where Newton's method does not converge; a single time step is then cut into 2 to 64 parts
/// before the run is stopped.
/// @thread that of the stepper
class NewtonSteps
{
  public:
    /// @throws InputError where p asks for what Newton's method has no use for
    explicit NewtonSteps(const TissueProblem& p);

    /// Takes the time step that starts at t.
    /// @param steady  time steps from this one on over which the stimulus stays as it is
    /// @throws NewtonError; the tissue is unchanged then
    void step(ImplicitTissue& tissue, double t_ms, std::int64_t steady);
    int longest() const { return longest_; } ///< time steps of a step; 1: all are single
    const NewtonCounts& counts() const { return counts_; }

    /// Snapshot::implicit.
    std::vector<std::vector<double>> snapshot(const ImplicitTissue& tissue) const;
    void restore(const std::vector<std::vector<double>>& s, ImplicitTissue& tissue);

  private:
    double slope_ms(double dt_ms) const { return before_ms_ > 0 ? dt_ms / before_ms_ : 0; }
    bool counted(diffusion::NewtonResult r);
    bool solve(ImplicitTissue& tissue, double t_ms, double dt_ms);
    double local_error(const ImplicitTissue& tissue, double dt_ms) const;
    bool begin(ImplicitTissue& tissue, double t_ms, std::int64_t steady);
    void cut(ImplicitTissue& tissue, double t_ms);
    bool in_parts(ImplicitTissue& tissue, double t_ms, int parts);

    double dt_, largest_error_mV_;
    int longest_, wanted_ = 1, length_ = 1, at_ = 0;
    double before_ms_ = 0; ///< length of the last step; 0: there is none
    bool kept_ = false;    ///< the states are those of the end already
    diffusion::NewtonResult last_;
    NewtonCounts counts_;
};

} // namespace tawara::device
