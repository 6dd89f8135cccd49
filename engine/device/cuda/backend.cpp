// SPDX-License-Identifier: GPL-3.0-or-later
// Which CUDA devices there are, what they can be asked, and the ceilings they reach.
#include "engine/device/cuda/backend.hpp"

#include "engine/core/error.hpp"
#include "engine/device/cuda/device_reaction.cuh"
#include "engine/device/cuda/links.hpp"
#include "engine/device/cuda/nvrtc.hpp"
#include "engine/device/cuda/stepper.cuh"

#include <algorithm>
#include <numeric>
#include <set>

namespace tawara::device::cuda {
namespace {

constexpr std::size_t unknowns_per_device = 1'000'000; // from so many on another device pays

/// Why one device cannot be used; empty when it can.
std::string device_reason(const cudaDeviceProp& p)
{
    if (p.major < 8)
        return "compute capability " + std::to_string(p.major) + "." + std::to_string(p.minor) +
               "; this program has code for 8.0 and later";
    return nvrtc_missing_reason();
}

/// Number of devices, or the reason why there is none.
int device_count(std::string& reason)
{
    int n = 0;
    const auto status = cudaGetDeviceCount(&n);
    if (status == cudaErrorInsufficientDriver) {
        int driver = 0;
        cudaDriverGetVersion(&driver);
        reason = driver == 0 ? "no NVIDIA driver is installed"
                             : "the NVIDIA driver is too old: it supports CUDA " +
                                   std::to_string(driver / 1000) + "." +
                                   std::to_string(driver % 1000 / 10) + ", this program needs " +
                                   std::to_string(CUDART_VERSION / 1000) + "." +
                                   std::to_string(CUDART_VERSION % 1000 / 10);
        n = 0;
    } else if (status == cudaErrorNoDevice || (status == cudaSuccess && n == 0)) {
        reason = "there is a driver, but no NVIDIA GPU";
        n = 0;
    } else if (status != cudaSuccess) {
        reason = std::string("CUDA does not start: ") + cudaGetErrorString(status);
        n = 0;
    }
    if (status != cudaSuccess)
        cudaGetLastError();
    return n;
}

cudaDeviceProp properties(int device)
{
    cudaDeviceProp p{};
    check(cudaGetDeviceProperties(&p, device), "cudaGetDeviceProperties", device);
    return p;
}

} // namespace

std::vector<DeviceInfo> devices()
{
    std::string reason;
    const int n = device_count(reason);
    if (n == 0)
        return {{"cuda", "NVIDIA GPUs", false, reason}};
    std::vector<DeviceInfo> out;
    for (int d = 0; d < n; ++d) {
        const auto p = properties(d);
        const auto why = device_reason(p);
        out.push_back({"cuda:" + std::to_string(d),
                       std::string(p.name) + ", " + std::to_string(p.totalGlobalMem >> 30) +
                           " GiB, " + std::to_string(p.multiProcessorCount) + " multiprocessors" +
                           (why.empty() ? ", cell models by NVRTC " + nvrtc_version() : ""),
                       why.empty(), why, d});
    }
    return out;
}

double free_memory_bytes(int device) noexcept
{
    try {
        const Current here(device);
        std::size_t free = 0, all = 0;
        if (cudaMemGetInfo(&free, &all) == cudaSuccess)
            return static_cast<double>(free);
        cudaGetLastError();
    } catch (...) { // it answers no more
    }
    return 0;
}

std::string unusable_reason()
{
    std::string reasons;
    for (const auto& d : devices()) {
        if (d.usable)
            return "";
        reasons += (reasons.empty() ? "" : "; ") + d.reason;
    }
    return reasons;
}

namespace {

/// Why unknowns of this problem cannot rest; empty when they can.
std::string quiescent_reason(const TissueProblem& p)
{
    const std::string what = "reaction.rest_tolerance_mV needs ";
    if (needs_solver(p) || p.stepping == Stepping::newton)
        return what + "explicit diffusion and lumped mass";
    if (p.splitting != Splitting::godunov)
        return what + "godunov splitting";
    if (longest_quiescent(p) < 2)
        return what + "time steps of at most " + std::to_string(p.longest_quiescent_ms / 2) + " ms";
    return "";
}

} // namespace

int longest_quiescent(const TissueProblem& p)
{
    if (!(p.rest_tolerance_mV > 0))
        return 0;
    return static_cast<int>(p.longest_quiescent_ms * (1 + 1e-9) / p.dt_ms);
}

std::string unsupported_reason(const TissueProblem& p, Precision precision)
{
    if (p.stepping == Stepping::newton) {
        if (precision != Precision::double_)
            return "Newton's method steps in double precision";
        if (p.system.scheme != diffusion::Scheme::p1)
            return "Newton's method is of linear elements";
        for (const auto& g : p.groups)
            if (g.reaction)
                return "Newton's method needs the equations of the cells, which " +
                       g.reaction->name() + " does not have";
    }
    if (needs_solver(p) && p.system.scheme != diffusion::Scheme::p1)
        return "implicit diffusion of fvm is not available on CUDA devices (its matrix is not "
               "symmetric; p1's is)";
    if (p.rest_tolerance_mV > 0) {
        const auto why = quiescent_reason(p);
        if (!why.empty())
            return why;
        if (precision == Precision::mixed)
            return "reaction.rest_tolerance_mV needs double or single precision";
    }
    return reaction_reason(p);
}

std::vector<int> device_numbers(const Devices& named, std::size_t unknowns)
{
    const auto all = devices();
    std::vector<int> numbers;
    if (named.numbers.empty()) {
        for (std::size_t d = 0; d < all.size(); ++d)
            if (all[d].usable &&
                (numbers.empty() || unknowns / (numbers.size() + 1) >= unknowns_per_device))
                numbers.push_back(static_cast<int>(d));
        if (numbers.empty())
            throw InputError("--devices",
                             "cuda cannot be used: " + unusable_reason() + "; use cpu or auto");
        return numbers;
    }
    for (const int number : named.numbers) {
        const auto id = Devices::cuda({number}).text();
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const auto& d) { return d.id == id; });
        if (found == all.end())
            throw InputError("--devices",
                             id + " cannot be used: " +
                                 (all[0].id == "cuda"
                                      ? all[0].reason
                                      : "there are only " + std::to_string(all.size()) +
                                            " CUDA devices, counted from 0") +
                                 "; use cpu or auto");
        if (!found->usable)
            throw InputError("--devices",
                             id + " cannot be used: " + found->reason + "; use cpu or auto");
    }
    return named.numbers;
}

