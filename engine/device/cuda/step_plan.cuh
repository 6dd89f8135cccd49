// SPDX-License-Identifier: GPL-3.0-or-later
// How steps are taken: explicitly, by solving a linear system, or with quiescent unknowns left out.
#pragma once
#include "engine/device/cuda/front_currents.cuh"
#include "engine/device/cuda/tissue.cuh"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>

namespace tawara::device::cuda {

/// What a plan is made for, beside the problem.
struct PlanChoice
{
    bool fused = false;  ///< the last diffusion pass goes with the reaction
    bool mixed = false;  ///< the matrix is stored in single precision
    int most_steps = 32; ///< enqueued at once, where there may be several
    bool graphs = true;  ///< what is enqueued at once is a graph; else kernel by kernel
    int sub_steps = 1;   ///< systems to solve in a step, where there is a solver
};

/// Steps to enqueue next where `left` are to come: `most`, or a half of it, a quarter
/// and so on. So few lengths occur, and of each a graph is captured once.
constexpr int steps_at_once(int most, std::int64_t left)
{
    while (most > 1 && most > left)
        most /= 2;
    return most > 1 ? most : 1;
}

/// A step is a list of stages: half a reaction (Strang), explicit passes, the last pass with the
/// reaction. Interpolated currents are computed ahead of the first stage, and in Strang splitting
/// again ahead of the last. With several shards each stage runs the separator on the outward
/// stream, stores what others read into their halos, and the interior meanwhile on the main stream.
/// Both have one priority: with a higher one for the separator steps in double precision took 7 to
/// 15 % longer on two H200.
/// @thread that of the stepper
template <class Real>
class StepPlan
{
  public:
    StepPlan(const TissueProblem& p, Tissue<Real>& tissue, const PlanChoice& choice);
    virtual ~StepPlan() = default;
    StepPlan(const StepPlan&) = delete;
    StepPlan& operator=(const StepPlan&) = delete;

    /// Takes steps, at most n, over which no stimulus changes and no part needs the host.
    /// @return how many, at least 1
    virtual std::int64_t run(std::int64_t n) = 0;
    /// What graphs hold as arguments has changed.
    virtual void forget_graphs() = 0;
    /// The step that failed is the last one taken.
    virtual void failed() {}
    /// The part of a state that is the plan's own.
    virtual void save(Snapshot&) const {}
    virtual void restore(const Snapshot&) {}
    virtual int longest_quiescent() const { return 0; } ///< steps; 0: nothing rests
    virtual int longest_implicit() const { return 0; }  ///< 0: no steps by Newton's method
    virtual std::optional<NewtonCounts> newton_counts() const { return {}; }
    virtual void types_changed() {} ///< a group's cell types are others than so far
    /// The cell types of a group, for what is computed beside its reaction.
    void set_types(std::size_t group, std::span<const cell::CellType> types)
    {
        if (front_)
            front_->set_types(group, types);
    }

    virtual std::vector<KernelRecord> kernels() const;
    virtual double share_quiescent() const { return 0; }
    /// Pieces of work of a step that are measured one by one, at most.
    virtual std::size_t pieces() const { return stages_.size() + (front_ ? 2 : 0); }

  protected:
    using State = ShardState<Real>;
    enum class Part { all, separator, interior };
    struct Stage
    {
        enum class Kind {
            half_reaction,
            decide, ///< a long step of what rests, ahead of several passes (Rest::Part)
            pass,
            last
        } kind;
        std::size_t pass = 0;
        Vector out = Vector::next;
        bool sends = true; ///< whether other shards read what it computes
    };
    /// A range of cells of one group, to be launched.
    struct Cells
    {
        std::size_t range;
        typename Stage::Kind kind;
        const DeviceReaction<Real>& code;
        ReactionLaunch<Real> launch;
    };

    void run_stage(const Stage& stage, State& s, Part part, StreamRef stream, int parity,
                   int offset);
    bool starts_early(const Stage& stage, Part part) const;
    /// Of a share among processes: whether the interior's last stage waits until the separator's
    /// values are given. A reaction kernel that keeps its blocks on the device would else hold
    /// them back, and with them the other processes (PREDICTIONS.md, "G10").
    bool gives_first(std::span<const Stage> group) const
    {
        return t_.exchange.link() != nullptr && group.size() > 1 && group.back().sends;
    }
    /// Launches one range; where unknowns rest, otherwise.
    virtual void launch(StreamRef stream, State& s, const Cells& c)
    {
        static_cast<void>(s);
        c.code.launch(stream, c.launch);
    }
    /// The stages up to and with the first whose result other shards read: one after the other for
    /// the separators and, beside them, for the interior. The copies to other shards are then under
    /// way while the interior's first kernel runs: a reaction kernel that keeps its blocks on the
    /// device to its end would leave them no room until then.
    /// @return how many
    std::size_t enqueue_overlapped(std::span<const Stage> stages, int parity, int offset);
    /// All stages of one step, but for the first `from`.
    void enqueue_stages(int parity, int offset, std::size_t from = 0);
    /// The end of steps that were enqueued on all shards' streams.
    void enqueue_end(int steps, int long_steps);
    /// One step kernel by kernel, each measured; the caller ends it.
    void measured_stages();

