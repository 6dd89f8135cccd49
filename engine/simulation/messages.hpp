// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/device/stepper.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/simulation/session.hpp"
#include "engine/simulation/tissue_edit.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The values that pass between the engine and whoever shows it: no control, so that widgets may
/// know them.
namespace tawara::simulation {

class Recording; // recording.hpp

/// What a view needs to draw a loaded simulation. Immutable and shared.
struct Scene
{
    std::uint64_t run = 0; ///< counts loads; frames carry it
    Session session;
    std::shared_ptr<const mesh::TetMesh> mesh;
    std::shared_ptr<const mesh::Surface> surface;
    std::string device; ///< e.g. "CPU, 2 threads, AVX-512, double"
    std::string title;  ///< name of the session or mesh file
    std::int64_t unknowns = 0;
    double dt_ms = 0;
    std::string substeps; ///< how diffusion steps inside dt, for the status bar
    Notices notices;      ///< of loading: units, turned, repaired, ...
    /// When the run went on with another tissue, in order of time (a notice says it).
    std::vector<TissueEdit> tissue_edits;
};

/// Phase singularities: where filaments (the organising centres of re-entry) are.
struct Singularities
{
    std::vector<Vec3> points_mm; ///< where filaments end on the surface
    std::vector<int> turn; ///< per point: +1 turns anticlockwise seen from outside, -1 clockwise
    std::vector<std::vector<Vec3>>
        filaments_mm; ///< polylines through the wall; closed ones repeat their first point
};

/// One picture of the potential. Immutable; `values` belong to the vertices of Scene::surface.
struct Frame
{
    std::uint64_t run = 0;
    std::int64_t step = 0;
    double time_ms = 0;
    std::vector<float>
        values; ///< V [mV], one per surface vertex; empty where only `feed` was asked for
    /// Where the same field, or by now a newer one, lies on a GPU; null unless FrameValues asked
    /// for it and a GPU computes.
    std::shared_ptr<device::DisplayFeed> feed;
    std::chrono::steady_clock::time_point made;
    /// V [mV] per vertex of Scene::mesh while WatchVolume is on: of this frame or, on large meshes,
    /// of a slightly earlier one (volume_time_ms). Null when off.
    std::shared_ptr<const std::vector<float>> volume;
    double volume_time_ms = 0;
    /// Phase in (-pi, pi] per surface vertex while WatchPhase is on, and singularities; the newest
    /// that were computed (phase_time_ms). Null before the first and when off.
    std::shared_ptr<const std::vector<float>> phase;
    std::shared_ptr<const Singularities> singularities;
    double phase_time_ms = 0;
    /// The same phase per vertex of Scene::mesh while WatchVolume is on too; else null.
    std::shared_ptr<const std::vector<float>> phase_volume;
};

/// One beat of the tissue, by the rule of analysis::TissueBeat.
struct BeatSpan
{
    std::int64_t number = 0;         ///< 1 for the first of the run
    double from_ms = 0, last_ms = 0; ///< its first and newest activation
    double share = 0;                ///< of the mesh's vertices, that were activated in it
    bool turns = false;              ///< places were activated more than once (re-entry)
    /// When the pulse that began it was given: its activation and repolarisation count from there.
    /// Nothing where none did, and for re-entry: those count from the start of the run.
    std::optional<double> pulse_ms = {};
    /// Whether it reached half of the vertices, or 1 % of them and new places 30 ms after its first
    /// activation: a pulse that excites its own site alone does neither. A beat that has just begun
    /// has not propagated yet.
    bool propagated = true;
    double repolarised = 0; ///< share of the places that it activated, by now
};

/// The fields of a MapFrame inside the wall: a value per vertex of Scene::mesh.
struct VolumeMaps
{
    std::vector<float> activation, repolarisation, apd90, period;
};

/// Maps of one beat, during the run. Immutable; a value per vertex of Scene::surface. All four are
/// of the same activation of a place, its newest in that beat; NaN where it took no part in it.
struct MapFrame
{
    std::uint64_t run = 0;
    std::int64_t step = 0;
    double time_ms = 0;
    std::vector<BeatSpan> beats;   ///< that can be asked for, the newest last
    std::int64_t beat = 0;         ///< number of the one that is shown; 0: there is none yet
    std::int64_t asked = 0;        ///< WatchMaps::beat; above 0: named, else one of the newest
    std::vector<float> activation; ///< since BeatSpan::pulse_ms, else the start [ms]
    std::vector<float> repolarisation; ///< the end of that activation, likewise; NaN: not yet
    std::vector<float> apd90;          ///< from the one to the other [ms]
    std::vector<float> period;         ///< since the activation before [ms]; NaN: there was none
    std::vector<std::array<float, 3>> velocity; ///< of conduction [mm/ms]; NaN where unknown
    std::vector<std::int32_t> activations; ///< how often each was activated since it is followed
    /// Over all unknowns: how many there are, and how many were ever activated and repolarised.
    std::int64_t unknowns = 0, activated = 0, repolarised = 0;
    std::shared_ptr<const VolumeMaps> volume; ///< while WatchVolume is on; else null
};

/// Samples of the electrocardiogram from one on: mV[lead][i] at time_ms[i].
struct Ecg
{
    std::vector<std::string> leads;    ///< names
    std::vector<Electrode> electrodes; ///< as placed
    std::vector<double> time_ms;
    std::vector<std::vector<float>> mV;
    double every_ms = 0;
    /// Changes when the samples start anew, or their leads are others; mV of a lead that came later
    /// is NaN before.
    std::uint64_t generation = 0;
};

/// A kernel against its ceiling. Sums since the load or the last Reset; a window takes differences.
struct KernelFigure
{
    std::string name, device;
    std::int64_t calls = 0;
    double ms = 0, bytes = 0, flops = 0;
    double ceiling_GB_per_s = 0, ceiling_GFLOP_per_s = 0; ///< 0 until MeasureCeilings was answered
    /// Of the ceiling that bounds it: the larger of (bytes / ms) / ceiling and (flops / ms) /
    /// ceiling.
    double fraction = 0;
    std::string bound_by; ///< "memory", "arithmetic", "" while unknown
    /// To and from the device's memory by its hardware counters, as `bytes` are by the data
    /// structures; 0: not counted. MeasureCeilings has them counted where that is possible.
    double counted_bytes = 0;
};

/// How the heart is cut for devices.
struct Partition
{
    std::uint64_t run = 0;
    int shards = 1;
    std::vector<std::int32_t> shard;     ///< per surface vertex
    std::vector<std::uint8_t> separator; ///< per surface vertex: 1 where another shard reads it
};

/// One beat at a probe.
struct Beat
{
    double activation_ms = 0; ///< time of the largest dV/dt
    double upstroke_mV_per_ms = 0;
    double rest_mV = 0, peak_mV = 0, amplitude_mV = 0;
    double apd30_ms = 0, apd50_ms = 0, apd90_ms = 0; ///< NaN where V did not come back that far
    double diastolic_ms = 0; ///< from the APD90 before to this activation; NaN for the first
    double cycle_ms = 0;     ///< since the activation before; NaN for the first

