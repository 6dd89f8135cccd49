// SPDX-License-Identifier: GPL-3.0-or-later
// What the kernels of a CUDA stepper did: bytes and operations by their data structures, sampled
// times.
#include "engine/device/cuda/stepper.cuh"

#include <algorithm>
#include <cmath>

namespace tawara::device::cuda {

template <class Real>
void CudaStepper<Real>::read_timings() const
{
    for (auto& t : pending_)
        sampled_ms_[t.shard][t.family] += static_cast<double>(t.end.since(t.begin));
    pending_.clear();
    timed_steps_ += pending_steps_;
    pending_steps_ = 0;
}

/// Bytes that a family of kernels moves at least in one step.
template <class Real>
double CudaStepper<Real>::family_bytes(const State& s, Family f) const
{
    constexpr double r = sizeof(Real);
    const auto slots = static_cast<double>(s.host.slots);
    const double matrix = static_cast<double>(s.value.size()) * r +
                          static_cast<double>(s.single_value.size()) * 4 +
                          static_cast<double>(s.column.size()) * 2 + slots / 4;
    // the record's phase; V out; the other states in and out
    double cell = slots * (1 + r);
    for (const auto& g : s.host.ranges) {
        const auto n = static_cast<double>(g.end - g.begin);
        const auto kept = static_cast<double>(s.cells[g.group]->states() - 1);
        cell += n * (2 * kept * r + (s.single_type[g.group] ? 0 : 1));
    }
    const double more = s.l0.size() ? 3 * slots * r : 0; // RKL2's other terms
    double bytes = 0;
    for (const auto& stage : stages_) {
        if (family(stage) != f)
            continue;
        if (f == f_diffusion)
            bytes += matrix + 2 * slots * r + (stage.pass > 0 ? more : 0);
        else if (f == f_fused)
            bytes += matrix + cell + slots * r + (stage.pass > 0 ? more : 0);
        else
            bytes += cell + slots * r +
                     (stage.kind == Stage::Kind::half_reaction ? -slots : 0);
    }
    return bytes;
}

template <class Real>
double CudaStepper<Real>::family_flops(const State& s, Family f) const
{
    double flops = 0;
    for (const auto& stage : stages_) {
        if (family(stage) != f)
            continue;
        if (f != f_reaction)
            flops += 2 * static_cast<double>(s.host.nonzeros) + static_cast<double>(s.host.slots);
        for (const auto& g : s.host.ranges)
            if (f != f_diffusion)
                flops += static_cast<double>(g.end - g.begin) *
                         s.cells[g.group]->flops();
    }
    return flops;
}

template <class Real>
std::vector<KernelRecord> CudaStepper<Real>::kernels() const
{
    synchronize();
    read_timings();
    if (longest_rest_)
        return resting_kernels();
    const char* names[] = {"diffusion", "reaction", "diffusion+reaction"};
    const auto where = [&](std::size_t k) {
        return single() ? std::string()
                        : " cuda:" + std::to_string(shards_[k]->device) + " shard " +
                              std::to_string(k);
    };
    std::vector<KernelRecord> out;
    for (std::size_t k = 0; k < shards_.size(); ++k)
        for (int f = 0; f < family_count; ++f) {
            std::int64_t launches = 0;
            for (const auto& stage : stages_)
                launches += family(stage) == f;
            if (!launches)
                continue;
            KernelRecord r;
            r.name = names[f];
            r.name += where(k);
            r.calls = launches * steps_done_;
            const auto steps = static_cast<double>(steps_done_);
            r.ms = timed_steps_ ? sampled_ms_[solves_ ? 0 : k][static_cast<std::size_t>(f)] /
                                      static_cast<double>(timed_steps_) * steps
                                : 0;
            r.bytes = family_bytes(*shards_[k], static_cast<Family>(f)) * steps;
            r.flops = family_flops(*shards_[k], static_cast<Family>(f)) * steps;
            r.counted_bytes = counted_bytes(static_cast<Family>(f));
            out.push_back(r);
        }
    for (std::size_t k = 0; solves_ && k < shards_.size(); ++k) {
        out.push_back(solver_record(k));
        out.back().name += where(k);
    }
    return out;
}

/// Of all steps, by those under counters.
template <class Real>
double CudaStepper<Real>::counted_bytes(Family f) const
{
    return counted_steps_ ? counted_bytes_[f] / static_cast<double>(counted_steps_) *
                                static_cast<double>(steps_done_)
                          : 0;
}

/// Long steps move every slot; the short ones inside them the slices that were counted.
template <class Real>
std::vector<KernelRecord> CudaStepper<Real>::resting_kernels() const
{
    std::vector<KernelRecord> out;
    for (std::size_t k = 0; k < shards_.size(); ++k) {
        const State& s = *shards_[k];
        const Status& status = *s.status_host.data();
        const auto slots = static_cast<double>(s.host.slots);
        const double bytes = family_bytes(s, f_fused), flops = family_flops(s, f_fused);
        const double share = timed_steps_ ? static_cast<double>(steps_done_) /
                                                static_cast<double>(timed_steps_)
                                          : 0;
        const auto longs = static_cast<std::int64_t>(status.long_steps);
        const double moved = 32 * static_cast<double>(status.moving) / slots;
        const std::string where =
            single() ? ""
                     : " cuda:" + std::to_string(s.device) + " shard " + std::to_string(k);
        out.push_back({"diffusion+reaction, long steps" + where, longs,
                       share * sampled_ms_[k][f_fused], static_cast<double>(longs) * bytes,
                       static_cast<double>(longs) * flops});
        out.push_back({"diffusion+reaction, short steps" + where, steps_done_ - longs,
                       share * sampled_ms_[k][f_moving], moved * bytes, moved * flops});
    }
    return out;
}

/// By the later steps of long ones, to whole slices.
template <class Real>
double CudaStepper<Real>::share_at_rest() const
{
    if (!longest_rest_)
        return 0;
    double moved = 0, all = 0;
    for (const auto& s : shards_) {
        const Status& status = *s->status_host.data();
        moved += 32 * static_cast<double>(status.moving);
        all += static_cast<double>(steps_done_ - status.long_steps) *
               static_cast<double>(s->host.stepped);
    }
    return all > 0 ? std::clamp(1 - moved / all, 0.0, 1.0) : 0;
}

template <class Real>
std::string CudaStepper<Real>::device() const
{
    std::string text;
    for (const auto& s : shards_) {
        cudaDeviceProp p{};
        check(cudaGetDeviceProperties(&p, s->device), "cudaGetDeviceProperties", s->device);
        text += (text.empty() ? "" : " + ") + std::string(p.name) +
                " (cuda:" + std::to_string(s->device) + ")";
    }
    return text;
}

template class CudaStepper<double>;
template class CudaStepper<float>;

} // namespace tawara::device::cuda
