// SPDX-License-Identifier: GPL-3.0-or-later
// Streams, events, buffers and graphs of CUDA devices: owning types (move-only, freed without
// throwing) and non-owning references. Every call is checked; the device is always explicit; the
// default stream is not used.
#pragma once
#include <cstddef>
#include <cstdint>
#ifdef __CUDACC__
#include <cuda_pipeline_primitives.h> // copies into shared memory beside other work
#endif
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>
#include <span>
#include <utility>
#include <vector>

namespace tawara::device::cuda {

/// @throws DeviceError "cuda:DEVICE: CALL: TEXT" unless the status is success
void check(cudaError_t status, const char* call, int device);

/// Makes a device current for a scope and then the former one again, unless none of these has
/// ever made that one current: a process that makes a device current takes half a GB of its memory.
class Current
{
  public:
    explicit Current(int device);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

  private:
    int former_ = 0;
};

struct StreamRef
{
    cudaStream_t handle = nullptr;
    int device = 0;
    void wait(cudaEvent_t event) const;
    void synchronize() const;
};

class Stream
{
  public:
    /// @param urgent  with the device's highest priority
    explicit Stream(int device, bool urgent = false);
    ~Stream();
    Stream(Stream&& o) noexcept : ref_(std::exchange(o.ref_, {})) {}
    Stream& operator=(Stream&&) = delete;
    operator StreamRef() const { return ref_; }
    const StreamRef* operator->() const { return &ref_; }

  private:
    StreamRef ref_;
};

class Event
{
  public:
    explicit Event(int device, bool timed = false);
    ~Event();
    Event(Event&& o) noexcept : handle_(std::exchange(o.handle_, nullptr)), device_(o.device_) {}
    Event& operator=(Event&&) = delete;
    void record(StreamRef s) const;
    void synchronize() const;
    /// Milliseconds from `from` to this one; both must have happened.
    float since(const Event& from) const;
    operator cudaEvent_t() const { return handle_; }

  private:
    cudaEvent_t handle_ = nullptr;
    int device_ = 0;
};

void* allocate(std::size_t bytes, int device);
void* allocate_pinned(std::size_t bytes, int device);
void release(void* p, int device) noexcept;
void release_pinned(void* p) noexcept;

/// Memory on one device, uninitialised unless filled. T is trivially copyable.
template <class T>
class Buffer
{
  public:
    Buffer() = default;
    Buffer(std::size_t n, int device) // of pointers too: NOLINTNEXTLINE(bugprone-sizeof-expression)
        : data_(n ? static_cast<T*>(allocate(n * sizeof(T), device)) : nullptr), size_(n),
          device_(device)
    {
    }
    ~Buffer() { release(data_, device_); }
    Buffer(Buffer&& o) noexcept
        : data_(std::exchange(o.data_, nullptr)), size_(std::exchange(o.size_, 0)),
          device_(o.device_)
    {
    }
    Buffer& operator=(Buffer&& o) noexcept
    {
        std::swap(data_, o.data_), std::swap(size_, o.size_), std::swap(device_, o.device_);
        return *this;
    }
    T* data() const { return data_; }
    std::size_t size() const { return size_; }
    int device() const { return device_; }

