// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/runtime.cuh"
#include "engine/device/memory_plan.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace tawara::device::cuda {

namespace {

std::string name_of(int device)
{
    return "cuda:" + std::to_string(device);
}

/// Devices that this process has made current; those beyond the 63rd count as one.
std::atomic<std::uint64_t> were_current{0};

std::uint64_t bit(int device)
{
    return std::uint64_t{1} << std::min(device, 63);
}

} // namespace

void check(cudaError_t status, const char* call, int device)
{
    if (status == cudaSuccess)
        return;
    cudaGetLastError(); // the status is reported here; a later call must not report it again
    const auto code = static_cast<int>(status);
    if (status == cudaErrorMemoryAllocation)
        throw DeviceMemoryError(name_of(device), call, code, cudaGetErrorString(status));
    throw DeviceError(name_of(device), call, code, cudaGetErrorString(status));
}

Current::Current(int device)
{
    check(cudaGetDevice(&former_), "cudaGetDevice", device);
    check(cudaSetDevice(device), "cudaSetDevice", device);
    if (!(were_current.load() & bit(device)))
        were_current.fetch_or(bit(device));
}
Current::~Current()
{
    if (were_current.load() & bit(former_))
        cudaSetDevice(former_);
}

void StreamRef::wait(cudaEvent_t event) const
{
    const Current here(device);
    check(cudaStreamWaitEvent(handle, event, 0), "cudaStreamWaitEvent", device);
}
void StreamRef::synchronize() const
{
    const Current here(device);
    check(cudaStreamSynchronize(handle), "cudaStreamSynchronize", device);
}

Stream::Stream(int device, bool urgent)
{
    const Current here(device);
    ref_.device = device;
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange",
          device);
    check(cudaStreamCreateWithPriority(&ref_.handle, cudaStreamNonBlocking,
                                       urgent ? greatest : least),
          "cudaStreamCreateWithPriority", device);
}
Stream::~Stream()
{
    if (ref_.handle)
        cudaStreamDestroy(ref_.handle);
}

Event::Event(int device, bool timed) : device_(device)
{
    const Current here(device);
    check(cudaEventCreateWithFlags(&handle_, timed ? cudaEventDefault : cudaEventDisableTiming),
          "cudaEventCreateWithFlags", device);
}
Event::~Event()
{
    if (handle_)
        cudaEventDestroy(handle_);
}
void Event::record(StreamRef s) const
{
    const Current here(device_);
    check(cudaEventRecord(handle_, s.handle), "cudaEventRecord", device_);
}
void Event::synchronize() const
{
    check(cudaEventSynchronize(handle_), "cudaEventSynchronize", device_);
}
float Event::since(const Event& from) const
{
    float ms = 0;
    check(cudaEventElapsedTime(&ms, from.handle_, handle_), "cudaEventElapsedTime", device_);
    return ms;
}

void* allocate(std::size_t bytes, int device)
{
    const Current here(device);
    void* p = nullptr;
    check(cudaMalloc(&p, bytes), "cudaMalloc", device);
    return p;
}
void* allocate_pinned(std::size_t bytes, int device)
{
    const Current here(device);
    void* p = nullptr;
    check(cudaHostAlloc(&p, bytes, cudaHostAllocPortable), "cudaHostAlloc", device);
    return p;
}
void release(void* p, int device) noexcept
{
    if (!p)
        return;
    try {
        const Current here(device);
        cudaFree(p);
    } catch (...) { // the device is lost, and its memory with it
    }
}
void release_pinned(void* p) noexcept
{
    if (p)
        cudaFreeHost(p);
}

Graph::~Graph()
{
    if (handle_)
        cudaGraphExecDestroy(handle_);
}
void Graph::launch(StreamRef s) const
{
    const Current here(s.device);
    check(cudaGraphLaunch(handle_, s.handle), "cudaGraphLaunch", s.device);
}

} // namespace tawara::device::cuda
