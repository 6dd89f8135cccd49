// SPDX-License-Identifier: GPL-3.0-or-later
// Machine code that was made while the program runs, on one device, and its kernels.
#pragma once
#include "engine/cell/compiler/program.hpp"
#include "engine/device/cuda/nvrtc.hpp"
#include "engine/device/cuda/runtime.cuh"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace tawara::device::cuda {

int device_attribute(cudaDeviceAttr a, int device);

/// Machine code on one device.
class LoadedCode
{
  public:
    LoadedCode(const CudaSource& source, int device);
    ~LoadedCode() { cudaLibraryUnload(library_); }
    LoadedCode(const LoadedCode&) = delete;
    LoadedCode& operator=(const LoadedCode&) = delete;

    /// Address of a variable in device memory; null when there is none of that name.
    void* find(const char* name) const
    {
        void* at = nullptr;
        std::size_t bytes = 0;
        if (cudaLibraryGetGlobal(&at, &bytes, library_, name) == cudaSuccess)
            return at;
        cudaGetLastError();
        return nullptr;
    }
    cudaLibrary_t library() const { return library_; }
    double ms() const { return binary_.ms; }
    bool from_cache() const { return binary_.from_cache; }
    const std::string& name() const { return name_; }

  private:
    std::string name_;
    CudaBinary binary_;
    cudaLibrary_t library_ = nullptr;
};

/// One kernel of it, ready to be launched.
class LoadedKernel
{
  public:
    LoadedKernel() = default;
    LoadedKernel(const LoadedCode& code, const char* name, int block_threads, int device);
    /// @param at_most_resident  no more blocks than the device holds at once: kernels with loops
    /// @param early  blocks may start before the kernel ahead has ended: they wait for that
    /// themselves
    template <class... Arguments>
    void launch(StreamRef s, const char* what, std::int64_t slots, bool at_most_resident,
                bool early, Arguments... arguments) const
    {
        void* all[] = {&arguments...};
        auto before_its_end = before_kernel_ahead_ends();
        const std::int64_t blocks = (slots + block_threads_ - 1) / block_threads_;
        cudaLaunchConfig_t config{};
        config.gridDim = dim3(
            static_cast<unsigned>(at_most_resident ? std::min(blocks, resident_blocks_) : blocks));
        config.blockDim = dim3(static_cast<unsigned>(block_threads_));
        config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes_);
        config.stream = s.handle;
        config.attrs = &before_its_end;
        config.numAttrs = early ? 1 : 0;
        nvtxRangePushA(what);
        const auto status = cudaLaunchKernelExC(&config, function(), all);
        nvtxRangePop();
        check(status, what, s.device);
    }

    /// Local memory of a thread: what its registers did not hold.
    std::size_t spilled_bytes() const
    {
        cudaFuncAttributes a{};
        return cudaFuncGetAttributes(&a, function()) == cudaSuccess ? a.localSizeBytes : 0;
    }

  private:
    const void* function() const { return reinterpret_cast<const void*>(kernel_); }
    cudaKernel_t kernel_ = nullptr;
    int block_threads_ = 0, shared_bytes_ = 0;
    std::int64_t resident_blocks_ = 0;
};

/// Puts the rows of cell types where the codes look them up (cell_common.cuh); done on return.
/// @param numbers  row_numbers() of so many types
/// @param rows     device memory for those that constant memory does not hold, made here
template <class Real>
void upload_rows(const std::vector<Real>& numbers, std::size_t types,
                 const std::vector<const LoadedCode*>& codes, Buffer<Real>& rows, StreamRef s);

/// Floating-point instructions of a program on a device, estimated.
double device_flops(const cell::compiler::Program& p, bool single);

} // namespace tawara::device::cuda
