// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/cpu_kernel.hpp"
#include "engine/core/aligned.hpp"
#include "engine/core/thread_pool.hpp"
#include "engine/device/cpu/state_arrays.hpp"
#include "engine/device/layout.hpp"
#include "engine/device/stepper.hpp"
#include "engine/diffusion/newton.hpp"

#include <memory>
#include <vector>

namespace tawara::device::cpu {

/// Implicit steps of cells and diffusion at once (diffusion/newton.hpp) in double precision.
///
/// A step is one time step of the run, or, where that is wanted, several of them (`length`, a power
/// of 2): it is solved when it begins, and V moves along the straight line between its ends
/// meanwhile, so that whatever looks at single time steps finds them. The other states follow at
/// its end. Lengths are doubled while the local error of backward Euler, dt/2 times the difference
/// of two slopes of V, stays small, and halved where it does not or where Newton's method does not
/// converge; a single time step is then cut into 2 to 64 parts before the run is stopped.
/// @thread that of the stepper
class NewtonSteps
{
  public:
    NewtonSteps(const TissueProblem& p, const Layout& layout, ThreadPool& pool);

    /// What a time step reads and writes, in slots.
    struct Tissue
    {
        const double* v; ///< before it, and
        double* next;    ///< after it
        StateArrays<double>& states;
        const cell::TypeIndex* type;
        const double* stimulus; ///< null: none
        double t_ms;
        std::int64_t steady; ///< time steps from this one on over which the stimulus stays so
    };
    /// Takes a time step.
    /// @throws NewtonError; the tissue is unchanged then
    void step(const Tissue& t);
    void set_types(std::size_t group, std::span<const cell::CellType> types);
    /// Time steps of the longest step; 1: all are single.
    int longest() const { return longest_; }

    NewtonCounts counts() const { return counts_; }
    /// Cells, residuals and matrices, linear systems: what they took so far.
    std::vector<KernelRecord> kernels(const StateArrays<double>& states) const;

    /// Snapshot::implicit.
    std::vector<std::vector<double>> snapshot() const;
    void restore(const std::vector<std::vector<double>>& s);

  private:
    struct Scratch
    {
        AlignedVector<double> values;
        std::vector<double*> arrays;
    };
    /// Calls body(group, first slot, last slot, worker) for pieces of a group's slots.
    template <class Body>
    void pieces(Body&& body);
    /// F and F' of all rows at V; the states after the step go to after_, and V as they make it to
    /// told_.
    void cells(const Tissue& t, std::span<const double> v, double dt_ms, std::span<double> rate,
               std::span<double> slope);
    /// The states that go with end_ become the tissue's.
    void keep(const Tissue& t, double dt_ms);
    /// Calls body(values of a state of one group, how many, number of the array in after_).
    template <class Body>
    void each_array(const Tissue& t, Body&& body);
    bool solve(const Tissue& t, double dt_ms);
    bool in_parts(const Tissue& t, int parts);
    double local_error(double dt_ms) const;
    void begin(const Tissue& t);
    void single(const Tissue& t);
    bool stimulus_changed(const Tissue& t) const;
    [[noreturn]] void fail(const Tissue& t) const;

    const Layout& layout_;
    ThreadPool& pool_;
    std::vector<Vec3> position_;
    std::vector<std::int32_t> slot_, row_; ///< of each row; of each slot, -1: none
    diffusion::System system_;             ///< rows in the order of slots
    double dt_;
    int longest_ = 1, wanted_ = 1, length_ = 1, at_ = 0;
    diffusion::NewtonSolver solver_;
    std::vector<std::unique_ptr<cell::CpuKernel<double>>> kernels_; ///< of each group
    std::vector<std::size_t> states_;                               ///< of each group, without V
    std::vector<double> start_, end_,
        before_;             ///< V of rows: of this step, and where the last began
    double before_ms_ = 0;   ///< length of the last step; 0: there is none
    bool kept_ = false;      ///< the states are those of end_ already
    bool evaluated_ = false; ///< after_ goes with end_
    std::vector<AlignedVector<double>> after_; ///< each state of each group, of its slots
    std::vector<std::size_t> first_array_;     ///< of each group in after_
    std::vector<double> told_; ///< V of rows, or what tells of a concentration out of its range
    bool types_changed_ = false;
    AlignedVector<double> stimulus_; ///< during this step, slots; empty: none
    std::vector<double> rate_, slope_;
    std::vector<Scratch> scratch_; ///< of each worker
    diffusion::NewtonSolver::Result last_;
    NewtonCounts counts_;
    double cells_ms_ = 0;
    std::int64_t cells_calls_ = 0;
};

} // namespace tawara::device::cpu
