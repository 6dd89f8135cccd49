// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/error.hpp"
#include "engine/core/units.hpp"
#include "engine/device/devices.hpp"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tawara::device {

struct TissueProblem;
struct StepperOptions;

/// A way to compute a tissue whose memory is there.
struct MemoryPlan
{
    Devices devices;
    Precision precision = Precision::double_;
    bool maps = true;        ///< activation maps are kept (StepperOptions::maps)
    double needed_bytes = 0; ///< of each device; of the machine's memory where the CPU computes
    double there_bytes = 0;  ///< of that, on the device that has least
    std::string words;       ///< "single precision on cuda:0 (about 9 GB of 20 GB free)"
    bool operator==(const MemoryPlan&) const = default;
};

/// What a tissue takes, by precision: of a GPU that has all of it, of the machine's memory where
/// the CPU steps it; 0: it cannot be computed so.
struct MemoryNeed
{
    static constexpr std::array precisions{Precision::double_, Precision::mixed, Precision::single};
    std::array<double, 3> on_cuda{}, on_cpu{}; ///< [bytes], in the order of `precisions`
    bool can_split = true;                     ///< over several GPUs
    std::array<double, 3> maps_on_cuda{};      ///< of on_cuda: what activation maps take
    std::size_t weight = 0;                    ///< weight_among_devices()
};

/// Memory of a CUDA device that nobody has taken.
struct FreeMemory
{
    int number = 0;
    double bytes = 0;
};

/// Ways to compute a tissue that found no room, the one that changes least first: the same
/// precision on another GPU or several, mixed or single precision; without activation maps, in the
/// precision that was tried and where another one has no room with them; the CPU. None takes more
/// of a device than nine tenths of what is free, but for the tried precision without maps: its
/// estimate may be all that is free.
/// @param tried      the precision that found no room
/// @param gpus       that may be used; empty: none
/// @param host_bytes free for the CPU's way; 0: not known, and it is not planned
std::vector<MemoryPlan> plans_that_fit(const MemoryNeed& need, Precision tried,
                                       std::span<const FreeMemory> gpus, double host_bytes);

/// What a run goes on with after one of its devices has failed: others of those that were asked
/// for, else the CPU, which has no mixed precision. Nothing: there is none.
/// @param failed  e.g. "cuda:1"
/// @param usable  numbers of the CUDA devices that can be used
std::optional<MemoryPlan> plan_without(const std::string& failed, const Devices& asked,
                                       Precision precision, std::span<const int> usable);

/// Numbers of the CUDA devices that can be used; none where that cannot be asked any more.
std::vector<int> usable_gpus() noexcept;

/// What devices have free now; none of them where CUDA cannot say.
std::vector<FreeMemory> free_on_gpus() noexcept;

/// What a tissue takes, by what the steppers allocate: cells, matrix rows, potentials, maps.
MemoryNeed memory_need(const TissueProblem& problem);

/// A device has no memory left.
struct DeviceMemoryError : DeviceError
{
    using DeviceError::DeviceError;
};

/// There is no memory on a device, but perhaps elsewhere. Exit status 4.
struct NoMemory : DeviceError
{
    NoMemory(const DeviceError& at, std::vector<MemoryPlan> plans_);
    const char* what() const noexcept override { return text_.c_str(); }
    /// Plans of another precision go: a run goes on from a checkpoint in its own.
    void keep(Precision p);
    std::vector<MemoryPlan> plans; ///< what fits, as plans_that_fit() has it
    bool begun = false;            ///< the stepper had been made

  private:
    void say_plans();

    std::string text_;
};

/// A failure with what fits, by what is free now: what failed should have given its memory back.
/// @param tried  what found no room, which is no plan
NoMemory no_memory(const DeviceMemoryError& e, const MemoryNeed& need, const StepperOptions& tried);

} // namespace tawara::device
