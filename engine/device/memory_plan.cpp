// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/memory_plan.hpp"

#include "engine/device/cell_weights.hpp"
#include "engine/device/problem.hpp"
#include "engine/device/state_places.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

namespace tawara::device {
namespace {

/// Of what is free, the rest is for code, graphs and what was not counted.
constexpr double usable_share = 0.9;
/// Where little is left out of what has just found no room, trying is the only way to know: the
/// estimate may be all that is free.
constexpr double tried_share = 1;
/// What a part of a tissue takes beside its share: halos, and that parts are not alike.
constexpr double split_share = 1.1;

std::string gigabytes(double bytes)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3g GB", bytes / 1e9);
    return text;
}

/// Whether a precision takes no more than the one that was tried. The CPU has no mixed one, which
/// double stands for there.
bool takes_no_more(Precision p, Precision tried, bool on_cpu)
{
    const auto rank = [&](Precision x) {
        return x == Precision::double_ ? 0 : x == Precision::mixed ? (on_cpu ? 0 : 1) : 2;
    };
    return rank(p) >= rank(tried);
}

MemoryPlan plan(Devices devices, Precision p, bool maps, double needed, double there,
                const std::string& where)
{
    return {std::move(devices),
            p,
            maps,
            needed,
            there,
            std::string(name(p)) + " precision" + (maps ? "" : " without activation maps") +
                " on " + where + " (about " + gigabytes(needed) + " of " + gigabytes(there) +
                " free)"};
}

/// The fewest GPUs, those with most free, on which each part has room; nothing: too few.
std::optional<MemoryPlan> on_gpus(double bytes, Precision p, bool maps, bool can_split,
                                  double share, std::vector<FreeMemory> gpus)
{
    std::stable_sort(gpus.begin(), gpus.end(),
                     [](const FreeMemory& a, const FreeMemory& b) { return a.bytes > b.bytes; });
    std::vector<int> taken;
    for (const auto& gpu : gpus) {
        taken.push_back(gpu.number);
        const auto n = static_cast<double>(taken.size());
        const double each = taken.size() == 1 ? bytes : split_share * bytes / n;
        if (each <= share * gpu.bytes) { // the one with least of those taken
            std::sort(taken.begin(), taken.end());
            const auto devices = Devices::cuda(taken);
            return plan(devices, p, maps, each, gpu.bytes,
                        (taken.size() > 1 ? "each of " : "") + devices.text());
        }
        if (!can_split)
            break;
    }
    return {};
}

} // namespace

std::vector<MemoryPlan> plans_that_fit(const MemoryNeed& need, Precision tried,
                                       std::span<const FreeMemory> gpus, double host_bytes)
{
    std::vector<MemoryPlan> out, without_maps;
    for (std::size_t k = 0; k < need.precisions.size(); ++k) {
        const auto p = need.precisions[k];
        if (!takes_no_more(p, tried, false) || !(need.on_cuda[k] > 0))
            continue;
        const auto with = [&](double bytes, bool maps) {
            const double share = !maps && p == tried ? tried_share : usable_share;
            return on_gpus(bytes, p, maps, need.can_split, share, {gpus.begin(), gpus.end()});
        };
        auto found = with(need.on_cuda[k], true);
        const bool fits = found.has_value();
        if (fits)
            out.push_back(std::move(*found));
        // the precision that was tried found no room, whatever the estimate says
        if (!(need.maps_on_cuda[k] > 0) || (fits && p != tried))
            continue;
        if (auto less = with(need.on_cuda[k] - need.maps_on_cuda[k], false))
            without_maps.push_back(std::move(*less));
    }
    std::move(without_maps.begin(), without_maps.end(), std::back_inserter(out));
    for (std::size_t k = 0; k < need.precisions.size(); ++k) {
        const auto p = need.precisions[k];
        if (takes_no_more(p, tried, true) && need.on_cpu[k] > 0 &&
            need.on_cpu[k] <= usable_share * host_bytes)
            out.push_back(plan("cpu", p, true, need.on_cpu[k], host_bytes, "the CPU"));
    }
    return out;
}