namespace {

bool distinct(const std::vector<int>& devices)
{
    return std::set(devices.begin(), devices.end()).size() == devices.size();
}

/// Bandwidth of a device's memory by its clock and width, up to a factor; 0 where it is not told.
double bandwidth(int device)
{
    int clock = 0, width = 0;
    if (cudaDeviceGetAttribute(&clock, cudaDevAttrMemoryClockRate, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&width, cudaDevAttrGlobalMemoryBusWidth, device) != cudaSuccess)
        cudaGetLastError();
    return static_cast<double>(clock) * width;
}

/// Share of each device, in their order, sum 1; empty: all alike.
std::vector<double> shares_of(const std::vector<int>& devices, const Tuning& tuning)
{
    auto shares = tuning.shares;
    if (!shares.empty() && shares.size() != devices.size())
        throw InputError("--devices", std::to_string(shares.size()) + " shares for " +
                                          std::to_string(devices.size()) + " devices");
    if (shares.empty() && (devices.size() < 2 || !distinct(devices)))
        return {};
    if (shares.empty()) {
        for (int d : devices)
            shares.push_back(bandwidth(d));
        const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
        if (!(*least > 0) || *least == *most)
            return {};
    }
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& s : shares)
        s /= sum;
    return shares;
}

/// Shares of `devices` in the order of `placed`, the same devices in another one.
std::vector<double> moved_with(std::vector<double> shares, std::vector<int> devices,
                               const std::vector<int>& placed)
{
    for (std::size_t k = 0; k < placed.size(); ++k) {
        const auto from = static_cast<std::size_t>(
            std::find(devices.begin() + static_cast<std::ptrdiff_t>(k), devices.end(), placed[k]) -
            devices.begin());
        std::swap(shares[k], shares[from]);
        std::swap(devices[k], devices[from]);
    }
    return shares;
}

/// Cells with code of their own take neither long steps nor Newton's method, on the CPU either.
bool no_back_end_does(const TissueProblem& p)
{
    return (p.rest_tolerance_mV > 0 || p.stepping == Stepping::newton) &&
           std::any_of(p.groups.begin(), p.groups.end(),
                       [](const CellGroup& g) { return g.reaction != nullptr; });
}

} // namespace

std::unique_ptr<Stepper> make_cuda_stepper(const TissueProblem& p, const std::vector<int>& devices,
                                           const StepperOptions& options, const Progress& progress)
{
    const auto precision = options.precision;
    const auto& tuning = options.tuning;
    const auto why = unsupported_reason(p, precision);
    if (!why.empty())
        throw InputError("--devices",
                         why + (no_back_end_does(p) ? "; leave that out" : "; use --devices cpu"));
    enable_peers(devices);
    const bool mixed = precision == Precision::mixed, single = precision == Precision::single;
    const auto shares = shares_of(devices, tuning);
    const auto cut = [&](std::span<const double> of_parts) {
        return make_shards(p, static_cast<int>(devices.size()), single || mixed ? 4 : 2,
                           tuning.ordering, progress, of_parts);
    };
    auto sharding = cut(shares);
    const auto placed = placed_on(devices, sharding);
    if (placed != devices && !shares.empty()) // each part has the size of the device it comes to
        sharding = cut(moved_with(shares, devices, placed));
    if (single)
        return std::make_unique<CudaStepper<float>>(p, std::move(sharding), placed, options);
    return std::make_unique<CudaStepper<double>>(p, std::move(sharding), placed, options);
}

std::unique_ptr<Stepper> make_cuda_share_stepper(const TissueProblem& p, int device,
                                                 const StepperOptions& options, Halo& others,
                                                 const Progress& progress)
{
    const auto precision = options.precision;
    auto why = unsupported_reason(p, precision);
    if (why.empty() && p.currents == IonicCurrents::interpolated)
        why = "interpolated currents are not computed on GPUs of several ranks";
    if (!why.empty())
        throw InputError("--devices", why + "; use --devices cpu, or GPUs without --distributed");
    const bool single = precision == Precision::single;
    auto sharding = make_shards(p, 1, single || precision == Precision::mixed ? 4 : 2,
                                options.tuning.ordering, progress, {}, &others);
    if (single)
        return std::make_unique<CudaStepper<float>>(p, std::move(sharding), std::vector{device},
                                                    options, &others);
    return std::make_unique<CudaStepper<double>>(p, std::move(sharding), std::vector{device},
                                                 options, &others);
}

} // namespace tawara::device::cuda