    /// Whether V had come back by 90 % at that time [ms]; infinity: at all.
    bool over_by(double ms) const { return activation_ms + apd90_ms <= ms; } // NaN: it has not
    /// Whether that time [ms] is after its activation and before it was over: what was changed then
    /// fell into it.
    bool holds(double ms) const { return activation_ms < ms && !over_by(ms); }
};

/// How the engine fares, pulled at display rate.
struct Status
{
    enum class State { empty, loading, paused, running, finished, failed };
    State state = State::empty;
    std::uint64_t run = 0;
    std::int64_t step = 0;
    double time_ms = 0;
    double end_ms = 0;
    double ms_per_second = 0; ///< simulated ms per wall second, over the last half second or so
    double steps_per_second = 0;
    double cell_steps_per_second = 0;
    std::uint64_t frames_published = 0, frames_dropped = 0;
    std::uint64_t samples_dropped = 0; ///< of maps and phase, because their computation was behind
    bool changing_tissue = false;      ///< a SetTissue is being prepared
    bool recording = false;
    double loading_fraction = 0;
    std::string loading_stage;
};

/// Samples of a probe since its start: V [mV] at time[i] [ms], every sample_ms of simulated time.
struct Trace
{
    std::uint64_t probe = 0; ///< id, from the answer to AddProbe
    std::string name;
    Vec3 position_mm{};
    std::vector<double> time_ms;
    std::vector<float> V_mV;
};

// Commands: values, applied between two steps, each answered by an Answer event with the same id.
struct Load
{
    Session session;
};
struct Play
{
};
struct Pause
{
};
struct StepOnce
{
    int steps = 1;
}; ///< only while paused
struct Reset
{
}; ///< back to t = 0 of the same session; keeps probes, drops live stimuli
/// Depolarises a ball of tissue now.
struct Stimulate
{
    Vec3 position_mm{};
    double radius_mm = 2.5;
    double duration_ms = 2;
    double amplitude_pA_per_pF = 50;
    /// Name of the session's stimulus that gives it: its pulse is counted and told as that one's.
    /// Empty, or of none that is listed: it is nobody's.
    std::string site = {};
};
struct AddProbe
{
    std::string name;
    Vec3 position_mm{};
};
struct RemoveProbe
{
    std::uint64_t probe = 0;
};
/// Upper bound of the speed [simulated ms per wall second]; 0: as fast as it goes.
struct LimitSpeed
{
    double ms_per_second = 0;
};
/// Wall time between two frames that the engine makes, at least [ms].
struct FrameInterval
{
    double wall_ms = 16;
};
/// Where the values of frames are wanted: in the host's memory, on the GPU that computes them, or
/// both. Where none computes they are on the host. It holds for later loads too.
struct FrameValues
{
    bool host = true, device = false;
};
/// Ends a Load that is under way; what was loaded before stays. The Load is answered as refused.
struct CancelLoad
{
};
/// Runs to that time and pauses there (used by unattended screenshots and movies).
struct RunUntil
{
    double time_ms = 0;
};
/// Replaces all stimuli of the session, also while running; pulses that have begun end as they
/// would have.
struct SetStimuli
{
    std::vector<Stimulus> stimuli;
};
/// Replaces regions and drugs. Changes of parameters alone count from the next step on. Others
/// (places, models, conductivities) are prepared while the run goes on, said by Loading events, and
/// answered when they are in force: cells that keep their model keep their state. A model file
/// whose text has changed is another model. A newer SetTissue takes the place of one under way
/// (answered as refused). Without prepacing that of the session stays; another one counts from the
/// next start.
struct SetTissue
{
    std::vector<Region> regions;
    std::vector<Drug> drugs;
    std::optional<Prepacing> prepacing = {};
};
/// Replaces the electrodes; samples start anew, but for leads that are the same as before. No
/// electrodes and no 12 leads: switched off.
struct SetElectrodes
{
    std::vector<Electrode> electrodes;
    Leads leads;
    double every_ms = 1;
};
/// Maps are computed and published, at most every wall_ms.
/// beat: its number (the nearest that is kept where that is not), or
/// - newest: the newest that propagated;
/// - newest_repolarised: the newest that propagated and that repolarised in nine tenths of the
///   places that it activated; `newest` where none has.
struct WatchMaps
{
    static constexpr std::int64_t newest = 0, newest_repolarised = -1;

