// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/device/memory_plan.hpp"
#include "engine/device/stepper.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/simulation/observe/curves.hpp"
#include "engine/simulation/observe/kernel_figure.hpp"
#include "engine/simulation/observe/maps.hpp"
#include "engine/simulation/observe/scene.hpp"
#include "engine/simulation/pacing/pulse_messages.hpp"
#include "engine/simulation/session/session.hpp"

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

class Recording;     // recording.hpp
struct DyadFrame;    // dyad_frame.hpp
struct NetworkFrame; // network_frame.hpp

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
    /// The cell that WatchDyads chose, at this step; null where none is, or it has no dyads any
    /// more.
    std::shared_ptr<const DyadFrame> dyads;
    /// The Purkinje network at this step; null where there is none.
    std::shared_ptr<const NetworkFrame> network;
};

/// How the heart is cut for devices.
struct Partition
{
    std::uint64_t run = 0;
    int shards = 1;
    std::vector<std::int32_t> shard;     ///< per surface vertex
    std::vector<std::uint8_t> separator; ///< per surface vertex: 1 where another shard reads it
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
    double share_quiescent = 0;                 ///< of device::Stepper; 0 where nothing may rest
    std::optional<device::NewtonCounts> newton; ///< of device::Stepper
    std::uint64_t frames_published = 0, frames_dropped = 0;
    std::uint64_t samples_dropped = 0; ///< of maps and phase, because their computation was behind
    bool changing_tissue = false;      ///< a SetTissue is being prepared
    bool recording = false;
    double loading_fraction = 0;
    std::string loading_stage;
};

// Commands: values, applied between two steps, each answered by an Answer event with the same id.
/// @param checkpoint  of a run of this session: the state that it begins with. Where it cannot be
///                    taken, the session begins at its start, and a warning of the scene says why
struct Load
{
    Session session;
    std::filesystem::path checkpoint = {};
    /// What it is computed on and in, in place of the engine's choice, e.g. because that has no
    /// room.
    std::optional<device::MemoryPlan> plan = {};
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
/// Replaces the Purkinje network's keys. Cuts, pulses of the root and the junctions' resistance
/// count from the next step on. A network that is added, removed or another one is prepared while
/// the run goes on, and so is the search for a resistance: said by Loading events, and answered
/// when it is in force. A new network is at rest then; the tissue goes on. Edits that come
/// meanwhile, of either kind, are prepared together with it.
struct SetPurkinje
{
    Held<PurkinjeKeys> keys;
};
/// Ends the change of tissue or network that is being prepared; it is answered as refused.
struct CancelChange
{
};
/// Replaces the electrodes; samples start anew, but for leads that are the same as before. No
/// electrodes and no 12 leads: switched off.
struct SetElectrodes
{
    std::vector<Electrode> electrodes;
    Leads leads;
    double every_ms = 1;
};
struct WatchVolume
{
    bool on = true;
}; ///< Frame::volume
/// Frame::phase and Frame::singularities. Refused, and then there are none, where a model of the
/// tissue lacks what the plane needs.
struct WatchPhase
{
    bool on = true;
    PhasePlane plane = {};
};
/// Frame::dyads, of the cell nearest to a place; nothing: no longer. Refused where that cell has no
/// dyads or a GPU computes it; the cell that was watched before stays. A Load ends it.
struct WatchDyads
{
    std::optional<Vec3> cell_mm;
};
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
/// Writes the state as it is now into a checkpoint, whole or not at all, beside the run; a Load of
/// the session as it is now can begin with it. Answered at once; StateKept follows where it was
/// applied. Refused where there is no state that could be gone on from (nothing computed yet, the
/// run failed, a change of the tissue is being prepared), or no room for it.
struct KeepState
{
    std::filesystem::path file;
    double most_bytes = 0; ///< it may take [bytes]; 0: any
};
using Command = std::variant<Load, Play, Pause, StepOnce, Reset, Stimulate, AddProbe, RemoveProbe,
                             LimitSpeed, FrameInterval, FrameValues, RunUntil, CancelLoad,
                             SetStimuli, SetTissue, SetPurkinje, CancelChange, SetElectrodes,
                             WatchMaps, WatchVolume, WatchPhase, WatchDyads, SetEnd, StartRecording,
                             StopRecording, MeasureCeilings, Export, KeepState>;

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
    std::string reason; ///< of a refusal: one line
    std::uint64_t probe = 0;
    std::string where = {}; ///< JSON pointer of what is wrong in the session; empty: not said
    std::string fault = {}; ///< with `where`: what is wrong there, and what would be right
    bool cancelled = false; ///< refused because somebody asked for it
    /// Of a Load for which a device has no memory: what it could be computed by; else empty.
    std::vector<device::MemoryPlan> plans = {};
};
struct StateChanged
{
    Status::State state = Status::State::empty;
};
/// The run stopped.
struct Failed
{
    std::string what;                  ///< what() of the error, one line
    std::optional<Vec3> place_mm = {}; ///< where the solution failed; nothing: it was not that
    std::string device = {};           ///< the device that failed, e.g. "cuda:0"; else empty
    /// Where a device failed: what a run can go on with in its place; nothing: there is nothing.
    std::optional<device::MemoryPlan> plan = {};
};
/// The session was edited while it runs: same run, same mesh and surface.
struct SceneChanged
{
    std::shared_ptr<const Scene> scene;
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
/// A KeepState ended; `error` is empty when the file is there.
struct StateKept
{
    std::uint64_t command = 0;
    std::filesystem::path file;
    double time_ms = 0;
    std::string error;
};
using Event = std::variant<Loading, Loaded, Answer, StateChanged, Failed, SceneChanged,
                           CaptureEvent, CeilingsMeasured, Exported, StateKept>;

} // namespace tawara::simulation
