// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/real_engine.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <condition_variable>
#include <malloc.h>
#include <mutex>
#include <thread>

namespace tawara {
namespace {

/// The window comes first: what it and the rasteriser of software OpenGL need is little and soon
/// done, while the solver takes every core that it gets.
constexpr int solver_niceness = 10;
// Pools of memory that threads share. With one for each of the threads that come and go to prepare
// tissue, as glibc has it, each keeps some tens of MB that no other can use: 590 to 710 MB in place
// of 450 with the built-in heart.
constexpr int memory_pools = 2;

#ifdef __GLIBC__
/// Gives pages of memory that nothing is in back to the system now and then. By itself malloc keeps
/// those between what is in use: in half an hour 7 % more, of which the program held nothing. Low
/// limits for blocks of their own (M_MMAP_THRESHOLD) do the same, but each picture's buffer would
/// come anew from the system: the window's thread worked twice as long for a picture.
/// @cost  7 ms of a thread of its own, twice a minute
class MemoryReturn
{
  private:
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::jthread thread_{[this](const std::stop_token& stop) {
        constexpr std::chrono::seconds now_and_then{30};
        std::unique_lock hold(mutex_);
        while (!wake_.wait_for(hold, stop, now_and_then, [&] { return stop.stop_requested(); }))
            malloc_trim(0);
    }};
};
#endif

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
#ifdef __GLIBC__
    MemoryReturn memory_;
#endif
};

} // namespace

EngineMaker real_engine(simulation::EngineOptions options)
{
    options.niceness = std::max(options.niceness, solver_niceness);
    options.choose_precision = true;
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, memory_pools);
#endif
    return [options](EventHandler handler) {
        return std::make_unique<RealEngine>(std::move(handler), options);
    };
}

namespace {

simulation::Session open_session(const std::filesystem::path& file, const Context& context)
{
    if (file.empty())
        return simulation::default_session();
    if (!std::filesystem::exists(file))
        throw InputError(file.string(), "there is no such file");
    std::string ending = file.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return ending == ".json" ? simulation::read_session(file)
                             : simulation::session_for_mesh(file, {{}, {}, context});
}

} // namespace

std::function<simulation::Session(const std::filesystem::path& file)>
session_opener(const Context& context)
{
    return [context](const std::filesystem::path& file) { return open_session(file, context); };
}

} // namespace tawara
