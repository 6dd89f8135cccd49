// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/simulation/session.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

/// The values that pass between the engine and whoever shows it: no control, so that widgets may know them.
namespace tawara::simulation {

/// What a view needs to draw a loaded simulation. Immutable and shared.
struct Scene
{
    std::uint64_t run = 0;                 ///< counts loads; frames carry it
    Session session;
    std::shared_ptr<const mesh::TetMesh> mesh;
    std::shared_ptr<const mesh::Surface> surface;
    std::string device;                    ///< e.g. "CPU, 2 threads, AVX-512, double"
    std::string title;                     ///< name of the session or mesh file
    std::int64_t unknowns = 0;
    double dt_ms = 0;
    std::string substeps;                  ///< how diffusion steps inside dt, for the status bar
    Notices notices;                       ///< of loading: units, turned, repaired, ...
};

/// One picture of the potential. Immutable; `values` belong to the vertices of Scene::surface.
struct Frame
{
    std::uint64_t run = 0;
    std::int64_t step = 0;
    double time_ms = 0;
    std::vector<float> values;             ///< V [mV], one per surface vertex
    std::chrono::steady_clock::time_point made;
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
    double ms_per_second = 0;              ///< simulated ms per wall second, over the last half second or so
    double steps_per_second = 0;
    double cell_steps_per_second = 0;
    std::uint64_t frames_published = 0, frames_dropped = 0;
    double loading_fraction = 0;
    std::string loading_stage;
};

/// Samples of a probe since its start: V [mV] at time[i] [ms], every sample_ms of simulated time.
struct Trace
{
    std::uint64_t probe = 0;               ///< id, from the answer to AddProbe
    std::string name;
    Vec3 position_mm{};
    std::vector<double> time_ms;
    std::vector<float> V_mV;
};

// Commands: values, applied between two steps, each answered by an Answer event with the same id.
struct Load { Session session; };
struct Play {};
struct Pause {};
struct StepOnce { int steps = 1; };        ///< only while paused
struct Reset {};                           ///< back to t = 0 of the same session; keeps probes, drops live stimuli
/// Depolarises a ball of tissue now.
struct Stimulate
{
    Vec3 position_mm{};
    double radius_mm = 2.5;
    double duration_ms = 2;
    double amplitude_pA_per_pF = 50;
};
struct AddProbe { std::string name; Vec3 position_mm{}; };
struct RemoveProbe { std::uint64_t probe = 0; };
/// Upper bound of the speed [simulated ms per wall second]; 0: as fast as it goes.
struct LimitSpeed { double ms_per_second = 0; };
/// Wall time between two frames that the engine makes, at least [ms].
struct FrameInterval { double wall_ms = 16; };
/// Ends a Load that is under way; what was loaded before stays. The Load is answered as refused.
struct CancelLoad {};
/// Runs to that time and pauses there (used by unattended screenshots and movies).
struct RunUntil { double time_ms = 0; };
using Command = std::variant<Load, Play, Pause, StepOnce, Reset, Stimulate, AddProbe, RemoveProbe,
                             LimitSpeed, FrameInterval, RunUntil, CancelLoad>;

// Events: rare, pushed from the engine's thread.
struct Loading { double fraction = 0; std::string stage; };
struct Loaded { std::shared_ptr<const Scene> scene; };
struct Answer { std::uint64_t command = 0; bool applied = true; std::string reason; std::uint64_t probe = 0; };
struct StateChanged { Status::State state = Status::State::empty; };
struct Failed { std::string what; };       ///< the run stopped; what() of the error, one line
using Event = std::variant<Loading, Loaded, Answer, StateChanged, Failed>;

} // namespace tawara::simulation
