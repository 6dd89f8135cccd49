// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/loaded_code.cuh"

#include "engine/core/cache_folder.hpp"
#include "engine/core/error.hpp"
#include "engine/device/cuda/reaction_text.hpp"

namespace tawara::device::cuda {

int device_attribute(cudaDeviceAttr a, int device)
{
    int value = 0;
    check(cudaDeviceGetAttribute(&value, a, device), "cudaDeviceGetAttribute", device);
    return value;
}

LoadedCode::LoadedCode(const CudaSource& source, int device) : name_(source.name)
{
    const int architecture = 10 * device_attribute(cudaDevAttrComputeCapabilityMajor, device) +
                             device_attribute(cudaDevAttrComputeCapabilityMinor, device);
    binary_ = compile_cuda(source, architecture, cache_folder());
    check(cudaLibraryLoadData(&library_, binary_.code.data(), nullptr, nullptr, 0, nullptr, nullptr,
                              0),
          "cudaLibraryLoadData", device);
}

LoadedKernel::LoadedKernel(const LoadedCode& code, const char* name, int block_threads, int device)
    : block_threads_(block_threads)
{
    check(cudaLibraryGetKernel(&kernel_, code.library(), name), "cudaLibraryGetKernel", device);
    if (const void* bytes = code.find("cell_shared_bytes")) {
        check(cudaMemcpy(&shared_bytes_, bytes, sizeof(int), cudaMemcpyDeviceToHost), "cudaMemcpy",
              device);
        check(cudaFuncSetAttribute(function(), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   shared_bytes_),
              "cudaFuncSetAttribute", device);
        check(cudaFuncSetAttribute(function(), cudaFuncAttributePreferredSharedMemoryCarveout, 100),
              "cudaFuncSetAttribute", device);
    }
    int per_multiprocessor = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, function(),
                                                        block_threads_,
                                                        static_cast<std::size_t>(shared_bytes_)),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor", device);
    resident_blocks_ =
        std::int64_t{per_multiprocessor} * device_attribute(cudaDevAttrMultiProcessorCount, device);
    if (resident_blocks_ < 1)
        throw Error("the kernel of cell model " + code.name() +
                    " does not fit on cuda:" + std::to_string(device));
}

template <class Real>
void upload_rows(const std::vector<Real>& numbers, std::size_t types,
                 const std::vector<const LoadedCode*>& codes, Buffer<Real>& rows, StreamRef s)
{
    const auto row_size = numbers.size() / types;
    const bool constant = constant_rows(types, row_size * sizeof(Real)) > 0;
    if (!constant && !rows.size())
        rows = Buffer<Real>(numbers.size(), s.device);
    if (!constant)
        rows.upload(numbers, s);
    const auto bytes = (constant ? numbers.size() : row_size) * sizeof(Real);
    for (const auto* code : codes)
        if (void* constants = code->find("cell_rows")) // gone where nothing reads them
            check(
                cudaMemcpyAsync(constants, numbers.data(), bytes, cudaMemcpyHostToDevice, s.handle),
                "cudaMemcpyAsync", s.device);
    s.synchronize();
}
template void upload_rows(const std::vector<double>&, std::size_t,
                          const std::vector<const LoadedCode*>&, Buffer<double>&, StreamRef);
template void upload_rows(const std::vector<float>&, std::size_t,
                          const std::vector<const LoadedCode*>&, Buffer<float>&, StreamRef);

double device_flops(const cell::compiler::Program& p, bool single)
{
    const auto o = cell::compiler::count_operations(p);
    return single ? o.add + o.mul + o.div + 6 * o.exp + 10 * o.log + 8 * o.other
                  : o.add + o.mul + 4 * o.div + 10 * o.exp + 18 * o.log + 8 * o.other;
}

} // namespace tawara::device::cuda
