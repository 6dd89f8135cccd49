// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/units.hpp"
#include "engine/device/devices.hpp"
#include "engine/device/display_feed.hpp"
#include "engine/device/ports.hpp"
#include "engine/device/problem.hpp"
#include "engine/partition/decomposition.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tawara::device {

/// What steps by Newton's method came to.
struct NewtonCounts
{
    std::int64_t steps = 0;    ///< of one time step or several
    std::int64_t newton = 0;   ///< iterations
    std::int64_t linear = 0;   ///< iterations of conjugate gradients
    std::int64_t rejected = 0; ///< steps of several time steps that were too long
    std::int64_t halved = 0;   ///< how often a single time step was cut into more parts
    int most_newton = 0;       ///< iterations of one step
    /// How often the host waited for a device's word on how to go on.
    std::int64_t questions = 0;
    /// Why the host decides how iterations go on, and not the device by itself; empty where that
    /// does, and on the CPU.
    std::string host_decides{};
};

/// The state of one unknown's cell.
struct CellNumbers
{
    double v_mV = 0;
    /// Of its reaction's arrays (cell::Reaction::arrays()), one array after the other.
    std::vector<double> numbers;
};

/// Steps one tissue on one set of devices. All indices and values are in the mesh's own order.
/// @thread one thread at a time
class Stepper
{
  public:
    virtual ~Stepper() = default;

    /// Advances by n time steps. A step adds the stimulus to the reaction, records activation,
    /// samples probes and ends with a verdict.
    /// @throws NumericsError  naming step, place and value; the state is that of the failed step,
    /// and
    ///         a further call throws the same until a snapshot is restored
    virtual void advance(std::int64_t n) = 0;
    /// The same under hardware counters, kernel by kernel, for KernelRecord::counted_bytes; probes
    /// take no samples meanwhile.
    /// @return why it cannot be done, no step was taken then; else empty
    virtual std::string advance_counted(std::int64_t /*n*/)
    {
        return "hardware counters are read on NVIDIA GPUs alone";
    }
    virtual std::int64_t step() const = 0;
    double time_ms() const { return static_cast<double>(step()) * dt_ms(); }
    virtual double dt_ms() const = 0;

    /// Adds a source; its id is counted from 0.
    virtual std::size_t add_stimulus(StimulusSource source) = 0;
    virtual void remove_stimulus(std::size_t id) = 0;

    /// Joins a part of the simulation to the tissue, from the next step on and for as long as this
    /// lives.
    /// @return the part that `make` made
    /// @throws InputError where unknowns may rest, and as check_ports()
    virtual Part& add_part(const Ports& ports, const PartMaker& make) = 0;

    /// Replaces a group's table of cell types while running: the next step computes with the new
    /// parameters. States stay as they are; `initial` of the types is not looked at.
    /// @pre    as many types as the group has, of its model
    /// @throws InputError otherwise
    virtual void set_types(std::size_t group, std::span<const cell::CellType> types) = 0;

    /// Sets the probes; each step whose number is a multiple of every_steps appends size() samples.
    virtual void set_probes(Gather probes, std::int64_t every_steps) = 0;
    /// Moves the samples taken since the last call to `samples` (rows of size() values, mV) and the
    /// number of the step after which each row was taken to `steps`.
    virtual void take_samples(std::vector<std::int64_t>& steps, std::vector<double>& samples) = 0;

    /// Sets the display field and gathers it: out[k] [mV].
    virtual void set_display(Gather display) = 0;
    virtual void display(std::span<float> out) = 0;
    /// Gathers the display field where it was computed and makes it the newest of a feed that lives
    /// as long as somebody holds it; enqueues, does not wait. Null where fields lie on the host.
    virtual std::shared_ptr<DisplayFeed> publish_display() { return {}; }

    virtual void potential(
        std::span<double> out) const = 0; ///< V [mV] of every unknown; NaN of one without cells
    /// One state of every unknown, counted as in cell::ModelInfo::states: 1 is the first after V.
    /// 0 where its model has fewer.
    /// @pre  0 < state, and some model has so many
    virtual void state(std::size_t state, std::span<double> out) const = 0;
    /// The whole state of one unknown's cell; no other unknown's is read.
    /// @param out   its memory is used again
    /// @throws InputError of an unknown without cells
    /// @cost   linear in its numbers; a copy of these from a CUDA device
    virtual void cell_numbers(std::size_t unknown, CellNumbers& out) const = 0;
    virtual bool keeps_maps() const { return true; } ///< StepperOptions::maps
    /// Empty where none are kept.
    virtual Maps maps() const = 0;
    virtual Snapshot snapshot() const = 0;
    virtual void restore(const Snapshot& s) = 0;

