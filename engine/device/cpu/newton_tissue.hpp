// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/cpu_kernel.hpp"
#include "engine/core/aligned.hpp"
#include "engine/core/thread_pool.hpp"
#include "engine/device/cpu/state_arrays.hpp"
#include "engine/device/layout.hpp"
#include "engine/device/newton_steps.hpp"

#include <memory>
#include <vector>

namespace tawara::device::cpu {

/// The tissue of implicit steps on the CPU.
/// @thread that of the stepper
class NewtonTissue final : public ImplicitTissue
{
  public:
    NewtonTissue(const TissueProblem& p, const Layout& layout, ThreadPool& pool);

    /// What a time step reads and writes, in slots.
    struct Arrays
    {
        const double* v; ///< before it, and
        double* next;    ///< after it
        StateArrays<double>* states;
        const cell::TypeIndex* type;
        const double* stimulus; ///< null: none
    };
    /// Those of the time step to come.
    void set_arrays(const Arrays& a) { now_ = a; }
    void set_types(std::size_t group, std::span<const cell::CellType> types);
    /// Cells, residuals and matrices, linear systems: what they took so far.
    std::vector<KernelRecord> kernels(const StateArrays<double>& states,
                                      const NewtonCounts& counts) const;

    void begin() override;
    bool changed() const override;
    diffusion::NewtonResult solve(double t_ms, double dt_ms, double slope_ms) override;
    double largest_turn(double dt_ms, double before_ms) const override;
    void keep(double t_ms, double dt_ms) override;
    void end_is_now() override;
    void go_on() override;
    void set_aside() override;
    void put_back(bool states_stay) override;
    void leave(double share) override;
    [[noreturn]] void fail(double t_ms, double dt_ms, const diffusion::NewtonResult& r) override;
    void forget() override;
    std::vector<double> values(ImplicitVector v) const override;
    void set_values(ImplicitVector v, const std::vector<double>& values) override;

  private:
    struct Scratch
    {
        AlignedVector<double> values;
        std::vector<double*> arrays;
    };
    /// A time step that the cells are asked about.
    struct Moment
    {
        double t_ms = 0, dt_ms = 0;
    };
    /// Calls body(group, first slot, last slot, worker) for pieces of a group's slots.
    template <class Body>
    void pieces(Body&& body);
    /// Calls body(first row, last row) for pieces of the rows.
    template <class Body>
    void rows(Body&& body) const;
    /// F and F' of all rows at V; the states after the step go to after_, and V as they make it to
    /// told_. Blocks of slots stay as they are where told_ shows that they were computed at a V
    /// that differs too little for the residual (`again_`: there is one).
    void cells(std::span<const double> v, const Moment& m, std::span<double> rate,
               std::span<double> slope);
    /// The same of the slots [begin, end) of a group, all of one tile.
    void compute(std::size_t group, std::int64_t begin, std::int64_t end, Scratch& s,
                 std::span<const double> v, const Moment& m, std::span<double> rate,
                 std::span<double> slope);
    /// Whether cells of such rows may stay as they are.
    bool stay(std::size_t first, std::size_t last, std::span<const double> v, double dt_ms,
              std::span<const double> slope) const;
    std::size_t row_of(std::size_t group, std::int64_t slot) const
    {
        return first_row_[group] + static_cast<std::size_t>(slot - layout_.begin[group]);
    }
    /// Calls body(values of a state of one group, how many, number of the array in after_).
    template <class Body>
    void each_array(Body&& body);
    const std::vector<double>& rows_of(ImplicitVector v) const;

    const Layout& layout_;
    ThreadPool& pool_;
    std::vector<Vec3> position_;
    std::vector<std::int32_t> slot_;     ///< of each row; a group's are one after the other
    std::vector<std::size_t> first_row_; ///< of each group
    diffusion::System system_;           ///< rows in the order of slots
    diffusion::NewtonSolver solver_;
    std::vector<std::unique_ptr<cell::CpuKernel<double>>> kernels_; ///< of each group
    std::vector<std::size_t> states_;                               ///< of each group, without V
    std::vector<double> start_, end_, before_;                      ///< V of rows
    bool evaluated_ = false;                                        ///< after_ goes with end_
    bool again_ = false;                       ///< cells() was asked about this step before
    double unmoved_mV_;                        ///< what V may differ by where F does not follow it
    std::vector<AlignedVector<double>> after_; ///< each state of each group, of its slots
    std::vector<std::size_t> first_array_;     ///< of each group in after_
    std::vector<double> told_; ///< V of rows, or what tells of a concentration out of its range
    bool types_changed_ = false;
    AlignedVector<double> stimulus_; ///< during this step, slots; empty: none
    std::vector<double> rate_, slope_;
    std::vector<Scratch> scratch_; ///< of each worker
    std::size_t failed_row_ = 0;   ///< where the last residual was largest
    Arrays now_{};
    struct Aside
    {
        std::vector<std::vector<double>> states;
        std::vector<double> start, before;
    } aside_;
    double cells_ms_ = 0;
    std::int64_t cells_calls_ = 0;
    std::vector<std::int64_t> computed_; ///< slots, by each worker
};

} // namespace tawara::device::cpu
