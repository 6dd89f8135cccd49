// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/cuda/backend.hpp"
#include "engine/device/cuda/counters.hpp"
#include "engine/device/cuda/display_feed.cuh"
#include "engine/device/cuda/shard_state.cuh"

#include <functional>
#include <map>
#include <memory>
#include <span>

namespace tawara::device::cuda {

/// Steps a tissue on one or several CUDA devices.
///
/// A step is a list of stages: half a reaction (Strang), explicit passes, the last pass with the
/// reaction. With several shards each stage runs the separator on an urgent stream, stores what
/// others read into their halos, and the interior meanwhile on the main stream. Steps are captured
/// as graphs over all devices, one for each parity of the two potential vectors, with and without a
/// stimulus. Between graphs, the host looks at what changes with time: stimuli, samples, the
/// verdict.
///
/// A failure stops every later kernel of its shard, so that the state is that of the failed step;
/// other shards learn of it at the end of the graph and may by then be up to Tuning::graph_steps
/// further.
template <class Real>
class CudaStepper final : public Stepper
{
  public:
    /// @param sharding  of the problem, values packed for Real, or for float where mixed
    /// @param devices   of each shard; they can reach each other's memory
    /// @param mixed     the matrix is stored in single precision; for Real = double
    CudaStepper(const TissueProblem& p, Sharding sharding, const std::vector<int>& devices,
                const Tuning& tuning, bool mixed = false);
    ~CudaStepper() override;

    void advance(std::int64_t n) override;
    std::string advance_counted(std::int64_t n) override;
    std::int64_t step() const override { return step_; }
    double dt_ms() const override { return dt_; }
    std::size_t add_stimulus(StimulusSource source) override;
    void remove_stimulus(std::size_t id) override;
    void set_types(std::size_t group, std::span<const cell::CellType> types) override;
    void set_probes(Gather probes, std::int64_t every_steps) override;
    void take_samples(std::vector<std::int64_t>& steps, std::vector<double>& samples) override;
    void set_display(Gather display) override;
    void display(std::span<float> out) override;
    std::shared_ptr<DisplayFeed> publish_display() override;
    void potential(std::span<double> out) const override;
    void state(std::size_t state, std::span<double> out) const override;
    Maps maps() const override;
    Snapshot snapshot() const override;
    void restore(const Snapshot& s) override;
    std::vector<KernelRecord> kernels() const override;
    std::string device() const override;
    double share_at_rest() const override;
    std::string ceiling_device() const override { return "cuda:" + std::to_string(shards_[0]->device); }
    std::vector<std::int32_t> shard_of_unknown() const override
    {
        std::vector<std::int32_t> out;
        for (const auto& p : place_)
            out.push_back(p.part);
        return out;
    }

  private:
    using State = ShardState<Real>;
    enum class Part { all, separator, interior };
    enum Family { f_diffusion, f_reaction, f_fused, f_moving, f_solver, family_count };
    struct Stage
    {
        enum class Kind { half_reaction, pass, last } kind;
        std::size_t pass = 0;
        Vector out = Vector::next;
        bool sends = true; ///< whether other shards read what it computes
    };
    /// Two events around a launch, read when both have happened.
    struct Timing
    {
        std::size_t shard;
        Family family;
        Event begin, end;
    };
    struct Source
    {
        StimulusSource values;
        std::vector<Buffer<std::int32_t>> slots; ///< per shard
    };

