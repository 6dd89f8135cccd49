// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/links.hpp"

#include "engine/core/error.hpp"
#include "engine/device/cuda/runtime.cuh"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <set>

namespace tawara::device::cuda {
namespace {

constexpr std::size_t probe_bytes = std::size_t{16} << 20;

/// Milliseconds of one copy: the best of three, after one that is not counted.
double copy_ms(int from, int to)
{
    const Buffer<char> source(probe_bytes, from), target(probe_bytes, to);
    const Stream stream(from);
    const Event begin(from, true), end(from, true);
    double best = 1e300;
    for (int k = 0; k < 4; ++k) {
        begin.record(stream);
        check(cudaMemcpyPeerAsync(target.data(), to, source.data(), from, probe_bytes,
                                  stream->handle),
              "cudaMemcpyPeerAsync", from);
        end.record(stream);
        end.synchronize();
        if (k > 0)
            best = std::min(best, static_cast<double>(end.since(begin)));
    }
    return best;
}

partition::Table measured(const std::vector<int>& devices)
{
    const std::size_t n = devices.size();
    partition::Table ms(n);
    double fastest = 1e300;
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b)
            if (devices[a] != devices[b]) {
                ms(a, b) = copy_ms(devices[a], devices[b]);
                fastest = std::min(fastest, ms(a, b));
            }
    partition::Table cost(n);
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b)
            cost(a, b) = devices[a] == devices[b]
                             ? 1
                             : std::exp2(std::round(2 * std::log2(ms(a, b) / fastest)) / 2);
    return cost;
}

} // namespace

void enable_peers(const std::vector<int>& devices)
{
    static std::mutex mutex;
    static std::set<std::pair<int, int>> enabled;
    const std::scoped_lock lock(mutex);
    for (int a : devices)
        for (int b : devices) {
            if (a == b)
                continue;
            const Current here(a);
            int can = 0;
            check(cudaDeviceCanAccessPeer(&can, a, b), "cudaDeviceCanAccessPeer", a);
            if (!can)
                throw InputError("--devices",
                                 "cuda:" + std::to_string(a) + " cannot reach the memory of cuda:" +
                                     std::to_string(b) + "; use devices that can, or one");
            if (enabled.insert({a, b}).second)
                check(cudaDeviceEnablePeerAccess(b, 0), "cudaDeviceEnablePeerAccess", a);
        }
}

partition::Table link_costs(const std::vector<int>& devices)
{
    static std::mutex mutex;
    static std::map<std::vector<int>, partition::Table> known;
    const std::scoped_lock lock(mutex);
    if (devices.size() < 3) {
        partition::Table alike(devices.size());
        for (std::size_t a = 0; a < devices.size(); ++a)
            for (std::size_t b = 0; b < devices.size(); ++b)
                alike(a, b) = 1;
        return alike;
    }
    auto at = known.find(devices);
    if (at == known.end())
        at = known.emplace(devices, measured(devices)).first;
    return at->second;
}

partition::Table traffic(const Sharding& sharding)
{
    partition::Table t(sharding.shards.size());
    for (std::size_t a = 0; a < sharding.shards.size(); ++a)
        for (const auto& send : sharding.shards[a].sends)
            t(a, send.part) += static_cast<double>(send.from.size());
    return t;
}

std::vector<int> placed_on(const std::vector<int>& devices, const Sharding& sharding)
{
    std::vector<int> placed;
    for (int k : partition::place_parts(traffic(sharding), link_costs(devices)))
        placed.push_back(devices[static_cast<std::size_t>(k)]);
    return placed;
}

} // namespace tawara::device::cuda