    bool on = true;
    double wall_ms = 250;
    std::int64_t beat = newest;
};
struct WatchVolume
{
    bool on = true;
}; ///< Frame::volume
struct WatchPhase
{
    bool on = true;
}; ///< Frame::phase and Frame::singularities
/// The time at which the run ends; a finished run may then go on.
struct SetEnd
{
    double end_ms = 0;
};
/// Keeps frames every so many simulated ms in at most max_bytes on disk (recording()).
struct StartRecording
{
    double every_ms = 1;
    std::uint64_t max_bytes = std::uint64_t{1} << 30;
};
struct StopRecording
{
}; ///< what was recorded stays readable
/// Answered at once; a run holds while it is measured (half a second), then CeilingsMeasured
/// follows. On one GPU four steps are taken under its hardware counters as well, and taken back.
struct MeasureCeilings
{
};
/// Writes results; `kind` is a name of export_choices() (export.hpp). Answered at once; Exported
/// follows.
struct Export
{
    std::string kind;
    std::filesystem::path path;
};
using Command =
    std::variant<Load, Play, Pause, StepOnce, Reset, Stimulate, AddProbe, RemoveProbe, LimitSpeed,
                 FrameInterval, FrameValues, RunUntil, CancelLoad, SetStimuli, SetTissue,
                 SetElectrodes, WatchMaps, WatchVolume, WatchPhase, SetEnd, StartRecording,
                 StopRecording, MeasureCeilings, Export>;

// Events: rare, pushed from the engine's thread.
struct Loading
{
    double fraction = 0;
    std::string stage;
};
struct Loaded
{
    std::shared_ptr<const Scene> scene;
};
struct Answer
{
    std::uint64_t command = 0;
    bool applied = true;
    std::string reason;
    std::uint64_t probe = 0;
};
struct StateChanged
{
    Status::State state = Status::State::empty;
};
struct Failed
{
    std::string what;
}; ///< the run stopped; what() of the error, one line
/// The session was edited while it runs: same run, same mesh and surface.
struct SceneChanged
{
    std::shared_ptr<const Scene> scene;
};
/// Whether a pulse captured, by the rule of CaptureWatch. Pushed when that is known.
struct CaptureEvent
{
    /// Index in the session's list, also of a Stimulate that names one of them; -1: another
    /// Stimulate.
    int stimulus = -1;
    std::uint64_t command = 0; ///< id of that Stimulate
    int pulse = 0;             ///< counted from 0 since the stimulus was set; 0 of a Stimulate
    double time_ms = 0;        ///< when the pulse began
    bool captured = false;
    /// Mean V around the site when it began [mV]: of tissue at rest, or not back there yet. NaN:
    /// not known.
    double around_mV = std::numeric_limits<double>::quiet_NaN();
    bool overtaken = false; ///< it did not capture, and a wave from elsewhere came to the site
};
struct CeilingsMeasured
{
    device::Ceilings ceilings;
    std::string device;
    std::string not_counted; ///< why KernelFigure::counted_bytes are 0; empty: they are not
    /// A sentence: why the steps that were counted could not be taken back, so that the run's state
    /// is another one; it was paused. Empty: the state is as it was.
    std::string not_restored;
};
/// An Export ended; `error` is empty when it went well.
struct Exported
{
    std::uint64_t command = 0;
    std::filesystem::path path;
    std::string error;
};
using Event = std::variant<Loading, Loaded, Answer, StateChanged, Failed, SceneChanged,
                           CaptureEvent, CeilingsMeasured, Exported>;

} // namespace tawara::simulation
