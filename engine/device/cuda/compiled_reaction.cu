// SPDX-License-Identifier: GPL-3.0-or-later
// Loading and launching of compiled cell models; the kernel itself is cell_kernel.cuh.
#include "engine/device/cuda/compiled_reaction.cuh"

#include "engine/cell/compiler/library.hpp"
#include "engine/core/error.hpp"
#include "engine/device/cuda/reaction_text.hpp"

#include <algorithm>

namespace tawara::device::cuda {

template <class Real>
struct CompiledReaction<Real>::Code
{
    std::shared_ptr<const cell::compiler::Program> program;
    bool fused, many;
    KernelShape shape;
    CudaBinary binary;
    cudaLibrary_t library = nullptr;
    cudaKernel_t kernel = nullptr;
    Real* one_row = nullptr; ///< in constant memory
    int shared_bytes = 0;
    std::int64_t resident_blocks = 0;
    Buffer<Real> rows; ///< of several types

    const void* function() const { return reinterpret_cast<const void*>(kernel); }
    void load(int device);
};

template <class Real>
void CompiledReaction<Real>::Code::load(int device)
{
    check(
        cudaLibraryLoadData(&library, binary.code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        "cudaLibraryLoadData", device);
    check(cudaLibraryGetKernel(&kernel, library, "cell_kernel"), "cudaLibraryGetKernel", device);
    void* at = nullptr;
    std::size_t bytes = 0;
    check(cudaLibraryGetGlobal(&at, &bytes, library, "cell_shared_bytes"), "cudaLibraryGetGlobal",
          device);
    check(cudaMemcpy(&shared_bytes, at, sizeof(int), cudaMemcpyDeviceToHost), "cudaMemcpy", device);
    check(cudaLibraryGetGlobal(&at, &bytes, library, "cell_rows"), "cudaLibraryGetGlobal", device);
    one_row = static_cast<Real*>(at);
    check(
        cudaFuncSetAttribute(function(), cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
        "cudaFuncSetAttribute", device);
    check(cudaFuncSetAttribute(function(), cudaFuncAttributePreferredSharedMemoryCarveout, 100),
          "cudaFuncSetAttribute", device);
    int per_multiprocessor = 0, multiprocessors = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, function(),
                                                        shape.block_threads,
                                                        static_cast<std::size_t>(shared_bytes)),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor", device);
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
          "cudaDeviceGetAttribute", device);
    if (per_multiprocessor < 1)
        throw Error("the kernel of cell model " + program->name +
                    " does not fit on cuda:" + std::to_string(device));
    resident_blocks = std::int64_t{per_multiprocessor} * multiprocessors;
}

template <class Real>
CompiledReaction<Real>::CompiledReaction(const CellGroup& group, bool fused, StreamRef s)
    : code_(std::make_unique<Code>())
{
    constexpr bool single = sizeof(Real) == 4;
    const Current here(s.device);
    Code& c = *code_;
    c.program = cell::compiler::shared_program(cell::compiler::system_of(group.types.at(0)),
                                               group.scheme, single);
    c.fused = fused;
    c.many = group.types.size() > 1;
    c.shape = kernel_shape(c.program->next.size(), single);
    int major = 0, minor = 0;
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, s.device),
          "cudaDeviceGetAttribute", s.device);
    check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, s.device),
          "cudaDeviceGetAttribute", s.device);
    c.binary = compile_cuda(reaction_source(*c.program, single, fused, c.many, c.shape),
                            10 * major + minor, cache_folder());
    c.load(s.device);
    set_types(group.types, s);
}

template <class Real>
CompiledReaction<Real>::~CompiledReaction()
{
    if (code_ && code_->library)
        cudaLibraryUnload(code_->library);
}

template <class Real>
void CompiledReaction<Real>::set_types(std::span<const cell::CellType> types, StreamRef s)
{
    Code& c = *code_;
    const Current here(s.device);
    std::vector<Real> rows;
    for (const auto& t : types) {
        auto row = c.program->row(t.parameters);
        row.resize(std::max<std::size_t>(row.size(), 1));
        rows.insert(rows.end(), row.begin(), row.end());
    }
    if (c.many) {
        if (!c.rows.size())
            c.rows = Buffer<Real>(rows.size(), s.device);
        c.rows.upload(rows, s);
    } else {
        check(cudaMemcpyAsync(c.one_row, rows.data(), rows.size() * sizeof(Real),
                              cudaMemcpyHostToDevice, s.handle),
              "cudaMemcpyAsync", s.device);
    }
    s.synchronize();
}

template <class Real>
void CompiledReaction<Real>::launch(StreamRef s, const Pass<Real>* pass, Reaction<Real> r,
                                    const std::uint8_t* type, const Moment& m) const
{
    const Code& c = *code_;
    if (m.begin >= m.end)
        return;
    r.type = c.many ? type : nullptr;
    r.tables = c.many ? c.rows.data() : nullptr;
    Pass<Real> with = pass ? *pass : Pass<Real>{};
    Moment moment = m;
    void* arguments[] = {&with, &r, &moment};
    const std::int64_t blocks =
        (m.end - m.begin + c.shape.block_threads - 1) / c.shape.block_threads;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(std::min(blocks, c.resident_blocks)));
    config.blockDim = dim3(static_cast<unsigned>(c.shape.block_threads));
    config.dynamicSmemBytes = static_cast<std::size_t>(c.shared_bytes);
    config.stream = s.handle;
    const char* name = c.fused ? "diffusion+reaction" : "reaction";
    nvtxRangePushA(name);
    const auto status = cudaLaunchKernelExC(&config, c.function(), arguments);
    nvtxRangePop();
    check(status, name, s.device);
}

template <class Real>
std::size_t CompiledReaction<Real>::states() const
{
    return code_->program->next.size();
}

template <class Real>
double CompiledReaction<Real>::flops() const
{
    return cell::compiler::count_operations(*code_->program).instructions();
}

template <class Real>
double CompiledReaction<Real>::compile_ms() const
{
    return code_->binary.ms;
}

template <class Real>
bool CompiledReaction<Real>::from_cache() const
{
    return code_->binary.from_cache;
}

template class CompiledReaction<double>;
template class CompiledReaction<float>;

} // namespace tawara::device::cuda