    /// Interpolated currents are computed ahead of a stage, of a step that begins with `first`.
    bool currents_ahead_of(std::size_t stage, std::size_t first) const
    {
        return front_ && (stage == first || (strang() && stage + 1 == stages_.size()));
    }
    virtual CurrentMoment currents_of(const Stage& s, int parity, int offset) const;
    /// One stage of all shards, with the currents ahead of it, each measured as a family's; what
    /// others read is in their halos on return.
    void measured_stage(std::size_t stage, std::size_t first, Family f);
    void add_currents(std::vector<KernelRecord>& records) const;

    bool strang() const { return from_ == Vector::half; }
    /// Whether the kernel behind a step's ports needs the ports' currents: has cells in it, or
    /// makes interpolated currents.
    bool cells_follow_ports() const { return front_ || stages_.front().kind != Stage::Kind::pass; }
    Family family(const Stage& s) const;
    double family_bytes(const State& s, Family f) const;
    double family_flops(const State& s, Family f) const;
    double matrix_bytes(const State& s) const;
    std::string where(std::size_t shard) const;

    Tissue<Real>& t_;
    const PlanChoice choice_;
    Vector from_ = Vector::current; ///< what diffusion starts from
    bool solves_ = false;
    bool lists_ = false; ///< passes are of what moves alone, and launch() has them, too
    std::vector<PlannedPass> passes_;
    std::vector<Stage> stages_;
    std::unique_ptr<FrontCurrents<Real>> front_; ///< null where currents are nodal
};

/// Steps captured as graphs over all devices, one for each parity of the two potential vectors,
/// with and without a stimulus.
template <class Real>
class ExplicitPlan : public StepPlan<Real>
{
  public:
    using StepPlan<Real>::StepPlan;
    std::int64_t run(std::int64_t n) override;
    void forget_graphs() override { graphs_.clear(); }

  private:
    void enqueue(int steps, int parity);
    std::map<std::tuple<int, int, bool>, Graph> graphs_; ///< by steps, parity, stimulated
};

/// Explicit steps, of which unknowns at rest take one in place of many (TissueProblem's
/// rest_tolerance_mV). No long step reaches over the start or end of a stimulus.
template <class Real>
class QuiescentPlan final : public StepPlan<Real>
{
  public:
    QuiescentPlan(const TissueProblem& p, Tissue<Real>& tissue, const PlanChoice& choice);
    std::int64_t run(std::int64_t n) override;
    void forget_graphs() override { graphs_.clear(); }
    void failed() override;
    void save(Snapshot& s) const override;
    void restore(const Snapshot& s) override;
    int longest_quiescent() const override { return longest_; }
    std::vector<KernelRecord> kernels() const override;
    double share_quiescent() const override;

  private:
    using typename StepPlan<Real>::State;
    using typename StepPlan<Real>::Stage;
    using typename StepPlan<Real>::Cells;
    void launch(StreamRef stream, State& s, const Cells& c) override;
    CurrentMoment currents_of(const Stage& s, int parity, int offset) const override;
    void enqueue(int steps, int parity);
    void launch_steps(int steps);
    void measured_step();
    /// Of the step to come: a decision is the first step's of a long one.
    std::size_t first_stage() const { return this->lists_ && long_.at > 0 ? 1 : 0; }
    void restore(State& d, const Snapshot& s);

    double tolerance_mV_;
    int longest_;         ///< steps in a long one
    Rest long_;           ///< place of the step to come in its long one
    bool looks_ = false;  ///< the step to come looks for fronts in all chunks
    bool looked_ = false; ///< a step has done so since V was set from outside, or a run failed
    /// by steps, parity, stimulated, place in the long step and its length
    std::map<std::tuple<int, int, bool, int, int>, Graph> graphs_;
};

/// Steps that solve a linear system for diffusion (solver.cuh).
template <class Real>
class SolvedPlan final : public StepPlan<Real>
{
  public:
    SolvedPlan(const TissueProblem& p, Tissue<Real>& tissue, const PlanChoice& choice);
    std::int64_t run(std::int64_t n) override;
    void forget_graphs() override { graphs_.clear(); }
    std::vector<KernelRecord> kernels() const override;
    std::size_t pieces() const override { return 6; }

  private:
    using typename StepPlan<Real>::State;
    using typename StepPlan<Real>::Stage;
    void solve(int sub_step);
    template <class Body>
    void replay(int part, int iterations, Body body);
    template <class Body>
    void with_rows(const State& s, bool own, Body body) const;
    void enqueue_reaction(const Stage& stage);
    void enqueue_start(int sub_step);
    void iterate(int count);
    void enqueue_result(int sub_step);
    [[noreturn]] void fail(const SolverStatus& status);
    KernelRecord record(std::size_t shard) const;

    bool own_matrix_; ///< its rows are not those of the flow
    int sub_steps_, iterations_ahead_ = 8;
    double factor_;
    SolverLimits limits_;
    PinnedBuffer<SolverStatus> status_;
    std::int64_t iterations_done_ = 0, solutions_done_ = 0;
    /// by part of the step, iterations, parity, stimulated
    std::map<std::tuple<int, int, int, bool>, Graph> graphs_;
};

/// The plan that a problem needs.
template <class Real>
std::unique_ptr<StepPlan<Real>> make_plan(const TissueProblem& p, Tissue<Real>& tissue,
                                          const PlanChoice& choice);

} // namespace tawara::device::cuda
