// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/cuda/backend.hpp"
#include "engine/device/cuda/display_feed.cuh"
#include "engine/device/cuda/step_plan.cuh"
#include "engine/device/state_places.hpp"

#include <memory>
#include <span>

namespace tawara::device::cuda {

/// Steps a tissue on one or several CUDA devices, by the plan that its problem needs. Between the
/// plan's runs the host looks at what changes with time: stimuli, parts, samples, the verdict.
///
/// A failure stops every later kernel of its shard, so that the state is that of the failed step;
/// other shards learn of it at the end of what was enqueued at once and may by then be up to
/// Tuning::graph_steps further, those of other processes check_every_of_share steps.
template <class Real>
class CudaStepper final : public Stepper
{
  public:
    /// @param sharding  of the problem, values packed for Real, or for float where mixed
    /// @param devices   of each shard; they can reach each other's memory
    /// @param options   of which `devices` and `threads` are not looked at
    /// @param others    of a share of a tissue on one device; lives as long; null: all of it is
    /// here
    CudaStepper(const TissueProblem& p, Sharding sharding, const std::vector<int>& devices,
                const StepperOptions& options, Halo* others = nullptr);
    ~CudaStepper() override;

    void advance(std::int64_t n) override;
    std::string advance_counted(std::int64_t n) override;
    std::int64_t step() const override { return t_.step; }
    double dt_ms() const override { return t_.dt_ms; }
    std::size_t add_stimulus(StimulusSource source) override;
    void remove_stimulus(std::size_t id) override;
    Part& add_part(const Ports& ports, const PartMaker& make) override;
    void set_types(std::size_t group, std::span<const cell::CellType> types) override;
    void set_probes(Gather probes, std::int64_t every_steps) override;
    void take_samples(std::vector<std::int64_t>& steps, std::vector<double>& samples) override;
    void set_display(Gather display) override;
    void display(std::span<float> out) override;
    std::shared_ptr<DisplayFeed> publish_display() override;
    void potential(std::span<double> out) const override;
    void state(std::size_t state, std::span<double> out) const override;
    void cell_numbers(std::size_t unknown, CellNumbers& out) const override;
    bool keeps_maps() const override { return t_.first().track.size() > 0; }
    Maps maps() const override;
    Snapshot snapshot() const override;
    void restore(const Snapshot& s) override;
    std::vector<KernelRecord> kernels() const override;
    std::string device() const override;
    std::string meet_others() override;
    double share_quiescent() const override { return plan_->share_quiescent(); }
    std::optional<NewtonCounts> newton_counts() const override { return plan_->newton_counts(); }
    Devices ceiling_device() const override { return Devices::cuda({t_.first().device}); }
    std::vector<std::int32_t> shard_of_unknown() const override
    {
        std::vector<std::int32_t> out;
        for (const auto& p : t_.place)
            out.push_back(p.part);
        return out;
    }

  private:
    CudaStepper(const TissueProblem& p, Sharding sharding, const std::vector<int>& devices,
                const StepperOptions& options, bool fused, Halo* others);
    void save_record(Snapshot& s) const;
    using State = ShardState<Real>;

    void prepare();
    void sample();
    void drain_samples();
    bool settle();
    void forget_graphs();
    [[noreturn]] void fail(std::size_t shard, unsigned long long bad);
    std::vector<ShardGather> split(const Gather& g, bool terms) const;
    template <class T, class At>
    std::vector<double> collect(const std::vector<std::vector<T>>& values, At at) const;
    template <class T>
    std::vector<std::vector<T>> download(Buffer<T> State::*member) const;
    std::vector<double> numbers_of_states(const std::vector<std::vector<Real>>& states,
                                          std::size_t k) const;
    template <class Visit>
    void for_kept_cells(Visit visit) const;
    void state_of_kept(std::size_t k, std::vector<double>& out) const;
    void save_kept(std::vector<std::vector<double>>& states) const;
    void restore_kept(const std::vector<std::vector<double>>& states);

    std::vector<Vec3> position_;
    std::vector<CellGroup> groups_;
    std::vector<std::uint8_t> group_; ///< of each unknown
    StatePlaces places_;              ///< of snapshots
    mutable Tissue<Real> t_;
    std::unique_ptr<StepPlan<Real>> plan_;
    std::int64_t checked_ = 0;
    bool halos_due_ = true; ///< V in them is not known

    Gather probes_;
    std::int64_t probe_every_ = 1, probe_rows_ = 0, probe_capacity_ = 0;
    std::vector<std::int64_t> row_steps_, sample_steps_;
    std::vector<double> samples_;
    std::size_t display_size_ = 0;
    PinnedBuffer<float> display_host_;
    mutable std::vector<PinnedBuffer<Real>> potential_host_; ///< of each shard, for potential()
    std::shared_ptr<CudaDisplayFeed> feed_; ///< made by the first publish_display()
    Event published_;
};

} // namespace tawara::device::cuda