    bool single() const { return shards_.size() == 1; }
    int parity() const { return static_cast<int>((step_ - base_) & 1); }
    Family family(const Stage& s) const;
    void run(const Stage& stage, State& s, Part part, StreamRef stream, int parity, int offset);
    void exchange(const Stage& stage, State& s, int parity);
    void exchange_current();
    void enqueue(int steps, int parity);
    std::size_t enqueue_overlapped(std::span<const Stage> stages, int parity, int offset);
    void sampled_step();
    void measured(Family f, std::size_t shard, const std::function<void()>& body);
    void schedule_timing();
    void run_steps(std::int64_t n);
    std::int64_t run_resting(std::int64_t n);
    void launch_steps(int steps);
    void make_solver(const TissueProblem& p, int sub_steps);
    void solved_step();
    void solve(int sub_step);
    template <class Body>
    void replay(int part, int iterations, Body body);
    template <class Body>
    void with_rows(const State& s, bool own, Body body) const;
    void exchange_after_main(Vector what);
    void enqueue_start(int sub_step);
    void enqueue_iterations(int count);
    void enqueue_result(int sub_step);
    [[noreturn]] void fail_to_solve(const SolverStatus& status);
    KernelRecord solver_record(std::size_t shard) const;
    void restore_resting(State& d, const Snapshot& s);
    std::int64_t steady(std::int64_t most);
    void apply_stimulus();
    void sample();
    void drain_samples();
    void settle();
    void fork();
    void join();
    void synchronize() const;
    void read_timings() const;
    [[noreturn]] void fail(std::size_t shard, unsigned long long bad);
    std::vector<ShardGather> split(const Gather& g, bool terms) const;
    std::vector<std::vector<std::int32_t>>
    slots_of(const std::vector<std::int32_t>& unknowns) const;
    template <class T, class At>
    std::vector<double> collect(const std::vector<std::vector<T>>& values, At at) const;
    template <class T>
    std::vector<std::vector<T>> download(Buffer<T> State::*member) const;
    double family_bytes(const State& s, Family f) const;
    double family_flops(const State& s, Family f) const;
    double counted_bytes(Family f) const;
    std::vector<KernelRecord> resting_kernels() const;

    Tuning tuning_;
    bool mixed_, fused_;
    double dt_;
    std::vector<Vec3> position_;
    std::vector<CellGroup> groups_;
    std::vector<std::unique_ptr<State>> shards_;
    std::vector<partition::Place> place_;
    Vector diffused_from_ = Vector::current;
    std::vector<PlannedPass> passes_;
    std::vector<Stage> stages_;
    std::vector<Source> sources_;
    std::vector<double> applied_; ///< overlap of each source that the stimulus vectors hold
    bool stimulated_ = false;
    Event forked_;
    /// by steps, parity, stimulated, place in the long step and its length
    std::map<std::tuple<int, int, bool, int, int>, Graph> graphs_;
    double rest_tolerance_mV_ = 0;
    int longest_rest_ = 0; ///< steps in a long one; 0: nothing rests
    Rest long_;            ///< place of the step to come in its long one
    std::int64_t step_ = 0, base_ = 0, steps_done_ = 0, checked_ = 0, next_timing_ = 4;

    bool solves_ = false;     ///< steps solve a linear system
    bool own_matrix_ = false; ///< its rows are not those of the flow
    int sub_steps_ = 1, iterations_ahead_ = 8;
    double solver_factor_ = 1;
    SolverLimits solver_limits_;
    PinnedBuffer<SolverStatus> solver_status_;
    std::int64_t iterations_done_ = 0, solutions_done_ = 0;
    /// by part of the step, iterations, parity, stimulated
    std::map<std::tuple<int, int, int, bool>, Graph> solver_graphs_;

    Gather probes_;
    std::int64_t probe_every_ = 1, probe_rows_ = 0, probe_capacity_ = 0;
    std::vector<std::int64_t> row_steps_, sample_steps_;
    std::vector<double> samples_;
    std::size_t display_size_ = 0;
    PinnedBuffer<float> display_host_;
    std::shared_ptr<CudaDisplayFeed> feed_; ///< made by the first publish_display()

    std::unique_ptr<MemoryCounters> counters_; ///< while steps are taken under them
    std::vector<Family> counted_ranges_;
    std::array<double, family_count> counted_bytes_{};
    std::int64_t counted_steps_ = 0;
    mutable std::vector<Timing> pending_;
    mutable std::vector<std::array<double, family_count>> sampled_ms_;
    mutable std::int64_t timed_steps_ = 0;
    mutable std::int64_t pending_steps_ = 0;
};

} // namespace tawara::device::cuda
