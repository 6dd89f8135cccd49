// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/rank_link.cuh"

#include "engine/device/cuda/shard_state.cuh"

#include <algorithm>
#include <type_traits>

namespace tawara::device::cuda {

template <class Real>
RankLink<Real>::RankLink(Halo& halo, const ShardState<Real>& shard,
                         const std::vector<partition::Place>& place)
    : halo_(halo), given_(halo.given().size(), shard.device),
      taken_(halo.taken().size(), shard.device), gone_(shard.device)
{
    std::vector<std::int32_t> slots;
    for (const auto u : halo.given())
        slots.push_back(place[static_cast<std::size_t>(u)].slot);
    given_slots_ = uploaded(slots, shard.main);
    if constexpr (!std::is_same_v<Real, double>) {
        give_.resize(given_.size());
        take_.resize(taken_.size());
    }
}

template <class Real>
void RankLink<Real>::give(StreamRef s, const Real* from) const
{
    if (given_.size() > 0) {
        Peers<Real> host;
        host.to[0] = given_.data();
        host.first[1] = static_cast<std::int32_t>(given_.size());
        host.count = 1;
        host.from = given_slots_.data();
        send(s, from, host);
    }
    gone_.record(s);
}

template <class Real>
void RankLink<Real>::take(StreamRef s, Real* halo) const
{
    gone_.synchronize(); // and with it the copy before out of `taken_`
    if constexpr (std::is_same_v<Real, double>) {
        halo_.swap(given_.span(), taken_.span(), 1);
    } else {
        std::copy_n(given_.data(), give_.size(), give_.begin());
        halo_.swap(give_, take_, 1);
        std::transform(take_.begin(), take_.end(), taken_.data(),
                       [](double v) { return static_cast<Real>(v); });
    }
    if (taken_.size() > 0)
        check(cudaMemcpyAsync(halo, taken_.data(), taken_.size() * sizeof(Real),
                              cudaMemcpyHostToDevice, s.handle),
              "cudaMemcpyAsync", s.device);
}

template class RankLink<double>;
template class RankLink<float>;

} // namespace tawara::device::cuda