    virtual std::vector<KernelRecord> kernels() const = 0;
    virtual std::string device() const = 0; ///< for people, e.g. "CPU, 2 threads, AVX-512"
    /// Of a share on a GPU (make_share_stepper): meets the others, once, ahead of the first step;
    /// every process of them is there.
    /// @return for people, where values take a slower way to the others' halos than they could:
    ///         which way, and why
    virtual std::string meet_others() { return {}; }
    /// What measure_ceilings() is asked for to judge the kernels: the CPU or the first GPU.
    virtual Devices ceiling_device() const { return "cpu"; }
    /// Threads of the CPU that step; 0: none do.
    virtual unsigned threads() const { return 0; }
    /// Of the steps of all unknowns so far, how many were part of a long one, taken at rest: 0
    /// to 1.
    virtual double share_quiescent() const { return 0; }
    /// Nothing but of Stepping::newton.
    virtual std::optional<NewtonCounts> newton_counts() const { return {}; }
    /// The shard of each unknown, in the mesh's order; empty where there is one.
    virtual std::vector<std::int32_t> shard_of_unknown() const { return {}; }
};

/// A thing that can compute, and why not.
struct DeviceInfo
{
    std::string id, name;
    bool usable = false;
    std::string reason; ///< empty when usable
    int cuda = -1;      ///< CUDA's number of it; -1: none
};
std::vector<DeviceInfo> devices();

/// Choices that change speed but no result; the CPU has none of them.
struct Tuning
{
    partition::Ordering ordering = partition::Ordering::hilbert; ///< of CUDA devices
    /// Last diffusion pass and reaction in one kernel; empty: where it was
    /// measured to be faster, in single precision and below 300 000 unknowns. Alone of these it may
    /// change last bits (other multiply-adds are contracted).
    std::optional<bool> fused{};
    int graph_steps =
        32; ///< steps enqueued at once, as graphs but for ranks; 0: one, and no graphs
    /// One step in so many is timed kernel by kernel (a tissue below 300 000 unknowns: one in eight
    /// times as many, so that it costs less than 1 % there too); 0: none.
    int timed_every = 1024;
    /// Of what all cells take, for each device in its order; empty: in proportion to the bandwidths
    /// of the devices' memories, which is in equal parts where they are of one kind.
    std::vector<double> shares{};
};

struct StepperOptions
{
    Devices devices;
    /// mixed (CUDA devices): the diffusion matrix is stored in single precision, all else in
    /// double; it was measured to change activation times by 1e-6 ms where single precision does by
    /// 1e-3 ms.
    Precision precision = Precision::double_;
    unsigned threads = 0; ///< of the CPU; 0: as many of the context's as the unknowns keep busy
    Tuning tuning{};
    /// Whether activation maps are kept. Without them a CUDA device needs two times and two
    /// potentials an unknown less; nothing else changes, by a bit. The CPU keeps them always.
    bool maps = true;
};
/// What a user is told where no maps are kept.
inline constexpr const char* no_maps_text =
    "no activation maps are kept, since there was no room for them";

/// The one place where a back end is chosen.
/// @param notices  says which was chosen and why, when "auto" had to choose
/// @throws InputError when the devices named cannot be used, with the reason
std::unique_ptr<Stepper> make_stepper(const TissueProblem& problem, const StepperOptions& options,
                                      const Progress& progress = {}, Notices* notices = nullptr);

/// Whether make_stepper() takes CUDA devices for these options.
bool on_cuda(const TissueProblem& problem, const StepperOptions& options);

/// Rates that this machine reaches, measured now: the ceilings that kernels are held to.
struct Ceilings
{
    double triad_GB_per_s = 0; ///< a = b + s c on arrays far larger than the caches
    double copy_GB_per_s = 0;
    double fp64_GFLOP_per_s = 0;
    double fp32_GFLOP_per_s = 0;
};
/// @param device  the first GPU where several are named
/// @param threads of the CPU, where it is measured
/// @cost about half a second
Ceilings measure_ceilings(const Devices& device, unsigned threads);

} // namespace tawara::device
