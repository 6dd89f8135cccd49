// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sparse/cuda/stopwatch.cuh"

#include <algorithm>
#include <chrono>
#include <deque>

namespace tawara::sparse::cuda {
namespace {

using device::cuda::check;
using device::cuda::Event;
using device::cuda::Graph;
using device::cuda::launch;

/// Reads all of an array, so that caches hold it and nothing else, none of it to be written back.
__global__ void read_kernel(const double2* from, std::int64_t n, double* kept)
{
    double sum = 0;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (auto k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; k < n;
         k += stride) {
        const double2 v = from[k];
        sum += v.x + v.y;
    }
    if (sum == 1.25) // never: what is read is not dropped
        kept[0] = sum;
}

__global__ void nothing_kernel() {}

double median(std::vector<double> v)
{
    if (v.empty())
        return 0;
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

std::size_t cache_bytes(int device)
{
    int bytes = 0;
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device), "cudaDeviceGetAttribute",
          device);
    return static_cast<std::size_t>(bytes);
}

} // namespace

Stopwatch::Stopwatch(StreamRef s)
    : s_(s), other_(4 * cache_bytes(s.device) / sizeof(double2), s.device), kept_(1, s.device)
{
    other_.zero(s);
    s.synchronize();
}

void Stopwatch::flush() const
{
    constexpr std::int64_t threads = std::int64_t{132} * 2048;
    launch(s_, "flush", threads, 512, read_kernel, other_.data(),
           static_cast<std::int64_t>(other_.size()), kept_.data());
}

ProductTimes Stopwatch::measure(const std::function<void()>& work, int times, bool all) const
{
    ProductTimes t;
    std::deque<Event> event;
    const auto timed = [&](bool flushed) {
        event.clear();
        for (int k = 0; k < times; ++k) {
            if (flushed)
                flush();
            else
                work();
            event.emplace_back(s_.device, true).record(s_);
            work();
            event.emplace_back(s_.device, true).record(s_);
        }
        s_.synchronize();
        std::vector<double> us;
        for (std::size_t k = 0; k + 1 < event.size(); k += 2)
            us.push_back(1e3 * static_cast<double>(event[k + 1].since(event[k])));
        return us;
    };
    work();
    s_.synchronize();
    t.cold_samples_us = timed(true);
    t.cold_us = median(t.cold_samples_us);
    if (!all)
        return t;
    t.hot_us = median(timed(false));
    constexpr int in_a_row = 100;
    const auto graph = Graph::capture(s_, [&] {
        for (int k = 0; k < in_a_row; ++k)
            work();
    });
    const Event begin(s_.device, true), end(s_.device, true);
    for (int k = 0; k < 2; ++k) { // the first one warms up
        begin.record(s_);
        graph.launch(s_);
        end.record(s_);
        s_.synchronize();
        t.many_us = 1e3 * static_cast<double>(end.since(begin)) / in_a_row;
    }
    return t;
}

double Stopwatch::nothing_us() const
{
    return measure([&] { launch(s_, "nothing", 1, 32, nothing_kernel); }, 21, false).cold_us;
}

double Stopwatch::least_seconds(const std::function<void()>& work, int times) const
{
    using Clock = std::chrono::steady_clock;
    double least = 1e30;
    for (int k = 0; k < times; ++k) {
        s_.synchronize();
        const auto start = Clock::now();
        work();
        s_.synchronize();
        least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return least;
}

} // namespace tawara::sparse::cuda