    /// Copies from host memory that must stay until the stream has passed.
    void upload(std::span<const T> from, StreamRef s) const
    {
        if (!from.empty())
            check(cudaMemcpyAsync(data_, from.data(), from.size_bytes(), cudaMemcpyHostToDevice,
                                  s.handle),
                  "cudaMemcpyAsync", device_);
    }
    void download(std::span<T> to, StreamRef s) const
    {
        if (!to.empty())
            check(cudaMemcpyAsync(to.data(), data_, to.size_bytes(), cudaMemcpyDeviceToHost,
                                  s.handle),
                  "cudaMemcpyAsync", device_);
    }
    void zero(StreamRef s) const
    {
        if (size_)
            check(cudaMemsetAsync(data_, 0, size_ * sizeof(T), s.handle), "cudaMemsetAsync",
                  device_);
    }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
    int device_ = 0;
};

/// A buffer with what `from` holds, complete on return.
template <class T>
Buffer<T> uploaded(const std::vector<T>& from, StreamRef s)
{
    Buffer<T> b(from.size(), s.device);
    b.upload(from, s);
    s.synchronize();
    return b;
}

/// Host memory that devices copy from and to at full speed.
template <class T>
class PinnedBuffer
{
  public:
    PinnedBuffer() = default;
    PinnedBuffer(std::size_t n, int device)
        : data_(n ? static_cast<T*>(allocate_pinned(n * sizeof(T), device)) : nullptr), size_(n)
    {
    }
    ~PinnedBuffer() { release_pinned(data_); }
    PinnedBuffer(PinnedBuffer&& o) noexcept
        : data_(std::exchange(o.data_, nullptr)), size_(std::exchange(o.size_, 0))
    {
    }
    PinnedBuffer& operator=(PinnedBuffer&& o) noexcept
    {
        std::swap(data_, o.data_), std::swap(size_, o.size_);
        return *this;
    }
    T* data() const { return data_; }
    std::size_t size() const { return size_; }
    std::span<T> span() const { return {data_, size_}; }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

/// Work captured once and launched as one.
class Graph
{
  public:
    Graph() = default;
    /// Captures what `body` enqueues on the stream (and on streams forked from it by events).
    template <class Body>
    static Graph capture(StreamRef s, Body body)
    {
        check(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeThreadLocal),
              "cudaStreamBeginCapture", s.device);
        Graph g;
        cudaGraph_t captured = nullptr;
        try {
            body();
        } catch (...) {
            cudaStreamEndCapture(s.handle, &captured);
            if (captured)
                cudaGraphDestroy(captured);
            throw;
        }
        check(cudaStreamEndCapture(s.handle, &captured), "cudaStreamEndCapture", s.device);
        // each kernel at its own stream's priority, not all at that of the stream that launches
        const auto status =
            cudaGraphInstantiate(&g.handle_, captured, cudaGraphInstantiateFlagUseNodePriority);
        cudaGraphDestroy(captured);
        check(status, "cudaGraphInstantiate", s.device);
        return g;
    }
    ~Graph();
    Graph(Graph&& o) noexcept : handle_(std::exchange(o.handle_, nullptr)) {}
    Graph& operator=(Graph&& o) noexcept
    {
        std::swap(handle_, o.handle_);
        return *this;
    }
    explicit operator bool() const { return handle_; }
    void launch(StreamRef s) const;

  private:
    cudaGraphExec_t handle_ = nullptr;
};

/// When a kernel's blocks may start: when the kernel ahead in the stream has ended, or before. An
/// early kernel waits for that end itself, by griddepcontrol.wait.
enum class Start { in_order, early };

/// The attribute of a launch that lets a kernel start early.
inline cudaLaunchAttribute before_kernel_ahead_ends()
{
    cudaLaunchAttribute a{};
    a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a.val.programmaticStreamSerializationAllowed = 1;
    return a;
}

/// Shared memory of a block besides what its kernel declares.
struct Shared
{
    std::size_t bytes = 0;
};

/// The one way to launch a kernel: `n` work items in blocks of `block`; nothing for n <= 0.
template <class... Parameters, class... Arguments>
void launch(StreamRef s, const char* name, std::int64_t n, int block, Start start, Shared shared,
            void (*kernel)(Parameters...), Arguments&&... arguments)
{
    if (n <= 0)
        return;
    auto early = before_kernel_ahead_ends();
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>((n + block - 1) / block));
    config.blockDim = dim3(static_cast<unsigned>(block));
    config.dynamicSmemBytes = shared.bytes;
    config.stream = s.handle;
    config.attrs = &early;
    config.numAttrs = start == Start::early ? 1 : 0;
    nvtxRangePushA(name);
    const auto status = cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...);
    nvtxRangePop();
    check(status, name, s.device);
}
template <class... Parameters, class... Arguments>
void launch(StreamRef s, const char* name, std::int64_t n, int block, Start start,
            void (*kernel)(Parameters...), Arguments&&... arguments)
{
    launch(s, name, n, block, start, Shared{}, kernel, std::forward<Arguments>(arguments)...);
}
template <class... Parameters, class... Arguments>
void launch(StreamRef s, const char* name, std::int64_t n, int block, Shared shared,
            void (*kernel)(Parameters...), Arguments&&... arguments)
{
    launch(s, name, n, block, Start::in_order, shared, kernel,
           std::forward<Arguments>(arguments)...);
}
template <class... Parameters, class... Arguments>
void launch(StreamRef s, const char* name, std::int64_t n, int block, void (*kernel)(Parameters...),
            Arguments&&... arguments)
{
    launch(s, name, n, block, Start::in_order, kernel, std::forward<Arguments>(arguments)...);
}

} // namespace tawara::device::cuda
