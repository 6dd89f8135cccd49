// SPDX-License-Identifier: GPL-3.0-or-later
// Implicit steps of cells and diffusion at once on CUDA devices.
#pragma once
#include "engine/device/cuda/newton.cuh"
#include "engine/device/cuda/step_plan.cuh"
#include "engine/device/newton_steps.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace tawara::device::cuda {

/// Enqueues to = from, as many values as both have, or so many.
inline void copy(StreamRef s, const Buffer<double>& from, const Buffer<double>& to,
                 std::size_t most = std::numeric_limits<std::size_t>::max())
{
    if (const auto n = std::min({from.size(), to.size(), most}))
        check(cudaMemcpyAsync(to.data(), from.data(), n * sizeof(double), cudaMemcpyDeviceToDevice,
                              s.handle),
              "cudaMemcpyAsync", s.device);
}

/// A plan whose steps NewtonSteps drive, and the tissue that these ask. Newton's method asks the
/// host after each evaluation of the residual, the linear solver where the iterations that were
/// foreseen did not do. On several shards cells, residuals and corrections are each shard's own;
/// halos are exchanged before each residual and each product.
class NewtonPlan final : public StepPlan<double>,
                         private ImplicitTissue,
                         private diffusion::NewtonSystem
{
  public:
    NewtonPlan(const TissueProblem& p, Tissue<double>& tissue, const PlanChoice& choice);
    std::int64_t run(std::int64_t n) override;
    void forget_graphs() override {}
    void types_changed() override { types_changed_ = true; }
    void save(Snapshot& s) const override { s.implicit = steps_.snapshot(*this); }
    void restore(const Snapshot& s) override;
    int longest_implicit() const override { return steps_.longest(); }
    std::optional<NewtonCounts> newton_counts() const override { return steps_.counts(); }
    std::vector<KernelRecord> kernels() const override;
    std::size_t pieces() const override { return 256; }

  private:
    /// What a shard keeps beside its ShardState: V of the end is in Vector::scratch1, the trial in
    /// Vector::scratch2.
    struct Own
    {
        Own(State& s, bool consistent);
        NewtonVectors vectors(const State& s) const;
        Buffer<double> start, before, told; ///< [slots + halo]
        Buffer<double> rate, slope, minus_r, mass_start, stimulus, volume, row_sum, mass_diagonal,
            stiffness;
        Buffer<double> after;  ///< states at the end, as ShardState has them
        Buffer<double> system; ///< of consistent mass: off-diagonals for the length system_of_
        Buffer<NewtonStatus> status;
        PinnedBuffer<NewtonStatus> found;
        struct
        {
            Buffer<double> start, before, states;
        } aside;
    };

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

    double residual() override;
    void accept() override;
    bool correct(double part, int& iterations) override;
    double largest_correction() override;
    void attempt(double share) override;

    /// Calls body(shard's state, what it keeps) with its device current.
    template <class Body>
    void each(Body&& body) const
    {
        for (auto& s : t_.shards) {
            const Current here(s->device);
            body(*s, own_[s->index]);
        }
    }
    template <class Body>
    void part(Family f, Body&& body);
    /// Zeroes what measuring kernels find, launches them, and waits for the largest of all shards.
    template <class Body>
    NewtonStatus measured(Body&& body) const;
    Matrix<double> rows(const State& s, const Own& o) const;
    void cells(Vector at, double t_ms, double dt_ms);
    SolverStatus linear_system(std::size_t correction, double part);
    const Buffer<double>& buffer(const State& s, const Own& o, ImplicitVector v) const;

    NewtonSteps steps_;
    diffusion::NewtonOptions options_;
    std::vector<Vec3> position_;
    mutable std::vector<Own> own_;
    bool consistent_;
    NewtonLength length_{};       ///< of the step that is solved for
    double system_of_ = 1;        ///< length whose rows `system` holds, in time steps
    double t_ms_ = 0;             ///< its start
    std::size_t corrections_ = 0; ///< in the step so far
    std::vector<int> foreseen_;   ///< iterations of each correction
    PinnedBuffer<SolverStatus> status_;
    bool stimulated_ = false, types_changed_ = false, evaluated_ = false, timed_ = false;
    std::int64_t cells_calls_ = 0, residuals_ = 0, systems_ = 0;
};

} // namespace tawara::device::cuda
