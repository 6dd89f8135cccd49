// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/live/messages.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace tawara {

/// The engine as EngineHost sees it; tests put a fake in its place. The same rules as
/// simulation::Engine: any thread may call any member, none waits for a step, events come on the
/// engine's thread.
class EngineControl
{
  public:
    virtual ~EngineControl() = default;
    virtual std::uint64_t post(simulation::Command command) = 0;
    virtual std::shared_ptr<const simulation::Frame> newest_frame() const = 0;
    virtual simulation::Status status() const = 0;
    virtual std::vector<simulation::Trace> traces() const = 0;
    virtual simulation::Trace trace(std::uint64_t probe, std::size_t from) const = 0;
    virtual std::shared_ptr<const simulation::MapFrame> newest_maps() const = 0;
    virtual simulation::Ecg ecg(std::size_t from) const = 0;
    virtual std::vector<simulation::KernelFigure> kernels() const = 0;
    virtual std::shared_ptr<const simulation::Partition> partition() const = 0;
    virtual std::vector<simulation::Beat> beats(std::uint64_t probe) const = 0;
    virtual std::shared_ptr<const simulation::Recording> recording() const = 0;
};

using EventHandler = std::function<void(const simulation::Event&)>;
using EngineMaker = std::function<std::unique_ptr<EngineControl>(EventHandler)>;

} // namespace tawara
