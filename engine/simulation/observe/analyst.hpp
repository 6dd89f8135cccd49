// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/latest_value.hpp"
#include "engine/simulation/observe/beat_mapper.hpp"
#include "engine/simulation/observe/curves.hpp"
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/observe/phase_watch.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace tawara::simulation {

/// Where an Analyst puts its results; any thread may read them.
struct AnalystResults
{
    struct Phase
    {
        double time_ms = 0;
        std::shared_ptr<const std::vector<float>> surface; ///< [rad]
        std::shared_ptr<const std::vector<float>> volume;  ///< null unless the volume is watched
        std::shared_ptr<const Singularities> singularities;
    };
    struct Volume
    {
        double time_ms = 0;
        std::shared_ptr<const std::vector<float>> v; ///< per vertex of the mesh
    };
    LatestValue<MapFrame> maps;
    LatestValue<Phase> phase;
    LatestValue<Volume> volume;
    mutable std::mutex ecg_mutex;
    Ecg ecg;
};

/// What the engine hands over at a sampling instant.
struct Sample
{
    std::int64_t step = 0;
    double time_ms = 0;
    std::vector<double> v;             ///< V [mV] per unknown
    std::vector<double> recovery;      ///< of the phase's plane; empty: not asked for
    bool ecg = false;                  ///< a row of the electrocardiogram is due
    std::optional<device::Maps> first; ///< the stepper's maps; given when a MapFrame is due
};

/// Computes maps, phase, volume and electrocardiogram beside the stepping, on a thread of its own.
///
/// Samples are taken in order; when `waiting` of them wait already, the next is refused, so that a
/// slow analysis costs samples and no time of the solver. But where every place is followed
/// (tracks_always()) no activation may be lost: there the solver waits rather than leave more than
/// most_gap_ms between two samples. Weights of leads, which take seconds, are prepared on a second
/// thread: samples go on meanwhile. Rows of the electrocardiogram are never refused while those
/// that wait, for the analysis or for their weights, fit into memory (most_rows_bytes).
/// @thread  one thread gives work; results may be read by any
class Analyst
{
  public:
    static constexpr std::size_t waiting = 4;
    /// Of simulated time. Longer ones lose the times of activations, at twice of it (blind_ms).
    static constexpr double most_gap_ms = analysis::ActivationTracker::blind_ms / 2;
    /// Of the potentials that rows of the electrocardiogram wait with: refused samples', and, as
    /// many again, those for which weights are being prepared.
    static constexpr std::size_t most_rows_bytes = std::size_t{256} << 20;
    /// Of wall time, that submit() waits for room at most.
    static constexpr std::chrono::milliseconds patience{500};

    /// Keeps references to mesh, surface, neighbours and stars of the tissue, which outlives it.
    Analyst(const Tissue& tissue, const Session& session, std::uint64_t run,
            std::shared_ptr<AnalystResults> results);
    ~Analyst();
    Analyst(const Analyst&) = delete;
    Analyst& operator=(const Analyst&) = delete;

    /// Called on an analyst's thread with what kept a piece of work from being done, the first
    /// time; what follows is tried all the same. Set before any work is given.
    void on_fault(std::function<void(const std::string&)> f) { fault_ = std::move(f); }

    static constexpr std::size_t tracked_at_most = 300'000; ///< vertices
    struct Watch
    {
        bool maps = false, volume = false, phase = false;
        std::int64_t beat = 0; ///< of the maps, as WatchMaps has it
        PhasePlane plane;
        bool operator==(const Watch&) const = default;
    };
    void watch(const Watch& w);
    /// Whether every place is followed from the start, watched or not, so that all beats and the
    /// phase are known whenever somebody asks: where following costs little.
    bool tracks_always() const { return v_.size() <= tracked_at_most; }
    /// Electrodes from now on. Their samples start anew when the weights are there, with those that
    /// wait for them by then: all since this call, or the newest that fit into most_rows_bytes.
    void electrodes(EcgLayout layout, const RegionMap& patches, double bath_S_per_m,
                    double every_ms);
    /// New conductivities for the same electrodes; samples go on.
    void conductivities(const RegionMap& patches);
    /// The tissue is another.
    void silent(SilentTissue t);
    /// The run was set back to its start.
    void restart();
    /// Pulses that have begun since the last call, in order of time: beats that they began count
    /// from them.
    void pulses(std::vector<double> time_ms);
    /// Whether it was taken whole. Waits for room, for `patience` at most, where a refusal would
    /// leave more than most_gap_ms without samples and tracks_always(). Of a refused one the row of
    /// the electrocardiogram is taken all the same.
    /// @param always  taken however many wait: the state that a run stops at
    bool submit(Sample s, bool always = false);
    /// Calls `f` with the maps of a beat (numbers as in WatchMaps) on the analyst's thread when all
    /// work so far is done.
    /// @param first  the stepper's maps now
    void with_beat(std::int64_t number, device::Maps first, std::function<void(BeatMaps)> f);
    /// Calls `f` on the analyst's thread when all work so far is done.
    void then(std::function<void()> f) { push(std::move(f)); }
    /// Waits until all work so far is done (for tests and the command line).
    void finish();

  private:
    using Job = std::function<void()>;
    struct Queue
    {
        std::deque<Job> jobs;
        std::condition_variable_any wake; ///< also woken when the thread is to stop
        bool busy = false;
        bool idle() const { return jobs.empty() && !busy; }
    };
    void push(Job job) { push(queue_, std::move(job)); }
    void push(Queue& to, Job job);
    void run(const std::stop_token& stop, Queue& of);
    void tell(const char* why) noexcept;
    void take(const std::shared_ptr<const Sample>& s);
    void submit_row(Sample s);
    void row(const std::shared_ptr<const Sample>& s);
    void lead_sample(const Sample& s);
    void to_vertices(std::span<const double> v, std::span<float> out) const;
    void phase(const Sample& s);
    void publish(const Sample& s);
    /// The electrocardiogram begins anew, with the same leads.
    void restart_ecg();
    /// Leads from now on. What was recorded of those that are the same as before stays, and goes
    /// on; it begins anew where none is, or where samples come as often no longer.
    void take_leads(std::shared_ptr<const EcgField> field, double every_ms);

    const Tissue& tissue_;
    const bool on_vertices_;
    const std::uint64_t run_;
    std::shared_ptr<AnalystResults> results_;

    std::function<void(const std::string&)> fault_;
    std::atomic<bool> told_{false}; ///< a fault
    std::mutex mutex_;
    std::condition_variable idle_;
    Queue queue_, preparations_;
    std::condition_variable room_; ///< a sample fewer waits
    std::size_t samples_waiting_ = 0;
    std::size_t rows_waiting_ = 0; ///< of refused samples [bytes]
    double taken_ms_ = 0;          ///< time of the newest sample that was taken

    // The preparing thread's alone.
    EcgLayout layout_;
    double bath_ = 0.2;

    // The worker's alone.
    Watch watch_;
    std::shared_ptr<const EcgField> ecg_ = std::make_shared<const EcgField>();
    bool leads_due_ = false; ///< new electrodes whose weights are being prepared
    std::deque<std::shared_ptr<const Sample>> for_leads_; ///< that wait for them
    std::vector<float> v_;                                ///< per vertex
    PhaseWatch phase_;
    BeatMapper mapper_;
    std::stop_source stop_ecg_;
    std::jthread thread_, preparing_;
};

} // namespace tawara::simulation
