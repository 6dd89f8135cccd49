// SPDX-License-Identifier: GPL-3.0-or-later
// Implicit steps of cells and diffusion at once on CUDA devices.
#pragma once
#include "engine/device/cuda/newton_loop.cuh"
#include "engine/device/cuda/step_plan.cuh"
#include "engine/device/newton_steps.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <tuple>
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

/// How many iterations of the linear solver the corrections of a step take: the most of each of the
/// last steps, since one too many costs little.
class IterationsAhead
{
  public:
    /// Of the first corrections.
    const std::vector<int>& iterations() const { return ahead_; }
    void took(std::span<const int> of_corrections)
    {
        raise(lately_, of_corrections);
        raise(ahead_, of_corrections);
        if (++steps_ % window == 0) {
            ahead_.swap(lately_);
            lately_.clear();
        }
    }

  private:
    static constexpr int window = 32, most = 32;
    static void raise(std::vector<int>& to, std::span<const int> x)
    {
        to.resize(std::max(to.size(), x.size()));
        for (std::size_t k = 0; k < x.size(); ++k)
            to[k] = std::max(to[k], std::min(x[k], most));
    }
    std::vector<int> ahead_, lately_;
    int steps_ = 0;
};

/// A plan whose steps NewtonSteps drive, and the tissue that these ask.
///
/// On one shard the device decides how Newton's method and the linear solver go on
/// (newton_loop.cuh): a step is one graph, and one question. The graph has as many iterations as
/// lately were taken, and behind them a loop for what they leave to do; where graphs have no loops,
/// the host goes on. Steps that are timed kernel by kernel run the same kernels.
///
/// On several shards, and without graphs, the host decides: it asks after each evaluation of the
/// residual, and in the linear solver where the iterations that were foreseen did not do. Cells,
/// residuals and corrections are each shard's own; halos are exchanged before each residual and
/// each product.
class NewtonPlan final : public StepPlan<double>,
                         private ImplicitTissue,
                         private diffusion::NewtonSystem
{
  public:
    NewtonPlan(const TissueProblem& p, Tissue<double>& tissue, const PlanChoice& choice);
    std::int64_t run(std::int64_t n) override;
    void forget_graphs() override { graphs_.clear(); }
    void types_changed() override { types_changed_ = true; }
    void save(Snapshot& s) const override { s.implicit = steps_.snapshot(*this); }
    void restore(const Snapshot& s) override;
    int longest_implicit() const override { return steps_.longest(); }
    std::optional<NewtonCounts> newton_counts() const override;
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
    diffusion::NewtonResult whole(double t_ms, double dt_ms, double slope_ms) override;
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
    void part(Family f, Body&& body)
    {
        if (timed_)
            t_.profiler.measured(f, 0, t_.first().main, body);
        else
            body();
    }
    /// Zeroes what measuring kernels find, launches them, and waits for the largest of all shards.
    template <class Body>
    NewtonStatus measured(Body&& body) const;
    Matrix<double> rows(const State& s, const Own& o) const;
    void begin_step();
    void enqueue_cells(StreamRef stream, State& s, Own& o, Vector at, double t_ms, double dt_ms,
                       const NewtonState* loop = nullptr);
    void cells(Vector at, double t_ms, double dt_ms);
    void start_of_masses(const State& s, const Own& o) const;
    SolverStatus linear_system(std::size_t correction, double part);
    const Buffer<double>& buffer(const State& s, const Own& o, ImplicitVector v) const;
    double factor() const { return consistent_ ? 1 : -length_.in_time_steps; }

    /// A step in the device's own loop. @param whole  with its begin and end
    diffusion::NewtonResult loop(double t_ms, double dt_ms, double slope_ms, bool whole);
    NewtonLoop loop_state() const { return {state_.data(), told_.data(), tells_, options_}; }
    const NewtonState& asked();
    NewtonPlaces places(bool whole) const;
    void loop_cells(StreamRef stream);
    void look(StreamRef stream, const LoopHandle& newton);
    void loop_correction(StreamRef stream, const LoopHandle& linear);
    void enqueue_loop(bool whole);
    void begin_from_host(bool whole);
    void look_from_host();
    void go_on_from_host(bool whole);

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
    mutable std::int64_t questions_ = 0;

    std::string host_decides_; ///< why; empty: the device does
    std::string no_loops_;     ///< why graphs have none
    Buffer<NewtonState> state_;
    PinnedBuffer<NewtonState> told_, begin_;
    Stream in_newton_, in_linear_; ///< where the loops of a graph are captured
    bool tells_ = false;
    IterationsAhead ahead_;
    /// by: whole, step's length, stimulated, parity, where states and V of the step lie, iterations
    std::map<std::tuple<bool, double, bool, int, const double*, const double*, const double*,
                        std::vector<int>>,
             Graph>
        graphs_;
};

} // namespace tawara::device::cuda
