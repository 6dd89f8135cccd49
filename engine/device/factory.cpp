// SPDX-License-Identifier: GPL-3.0-or-later
// The one place where a back end is chosen, and where the machine says what it can compute on.
#include "engine/core/error.hpp"
#include "engine/core/memory.hpp"
#include "engine/device/cell_weights.hpp"
#include "engine/device/cpu/cpu_stepper.hpp"
#include "engine/device/cpu/sell.hpp"
#include "engine/device/memory_plan.hpp"
#include "engine/device/ranks/rank_stepper.hpp"
#include "engine/device/share_stepper.hpp"
#if TAWARA_HAVE_CUDA
#include "engine/device/cuda/backend.hpp"
#endif
#include "engine/device/stepper.hpp"

#include <algorithm>
#include <thread>

namespace tawara::device {
namespace {

#if TAWARA_HAVE_CUDA
constexpr bool have_cuda = true;
#else
constexpr bool have_cuda = false;
#endif

/// Why CUDA cannot be used by this program on this machine; empty when it can.
std::string cuda_reason()
{
#if TAWARA_HAVE_CUDA
    return cuda::unusable_reason();
#else
    return "this program computes on the CPU only; its CUDA back end is not built";
#endif
}

constexpr const char* tables_reason = "tables of functions of V are looked up on the CPU alone";

/// Why this problem goes to the CPU when the choice is free; empty when it goes to a GPU.
std::string cpu_reason([[maybe_unused]] const TissueProblem& p,
                       [[maybe_unused]] Precision precision)
{
    auto why = cuda_reason();
#if TAWARA_HAVE_CUDA
    if (why.empty() && p.table_step_mV > 0)
        why = tables_reason;
    if (why.empty())
        why = cuda::unsupported_reason(p, precision);
#endif
    return why;
}

std::unique_ptr<Stepper> cuda_stepper([[maybe_unused]] const TissueProblem& problem,
                                      [[maybe_unused]] const Devices& devices,
                                      [[maybe_unused]] const StepperOptions& options,
                                      [[maybe_unused]] const Progress& progress)
{
#if TAWARA_HAVE_CUDA
    try {
        return cuda::make_cuda_stepper(problem,
                                       cuda::device_numbers(devices, weight_among_devices(problem)),
                                       options, progress);
    } catch (const DeviceMemoryError& e) {
        throw no_memory(e, memory_need(problem), options);
    }
#else
    throw InputError("--devices", cuda_reason());
#endif
}

/// The devices that these options took; none where that cannot be told any more.
std::vector<int> taken_by([[maybe_unused]] const StepperOptions& options,
                          [[maybe_unused]] std::size_t weight)
{
    auto numbers = options.devices.numbers;
#if TAWARA_HAVE_CUDA
    if (numbers.empty() && options.devices.kind != Devices::Kind::cpu)
        try {
            numbers = cuda::device_numbers("cuda", weight);
        } catch (const Error&) { // CUDA answers no more
        }
#endif
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

} // namespace

std::vector<DeviceInfo> devices()
{
    const auto n = std::max(1u, std::thread::hardware_concurrency());
    std::vector<DeviceInfo> all{
        {"cpu", "CPU, " + std::to_string(n) + " hardware threads, " + cpu::vector_target(), true,
         ""}};
#if TAWARA_HAVE_CUDA
    for (auto& d : cuda::devices())
        all.push_back(std::move(d));
#else
    all.push_back({"cuda", "NVIDIA GPUs", false, cuda_reason()});
#endif
    return all;
}

std::vector<int> usable_gpus() noexcept
{
    try {
        std::vector<int> out;
        for (const auto& d : devices())
            if (d.usable && d.cuda >= 0)
                out.push_back(d.cuda);
        return out;
    } catch (...) { // CUDA answers no more
        return {};
    }
}

std::vector<FreeMemory> free_on_gpus() noexcept
{
    std::vector<FreeMemory> out;
#if TAWARA_HAVE_CUDA
    for (const int n : usable_gpus())
        if (const double bytes = cuda::free_memory_bytes(n); bytes > 0)
            out.push_back({n, bytes});
#endif
    return out;
}

NoMemory no_memory(const DeviceMemoryError& e, const MemoryNeed& need, const StepperOptions& tried)
{
    auto plans = plans_that_fit(need, tried.precision, free_on_gpus(), available_memory_bytes());
    const auto taken = Devices::cuda(taken_by(tried, need.weight));
    std::erase_if(plans, [&](const MemoryPlan& p) { // what just found no room
        return p.precision == tried.precision && p.devices == taken && p.maps >= tried.maps;
    });
    return {e, std::move(plans)};
}

bool on_cuda(const TissueProblem& problem, const StepperOptions& options)
{
    const auto kind = options.devices.kind;
    return kind == Devices::Kind::cuda ||
           (kind == Devices::Kind::automatic && cpu_reason(problem, options.precision).empty());
}

std::unique_ptr<Stepper> make_stepper(const TissueProblem& problem, const StepperOptions& options,
                                      const Progress& progress, Notices* notices)
{
    check_currents(problem);
    const auto& d = options.devices;
    if (auto* ranks = progress.context.ranks; ranks != nullptr && ranks->size() > 1) {
        auto stepper = ranks::make_rank_stepper(problem, options, *ranks, progress);
        if (notices)
            notices->push_back({Notice::Level::info, "computing on " + stepper->device()});
        return stepper;
    }
    if (d.kind == Devices::Kind::cuda) {
        if (problem.table_step_mV > 0)
            throw InputError("", "/reaction/tables_mV",
                             std::string(tables_reason) +
                                 "; leave tables_mV out (or set 0), or use --devices cpu");
        const auto why = cuda_reason();
        if (!have_cuda || !why.empty())
            throw InputError("--devices",
                             d.text() + " cannot be used: " + why + "; use cpu or auto");
        return cuda_stepper(problem, d, options, progress);
    }
    if (d.kind == Devices::Kind::automatic) {
        const auto why = cpu_reason(problem, options.precision);
        if (why.empty()) {
            auto stepper = cuda_stepper(problem, "cuda", options, progress);
            if (notices)
                notices->push_back({Notice::Level::info, "computing on " + stepper->device()});
            return stepper;
        }
        if (notices)
            notices->push_back({Notice::Level::info, "computing on the CPU: " + why});
    }
    switch (options.precision) {
    case Precision::double_:
        return cpu::make_cpu_stepper<double>(problem, options.threads, progress);
    case Precision::single:
        return cpu::make_cpu_stepper<float>(problem, options.threads, progress);
    case Precision::mixed:
        break;
    }
    const bool own = std::any_of(problem.groups.begin(), problem.groups.end(),
                                 [](const CellGroup& g) { return g.reaction != nullptr; });
    throw InputError("--precision",
                     std::string("mixed precision is not available on the CPU; use double or "
                                 "single") +
                         (own ? ", in which cells with code of their own choose what they keep in "
                                "double precision"
                              : ""));
}

void check_share(const StepperOptions& options)
{
    if (options.devices.kind != Devices::Kind::cuda && options.precision == Precision::mixed)
        throw InputError("--precision",
                         "mixed precision is not available on the CPU; use double or single");
}

std::unique_ptr<Stepper> make_share_stepper(const TissueProblem& share,
                                            const StepperOptions& options,
                                            [[maybe_unused]] int here, Halo& others,
                                            const Progress& progress)
{
    check_share(options);
    if (options.devices.kind == Devices::Kind::cuda) {
        if (share.table_step_mV > 0)
            throw InputError("", "/reaction/tables_mV",
                             std::string(tables_reason) +
                                 "; leave tables_mV out (or set 0), or use --devices cpu");
        if (const auto why = cuda_reason(); !have_cuda || !why.empty())
            throw InputError("--devices", options.devices.text() + " cannot be used: " + why +
                                              "; use cpu or auto");
#if TAWARA_HAVE_CUDA
        auto named = options.devices;
        if (named.numbers.empty())
            named.numbers = usable_gpus();
        const auto all = cuda::device_numbers(named, share.size());
        return cuda::make_cuda_share_stepper(
            share, all[static_cast<std::size_t>(here) % all.size()], options, others, progress);
#endif
    }
    return options.precision == Precision::single
               ? cpu::make_cpu_stepper<float>(share, options.threads, progress, &others)
               : cpu::make_cpu_stepper<double>(share, options.threads, progress, &others);
}

} // namespace tawara::device
