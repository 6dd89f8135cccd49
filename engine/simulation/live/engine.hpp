// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/context.hpp"
#include "engine/simulation/live/messages.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tawara::simulation {

struct EngineOptions
{
    std::string devices = "auto";         ///< cpu, cuda, cuda:0,1 or auto
    std::optional<Precision> precision{}; ///< none: what the session asks for, see Session
    /// Where neither asks for a precision: live_precision() is taken, which is said, and not
    /// double.
    bool choose_precision = false;
    unsigned threads = 0; ///< that step; 0: as many of the context's as the unknowns keep busy
    Context context{};    ///< what all of its work may use
    double trace_sample_ms = 0.1; ///< between samples of a probe while V moves slowly there
    int niceness = 0; ///< of all its threads, 0 to 19: above 0 they give way to the caller's
};

/// Runs one simulation on a thread of its own. Commands go in by value and are applied between
/// steps; the newest frame, status and traces are pulled; rare events are pushed.
///
/// @thread every member may be called from any thread; none waits for a step, except traces(),
/// which waits
///         at most for the copy of the traces. The event handler is called on the engine's thread.
class Engine
{
  public:
    using Handler = std::function<void(const Event&)>;
    explicit Engine(Handler handler, EngineOptions options = {});
    ~Engine(); ///< cancels loading, ends the thread
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// Queues a command; its id comes back in the Answer. A new Load cancels one that is under way.
    std::uint64_t post(Command command);
    std::shared_ptr<const Frame> newest_frame() const; ///< null before the first
    Status status() const;
    std::vector<Trace> traces() const;
    /// Samples of one probe from index `from` on (so that a plot fetches only what is new).
    Trace trace(std::uint64_t probe, std::size_t from) const;

    /// Maps, at most as often as WatchMaps asked for; null before the first and after a Load.
    std::shared_ptr<const MapFrame> newest_maps() const;
    /// Samples of the electrocardiogram from index `from` on; no leads when there are no
    /// electrodes.
    Ecg ecg(std::size_t from) const;
    /// Kernels so far, as of a few milliseconds after the call before, or of the last pause or end;
    /// empty while nothing is loaded.
    std::vector<KernelFigure> kernels() const;
    /// Null while nothing is loaded.
    std::shared_ptr<const Partition> partition() const;
    /// Beats of a probe, measured from its trace now, each with the pulse that made it; empty for
    /// an unknown one.
    /// @cost  linear in the trace's length, and note_makers(): call it on a worker for long runs
    std::vector<Beat> beats(std::uint64_t probe) const;
    /// The recording under way or the last one; null before the first StartRecording.
    std::shared_ptr<const Recording> recording() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace tawara::simulation
