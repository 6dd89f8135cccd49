// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/reaction.hpp"
#include "engine/core/thread_pool.hpp"
#include "engine/device/cpu/activation.hpp"
#include "engine/device/cpu/cpu_stepper.hpp"
#include "engine/device/cpu/currents.hpp"
#include "engine/device/cpu/diffusion_step.hpp"
#include "engine/device/cpu/interpolated_currents.hpp"
#include "engine/device/cpu/newton_tissue.hpp"
#include "engine/device/cpu/quiescent_steps.hpp"
#include "engine/device/cpu/state_arrays.hpp"
#include "engine/device/halo.hpp"
#include "engine/device/state_places.hpp"
#include "engine/diffusion/implicit.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace tawara::device::cpu {

enum Kernel { k_diffusion, k_reaction, k_record, kernel_count };

/// Wall time per kernel of one worker, in a cache line of its own.
struct alignas(64) WorkerTimes
{
    double seconds[kernel_count] = {};
    std::int64_t bad = -1;
};

/// See cpu_stepper.hpp.
template <class Real>
class CpuStepper final : public Stepper
{
  public:
    CpuStepper(const TissueProblem& p, unsigned threads, const Progress& progress, Halo* halo);

    void advance(std::int64_t n) override;
    std::int64_t step() const override { return step_; }
    double dt_ms() const override { return dt_; }
    std::size_t add_stimulus(StimulusSource source) override
    {
        return currents_.add(std::move(source));
    }
    void remove_stimulus(std::size_t id) override { currents_.remove(id); }
    Part& add_part(const Ports& ports, const PartMaker& make) override;
    void set_types(std::size_t group, std::span<const cell::CellType> types) override;
    void set_probes(Gather probes, std::int64_t every_steps) override;
    void take_samples(std::vector<std::int64_t>& steps, std::vector<double>& samples) override;
    void set_display(Gather display) override { display_ = to_slots(std::move(display), layout_); }
    void display(std::span<float> out) override;
    void potential(std::span<double> out) const override;
    void state(std::size_t state, std::span<double> out) const override;
    void cell_numbers(std::size_t unknown, CellNumbers& out) const override;
    Maps maps() const override;
    Snapshot snapshot() const override;
    void restore(const Snapshot& s) override;
    std::vector<KernelRecord> kernels() const override;
    std::string device() const override;
    unsigned threads() const override { return pool_.size(); }
    double share_quiescent() const override;
    std::optional<NewtonCounts> newton_counts() const override
    {
        return newton_ ? std::optional(newton_->steps.counts()) : std::nullopt;
    }

  private:
    void one_step();
    void quiescent_step();
    void newton_step();
    /// The current into the cells from here on, for a step from V and states as they are.
    void set_current(const Real* v, double t_ms, double dt_ms);
    void implicit_diffusion(std::vector<WorkerTimes>& times);
    /// Takes the slots [begin, end) through a part of the step.
    void react(Real* v, const cell::ReactionStep& s, std::int64_t begin, std::int64_t end) const;
    cell::ReactionCells<Real> cells(std::size_t group, Real* v, std::int64_t begin,
                                    std::int64_t end) const;
    template <class Body>
    void tiles(Body body);
    void share_out(const std::vector<CellGroup>& groups);
    /// NaN in the slots of unknowns without cells.
    template <class Values>
    void without_cells_from(Values& values) const
    {
        std::fill(values.begin() + static_cast<std::ptrdiff_t>(layout_.stepped), values.end(),
                  std::numeric_limits<typename Values::value_type>::quiet_NaN());
    }
    /// Number k of each unknown's states, in the mesh's order; 0 where it has fewer.
    std::vector<double> numbers_of_states(std::size_t k) const;
    /// V of other processes' unknowns, or V and states where currents are interpolated.
    void take_from_others(Real* v, bool with_states = false);
    void fail(std::int64_t slot) const;
    /// False where another process' cells went astray. @throws NumericsError where they are here,
    /// until a snapshot is restored
    bool goes_on() const;
    void initial_state(const TissueProblem& p);

    ThreadPool pool_;
    Layout layout_;
    std::vector<Vec3> position_;
    std::vector<CellGroup> groups_;
    std::vector<std::uint8_t> group_; ///< of each unknown
    StatePlaces places_;              ///< of snapshots
    double dt_, threshold_;
    Splitting splitting_;
    DiffusionStep<Real> diffusion_;
    std::unique_ptr<diffusion::ImplicitSolver> solver_; ///< consistent mass or implicit stepping
    std::vector<double> solver_v_;
    AlignedVector<Real> v_, next_, half_;
    StateArrays<Real> states_;
    AlignedVector<cell::TypeIndex> type_;
    std::vector<std::int64_t> unknown_; ///< of each slot, where a reaction asks for it
    std::vector<std::unique_ptr<cell::Reaction<Real>>> reactions_; ///< of each group
    Currents<Real> currents_;
    std::optional<InterpolatedCurrents<Real>> interpolated_;
    const Real* current_ = nullptr; ///< into the cells, of slots; null: none
    Gather probes_, display_;
    std::int64_t probe_every_ = 1, step_ = 0, steps_done_ = 0;
    std::int64_t iterations_done_ = 0; ///< of the solver
    std::vector<std::int64_t> sample_steps_;
    std::vector<double> samples_;
    ActivationRecord<Real> record_;
    std::optional<QuiescentSteps<Real>> quiescent_;
    struct Newton
    {
        Newton(const TissueProblem& p, const Layout& layout, ThreadPool& pool)
            : tissue(p, layout, pool), steps(p)
        {
        }
        NewtonTissue tissue;
        NewtonSteps steps;
    };
    std::unique_ptr<Newton> newton_; ///< of double alone
    Halo* halo_;                     ///< null: all of the tissue is here
    std::vector<std::uint8_t> elsewhere_;
    std::vector<double> give_, take_; ///< through the halo
    double exchange_s_ = 0, exchange_bytes_ = 0;
    std::vector<WorkerTimes> worker_;
    /// Slots that workers take by turns, where cells take unequal times; else empty.
    std::vector<std::pair<std::int64_t, std::int64_t>> uneven_;
};

} // namespace tawara::device::cpu
