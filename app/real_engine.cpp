// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/real_engine.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <cctype>
#include <malloc.h>

namespace tawara {
namespace {

/// The window comes first: what it and the rasteriser of software OpenGL need is little and soon
/// done, while the solver takes every core that it gets.
constexpr int solver_niceness = 5;
// Pools of memory that threads share. With one for each of the threads that come and go to prepare
// tissue, as glibc has it, each keeps some tens of MB that no other can use: 590 to 710 MB in place
// of 450 with the built-in heart.
constexpr int memory_pools = 2;

class RealEngine : public EngineControl
{
  public:
    RealEngine(EventHandler handler, const simulation::EngineOptions& options)
        : engine_(std::move(handler), options)
    {
    }
    std::uint64_t post(simulation::Command command) override
    {
        return engine_.post(std::move(command));
    }
    std::shared_ptr<const simulation::Frame> newest_frame() const override
    {
        return engine_.newest_frame();
    }
    simulation::Status status() const override { return engine_.status(); }
    std::vector<simulation::Trace> traces() const override { return engine_.traces(); }
    simulation::Trace trace(std::uint64_t probe, std::size_t from) const override
    {
        return engine_.trace(probe, from);
    }
    std::shared_ptr<const simulation::MapFrame> newest_maps() const override
    {
        return engine_.newest_maps();
    }
    simulation::Ecg ecg(std::size_t from) const override { return engine_.ecg(from); }
    std::vector<simulation::KernelFigure> kernels() const override { return engine_.kernels(); }
    std::shared_ptr<const simulation::Partition> partition() const override
    {
        return engine_.partition();
    }
    std::vector<simulation::Beat> beats(std::uint64_t probe) const override
    {
        return engine_.beats(probe);
    }
    std::shared_ptr<const simulation::Recording> recording() const override
    {
        return engine_.recording();
    }

  private:
    simulation::Engine engine_;
};

} // namespace

EngineMaker real_engine(simulation::EngineOptions options)
{
    options.niceness = std::max(options.niceness, solver_niceness);
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, memory_pools);
#endif
    return [options](EventHandler handler) {
        return std::make_unique<RealEngine>(std::move(handler), options);
    };
}

simulation::Session open_session(const std::filesystem::path& file)
{
    if (file.empty())
        return simulation::default_session();
    if (!std::filesystem::exists(file))
        throw InputError(file.string(), "there is no such file");
    std::string ending = file.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return ending == ".json" ? simulation::read_session(file) : simulation::session_for_mesh(file);
}

} // namespace tawara
