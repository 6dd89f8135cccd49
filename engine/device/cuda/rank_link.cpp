// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/rank_link.cuh"

#include "engine/core/error.hpp"
#include "engine/device/cuda/shard_state.cuh"

#include <algorithm>
#include <chrono>
#include <type_traits>

namespace tawara::device::cuda {

RegisteredMemory::~RegisteredMemory()
{
    for (void* p : taken_)
        if (cudaHostUnregister(p) != cudaSuccess)
            cudaGetLastError();
}

bool RegisteredMemory::add(std::vector<std::span<std::byte>> memory)
{
    const Current here(device_);
    std::erase_if(memory, [](auto s) { return s.empty(); });
    std::sort(memory.begin(), memory.end(),
              [](auto a, auto b) { return std::less<>()(a.data(), b.data()); });
    for (std::size_t k = 0; k < memory.size();) {
        std::byte* const from = memory[k].data();
        std::byte* end = from + memory[k].size();
        for (++k; k < memory.size() && memory[k].data() <= end; ++k)
            end = std::max(end, memory[k].data() + memory[k].size());
        const auto status = cudaHostRegister(from, static_cast<std::size_t>(end - from),
                                             cudaHostRegisterPortable | cudaHostRegisterMapped);
        if (status == cudaSuccess) {
            taken_.push_back(from);
            continue;
        }
        cudaGetLastError();
        if (status != cudaErrorHostMemoryAlreadyRegistered) // by another rank of this process
            return false;
    }
    return true;
}

template <class Real>
RankLink<Real>::RankLink(Halo& halo, const ShardState<Real>& shard,
                         const std::vector<partition::Place>& place)
    : halo_(halo), device_(shard.device), registered_(shard.device), gone_(shard.device)
{
    std::vector<std::int32_t> slots;
    for (const auto u : halo.given())
        slots.push_back(place[static_cast<std::size_t>(u)].slot);
    given_slots_ = uploaded(slots, shard.main);
}

template <class Real>
std::string RankLink<Real>::meet()
{
    met_ = true;
    shelves_ = halo_.shelves();
    const bool shared = shelves_.has_value(), mapped = shared && registered_.add(shelves_->memory);
    if (halo_.any(!mapped))
        shelves_.reset();
    if (shelves_)
        return {};
    given_ = PinnedBuffer<Real>(halo_.given().size(), device_);
    taken_ = PinnedBuffer<Real>(halo_.taken().size(), device_);
    if constexpr (!std::is_same_v<Real, double>) {
        give_.resize(given_.size());
        take_.resize(taken_.size());
    }
    return shared ? "borders go through MPI: the driver does not take the memory that ranks share, "
                    "see ulimit -l"
                  : "borders go through MPI: these ranks share no memory";
}

template <class Real>
void RankLink<Real>::give(StreamRef s, const Real* from)
{
    if (!met_)
        throw Error("a share's stepper has not met the others");
    if (const auto n = halo_.given().size(); n > 0) {
        Peers<Real> host;
        host.to[0] = given_.data();
        if (shelves_) {
            void* seen_by_device = nullptr;
            check(cudaHostGetDevicePointer(&seen_by_device, shelves_->set[set_].given.data(), 0),
                  "cudaHostGetDevicePointer", s.device);
            host.to[0] = static_cast<Real*>(seen_by_device);
        }
        host.first[1] = static_cast<std::int32_t>(n);
        host.count = 1;
        host.from = given_slots_.data();
        send(s, from, host);
    }
    gone_.record(s);
}

template <class Real>
void RankLink<Real>::take(StreamRef s, Real* halo)
{
    const auto copy = [&](const void* from, std::size_t values) {
        if (values > 0)
            check(cudaMemcpyAsync(halo, from, values * sizeof(Real), cudaMemcpyHostToDevice,
                                  s.handle),
                  "cudaMemcpyAsync", s.device);
        halo += values;
    };
    gone_.synchronize(); // and with it the copy before
    const auto start = std::chrono::steady_clock::now();
    if (shelves_)
        halo_.meet();
    else if constexpr (std::is_same_v<Real, double>)
        halo_.swap(given_.span(), taken_.span(), 1);
    else {
        std::copy_n(given_.data(), give_.size(), give_.begin());
        halo_.swap(give_, take_, 1);
        std::transform(take_.begin(), take_.end(), taken_.data(),
                       [](double v) { return static_cast<Real>(v); });
    }
    spent_s_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ++times_;
    if (!shelves_)
        return copy(taken_.data(), taken_.size());
    for (const auto& p : shelves_->set[set_].taken)
        copy(p.given + p.first * sizeof(Real), p.count);
    set_ = 1 - set_;
}

template <class Real>
KernelRecord RankLink<Real>::record() const
{
    KernelRecord r;
    r.name = "exchange";
    r.calls = times_;
    r.ms = 1e3 * spent_s_;
    r.bytes = static_cast<double>(times_) * sizeof(Real) *
              static_cast<double>(halo_.given().size() + halo_.taken().size());
    return r;
}

template class RankLink<double>;
template class RankLink<float>;

} // namespace tawara::device::cuda
