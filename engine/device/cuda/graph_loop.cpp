// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/graph_loop.cuh"

namespace tawara::device::cuda {
namespace {

constexpr int oldest = 12040;

std::string version(int v)
{
    return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10);
}

#if CUDART_VERSION >= oldest
struct Captured
{
    cudaGraph_t graph = nullptr;
    const cudaGraphNode_t* last = nullptr;
    const cudaGraphEdgeData* edges = nullptr;
    std::size_t count = 0;
};

#if CUDART_VERSION < 13000 // functions that have edges had names of their own
constexpr auto capture_info = cudaStreamGetCaptureInfo_v3;
constexpr auto add_node = cudaGraphAddNode_v2;
constexpr auto follow = cudaStreamUpdateCaptureDependencies_v2;
#else
constexpr auto capture_info = cudaStreamGetCaptureInfo;
constexpr auto add_node = cudaGraphAddNode;
constexpr auto follow = cudaStreamUpdateCaptureDependencies;
#endif

Captured captured_so_far(StreamRef s)
{
    Captured c;
    cudaStreamCaptureStatus status{};
    check(capture_info(s.handle, &status, nullptr, &c.graph, &c.last, &c.edges, &c.count),
          "cudaStreamGetCaptureInfo", s.device);
    return c;
}
#endif

} // namespace

std::string no_graph_loops()
{
    if (CUDART_VERSION < oldest)
        return "the program was built with CUDA " + version(CUDART_VERSION) +
               ", and loops in graphs need " + version(oldest);
    int driver = 0;
    check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion", 0);
    if (driver < oldest)
        return "the NVIDIA driver supports CUDA " + version(driver) +
               ", and loops in graphs need " + version(oldest);
    return {};
}

#if CUDART_VERSION >= oldest

GraphLoop::GraphLoop(StreamRef s)
{
    cudaGraphConditionalHandle handle{};
    check(cudaGraphConditionalHandleCreate(&handle, captured_so_far(s).graph, 0, 0),
          "cudaGraphConditionalHandleCreate", s.device);
    handle_ = {handle, true};
}

void GraphLoop::begin(StreamRef s, StreamRef inside)
{
    const auto c = captured_so_far(s);
    cudaGraphNodeParams p{};
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = handle_.value;
    p.conditional.type = cudaGraphCondTypeWhile;
    p.conditional.size = 1;
    cudaGraphNode_t node = nullptr;
    check(add_node(&node, c.graph, c.last, c.edges, c.count, &p), "cudaGraphAddNode", s.device);
    check(follow(s.handle, &node, nullptr, 1, cudaStreamSetCaptureDependencies),
          "cudaStreamUpdateCaptureDependencies", s.device);
    check(cudaStreamBeginCaptureToGraph(inside.handle, p.conditional.phGraph_out[0], nullptr,
                                        nullptr, 0, cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCaptureToGraph", inside.device);
}

void GraphLoop::end(StreamRef inside)
{
    cudaGraph_t body = nullptr;
    check(cudaStreamEndCapture(inside.handle, &body), "cudaStreamEndCapture", inside.device);
}

#else

GraphLoop::GraphLoop(StreamRef) {}
void GraphLoop::begin(StreamRef, StreamRef) {}
void GraphLoop::end(StreamRef) {}

#endif

} // namespace tawara::device::cuda
