// SPDX-License-Identifier: GPL-3.0-or-later
// The one place where a back end is chosen, and where the machine says what it can compute on.
#include "engine/core/error.hpp"
#include "engine/device/cpu/cpu_stepper.hpp"
#include "engine/device/cpu/sell.hpp"
#include "engine/device/stepper.hpp"

#include <thread>

namespace tawara::device {
namespace {

/// Why CUDA cannot be used by this program on this machine; empty when it can.
std::string cuda_reason()
{
    return "this version computes on the CPU only; its CUDA back end is not built";
}

} // namespace

std::vector<DeviceInfo> devices()
{
    const auto n = std::max(1u, std::thread::hardware_concurrency());
    return {{"cpu", "CPU, " + std::to_string(n) + " hardware threads, " + cpu::vector_target(), true, ""},
            {"cuda", "NVIDIA GPUs", false, cuda_reason()}};
}

std::unique_ptr<Stepper> make_stepper(const TissueProblem& problem, const StepperOptions& options,
                                      const Progress& progress, Notices* notices)
{
    const auto& d = options.devices;
    if (d.rfind("cuda", 0) == 0)
        throw InputError("--devices", d + " cannot be used: " + cuda_reason() + "; use cpu or auto");
    if (d != "cpu" && d != "auto")
        throw InputError("--devices", "unknown device '" + d + "'; use cpu, cuda, cuda:0,1 or auto");
    if (d == "auto" && notices)
        notices->push_back({Notice::Level::info, "computing on the CPU: " + cuda_reason()});
    switch (options.precision) {
    case Precision::double_: return cpu::make_cpu_stepper<double>(problem, options.threads, progress);
    case Precision::single: return cpu::make_cpu_stepper<float>(problem, options.threads, progress);
    case Precision::mixed: break;
    }
    throw InputError("--precision", "mixed precision is not available on the CPU; use double or single");
}

} // namespace tawara::device
