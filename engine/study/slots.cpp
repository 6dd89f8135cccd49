// SPDX-License-Identifier: GPL-3.0-or-later
// The places at which a program computes runs of a study.
#include "engine/core/error.hpp"
#include "engine/study/scheduler.hpp"

#include <algorithm>
#include <cstdlib>

namespace tawara::study {
namespace {

/// CUDA devices that take runs, by CUDA's numbers; none: the CPU does.
std::vector<int> gpus_of(const device::Devices& d)
{
    using Kind = device::Devices::Kind;
    if (d.kind == Kind::cpu || !d.numbers.empty())
        return d.numbers;
    std::vector<int> out;
    for (const auto& info : device::devices())
        if (info.usable && info.cuda >= 0)
            out.push_back(info.cuda);
    if (out.empty() && d.kind == Kind::cuda)
        throw InputError("--devices", "there is no usable CUDA device here; want cpu");
    return out;
}

unsigned number_of(const char* variable, unsigned otherwise)
{
    const char* text = std::getenv(variable); // NOLINT(concurrency-mt-unsafe): nobody sets it
    char* end = nullptr;
    const unsigned long n = text != nullptr ? std::strtoul(text, &end, 10) : 0;
    return text != nullptr && end != text && n < 1'000'000 ? static_cast<unsigned>(n) : otherwise;
}

} // namespace

LocalRank local_rank()
{
    LocalRank r;
    r.ranks = std::max(
        1U, number_of("OMPI_COMM_WORLD_LOCAL_SIZE",
                      number_of("MPI_LOCALNRANKS", number_of("SLURM_NTASKS_PER_NODE", 1))));
    r.rank = number_of("OMPI_COMM_WORLD_LOCAL_RANK",
                       number_of("MPI_LOCALRANKID", number_of("SLURM_LOCALID", 0)));
    r.ranks = std::max(r.ranks, r.rank + 1);
    return r;
}

std::vector<Slot> slots_of(const StudyOptions& o, unsigned threads, unsigned rank, unsigned ranks)
{
    std::vector<Slot> out;
    const auto gpus = gpus_of(o.device.devices);
    if (gpus.empty()) {
        const unsigned mine = std::max(1U, threads / ranks);
        const unsigned each = std::min(std::max(1U, o.device.threads), mine);
        const unsigned count = o.at_once > 0 ? o.at_once : std::max(1U, mine / each);
        out.assign(count, {"cpu", each});
        return out;
    }
    constexpr unsigned overlapped = 2;
    const unsigned count = o.at_once > 0 ? o.at_once : overlapped;
    for (std::size_t k = 0; k < gpus.size(); ++k)
        if (gpus.size() < ranks ? k == rank % gpus.size() : k % ranks == rank)
            for (unsigned n = 0; n < count; ++n)
                out.push_back({device::Devices::cuda({gpus[k]}), std::max(1U, o.device.threads)});
    return out;
}

} // namespace tawara::study