std::optional<MemoryPlan> plan_without(const std::string& failed, const Devices& asked,
                                       Precision precision, std::span<const int> usable)
{
    std::vector<int> others;
    for (const int n : usable) {
        const bool among =
            asked.numbers.empty() ||
            std::find(asked.numbers.begin(), asked.numbers.end(), n) != asked.numbers.end();
        if (among && asked.kind != Devices::Kind::cpu && "cuda:" + std::to_string(n) != failed)
            others.push_back(n);
    }
    MemoryPlan out;
    out.precision = precision;
    if (!others.empty())
        out.devices = Devices::cuda(others);
    else if (precision != Precision::mixed)
        out.devices = "cpu";
    else
        return {};
    out.words = others.empty() ? "the CPU" : out.devices.text();
    return out;
}

MemoryNeed memory_need(const TissueProblem& p)
{
    const auto n = static_cast<double>(p.size());
    const auto entries =
        static_cast<double>(p.system.alpha.column.size()) * 1.15; // rows are padded
    const bool solves = needs_solver(p), newton = p.stepping == Stepping::newton;
    const auto tetrahedra = static_cast<double>(p.elements.size());
    double vectors = 5;
    if (p.splitting == Splitting::strang)
        vectors += 1;
    if (p.substeps.stages > 1)
        vectors += p.substeps.kind == diffusion::SubStepping::Kind::rkl2 ? 3 : 2;
    MemoryNeed out;
    out.can_split = !newton;
    out.weight = weight_among_devices(p);
    for (std::size_t k = 0; k < out.precisions.size(); ++k) {
        const auto precision = out.precisions[k];
        const double real = precision == Precision::single ? 4 : 8;
        const double matrix = precision == Precision::double_ ? 8 : 4;
        const double cells =
            StatePlaces(p, precision == Precision::mixed ? Precision::double_ : precision).bytes() *
            real / 8;
        // V before and after a step, stimulus, peak and rest; times of maps; phases, types and bits
        double bytes = cells + n * (vectors * real + 16 + 4) + entries * (matrix + 2);
        if (p.currents ==
            IonicCurrents::interpolated) // rates and volumes, corners, lists; vertices' sums
            bytes += tetrahedra * (5 * real + 43) + n * (2 * real + 12);
        if (p.rest_tolerance_mV > 0) // V at the end of long steps, and when fronts were looked for
            bytes += n * real * (p.currents == IonicCurrents::interpolated ? 2 : 1);
        if (solves)
            bytes += n * 7 * real + entries * matrix;
        if (newton)
            bytes += n * 20 * 8 + cells + entries * 8;
        out.on_cuda[k] = bytes;
        out.maps_on_cuda[k] = n * (2 * real + 16); // peak and rest, two times
        // there the rows are stored with 4 bytes a column, and a first state is kept beside
        out.on_cpu[k] = precision == Precision::mixed ? 0 : bytes + entries * 2;
    }
    return out;
}

NoMemory::NoMemory(const DeviceError& at, std::vector<MemoryPlan> plans_)
    : DeviceError(at), plans(std::move(plans_))
{
    say_plans();
}

void NoMemory::keep(Precision p)
{
    std::erase_if(plans, [p](const MemoryPlan& plan) { return plan.precision != p; });
    say_plans();
}

void NoMemory::say_plans()
{
    text_ = DeviceError::what();
    if (plans.empty())
        text_ += "; nothing else here has room for it either: a coarser mesh is needed, or a "
                 "larger device";
    else
        text_ += "; there is room for it in " + plans.front().words;
    for (std::size_t k = 1; k < plans.size(); ++k)
        text_ += (k + 1 == plans.size() ? " or " : ", ") + plans[k].words;
}

} // namespace tawara::device
