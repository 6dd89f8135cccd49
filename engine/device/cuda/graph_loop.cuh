// SPDX-License-Identifier: GPL-3.0-or-later
// Loops inside of graphs, which a device repeats as long as a kernel says so (CUDA 12.4 or later).
#pragma once
#include "engine/device/cuda/runtime.cuh"

#include <string>

namespace tawara::device::cuda {

/// What a kernel needs to end a loop or to let it go on; without one there is no loop.
struct LoopHandle
{
    unsigned long long value = 0;
    bool there = false;
};

/// Why graphs cannot have loops here; empty where they can.
std::string no_graph_loops();

/// A loop of the graph that is captured on a stream.
class GraphLoop
{
  public:
    /// @pre  s is being captured, no_graph_loops() is empty
    explicit GraphLoop(StreamRef s);
    /// For kernels of the loop, and ahead of it in the same graph; whichever comes last ahead of a
    /// round decides on it.
    LoopHandle handle() const { return handle_; }
    /// Enqueues the loop on s: what body enqueues on `inside`, another stream of the device.
    template <class Body>
    void enqueue(StreamRef s, StreamRef inside, Body body)
    {
        begin(s, inside);
        try {
            body();
        } catch (...) {
            cudaGraph_t left = nullptr;
            cudaStreamEndCapture(inside.handle, &left); // the loop owns it
            throw;
        }
        end(inside);
    }

  private:
    void begin(StreamRef s, StreamRef inside);
    void end(StreamRef inside);
    LoopHandle handle_;
};

#if defined(__CUDACC__)
/// Called by one thread of a kernel.
__device__ __forceinline__ void go_on(const LoopHandle& h, bool again)
{
#if CUDART_VERSION >= 12040
    if (h.there)
        cudaGraphSetConditional(h.value, again ? 1 : 0);
#endif
}
#endif

} // namespace tawara::device::cuda
