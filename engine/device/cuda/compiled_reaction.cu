// SPDX-License-Identifier: GPL-3.0-or-later
// Loading and launching of compiled cell models; the kernel itself is cell_kernel.cuh.
#include "engine/device/cuda/compiled_reaction.cuh"

#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/schemes/schemes.hpp"
#include "engine/core/error.hpp"
#include "engine/device/cuda/reaction_text.hpp"

#include <algorithm>
#include <iterator>

namespace tawara::device::cuda {

namespace {

/// Whether the hand-written kernels can step a group: ten_tusscher_2006 of the library. Their
/// rush_larsen takes other states for gates than the compiled one.
bool is_hand_written(const CellGroup& g)
{
    using cell::Scheme;
    static constexpr Scheme schemes[] = {Scheme::forward_euler, Scheme::rk4,
                                         Scheme::rush_larsen_light, Scheme::grl1};
    const char* name = "ten_tusscher_2006";
    const auto& type = g.types.at(0);
    return type.model == name &&
           (!type.system || type.system == cell::compiler::system_of({name, {}, {}, {}})) &&
           std::find(std::begin(schemes), std::end(schemes), g.scheme) != std::end(schemes);
}

} // namespace

bool uses_compiled_cells(const TissueProblem& p, const Tuning& tuning)
{
    if (p.rest_tolerance_mV > 0)
        return false;
    return tuning.compiled_cells.value_or(
        !std::all_of(p.groups.begin(), p.groups.end(), is_hand_written));
}

std::string compiled_cells_reason(const TissueProblem& p)
{
    const auto known = cell::compiler::compiled_schemes();
    for (const auto& g : p.groups)
        if (std::find(known.begin(), known.end(), g.scheme) == known.end())
            return "reaction scheme " + std::string(cell::name(g.scheme)) +
                   " is not available on CUDA devices";
    return nvrtc_missing_reason();
}

namespace {

/// Machine code on one device.
template <class Real>
class LoadedKernel
{
  public:
    LoadedKernel(const CudaSource& source, const KernelShape& shape, int device);
    ~LoadedKernel()
    {
        if (library_)
            cudaLibraryUnload(library_);
    }
    LoadedKernel(const LoadedKernel&) = delete;
    LoadedKernel& operator=(const LoadedKernel&) = delete;

    void set_row(const std::vector<Real>& row, StreamRef s) const
    {
        check(cudaMemcpyAsync(row_, row.data(), row.size() * sizeof(Real), cudaMemcpyHostToDevice,
                              s.handle),
              "cudaMemcpyAsync", s.device);
    }
    void launch(StreamRef s, const char* name, Pass<Real> pass, Reaction<Real> r, Moment m) const;
    double ms() const { return binary_.ms; }
    bool from_cache() const { return binary_.from_cache; }

  private:
    const void* function() const { return reinterpret_cast<const void*>(kernel_); }
    void load(int device);
    void find(const char* name, void*& at, int device) const
    {
        std::size_t bytes = 0;
        check(cudaLibraryGetGlobal(&at, &bytes, library_, name), "cudaLibraryGetGlobal", device);
    }
    KernelShape shape_;
    CudaBinary binary_;
    cudaLibrary_t library_ = nullptr;
    cudaKernel_t kernel_ = nullptr;
    void* row_ = nullptr; ///< of the one cell type, in constant memory
    int shared_bytes_ = 0;
    std::int64_t resident_blocks_ = 0;
};

int attribute(cudaDeviceAttr a, int device)
{
    int value = 0;
    check(cudaDeviceGetAttribute(&value, a, device), "cudaDeviceGetAttribute", device);
    return value;
}

template <class Real>
LoadedKernel<Real>::LoadedKernel(const CudaSource& source, const KernelShape& shape, int device)
    : shape_(shape)
{
    const int architecture = 10 * attribute(cudaDevAttrComputeCapabilityMajor, device) +
                             attribute(cudaDevAttrComputeCapabilityMinor, device);
    binary_ = compile_cuda(source, architecture, cache_folder());
    check(cudaLibraryLoadData(&library_, binary_.code.data(), nullptr, nullptr, 0, nullptr, nullptr,
                              0),
          "cudaLibraryLoadData", device);
    try {
        load(device);
    } catch (...) {
        cudaLibraryUnload(library_);
        throw;
    }
    if (resident_blocks_ < 1)
        throw Error("the kernel of cell model " + source.name +
                    " does not fit on cuda:" + std::to_string(device));
}

template <class Real>
void LoadedKernel<Real>::load(int device)
{
    check(cudaLibraryGetKernel(&kernel_, library_, "cell_kernel"), "cudaLibraryGetKernel", device);
    find("cell_rows", row_, device);
    void* bytes = nullptr;
    find("cell_shared_bytes", bytes, device);
    check(cudaMemcpy(&shared_bytes_, bytes, sizeof(int), cudaMemcpyDeviceToHost), "cudaMemcpy",
          device);
    check(cudaFuncSetAttribute(function(), cudaFuncAttributeMaxDynamicSharedMemorySize,
                               shared_bytes_),
          "cudaFuncSetAttribute", device);
    check(cudaFuncSetAttribute(function(), cudaFuncAttributePreferredSharedMemoryCarveout, 100),
          "cudaFuncSetAttribute", device);
    int per_multiprocessor = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, function(),
                                                        shape_.block_threads,
                                                        static_cast<std::size_t>(shared_bytes_)),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor", device);
    resident_blocks_ =
        std::int64_t{per_multiprocessor} * attribute(cudaDevAttrMultiProcessorCount, device);
}

template <class Real>
void LoadedKernel<Real>::launch(StreamRef s, const char* name, Pass<Real> pass, Reaction<Real> r,
                                Moment m) const
{
    void* arguments[] = {&pass, &r, &m};
    const std::int64_t blocks = (m.end - m.begin + shape_.block_threads - 1) / shape_.block_threads;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(std::min(blocks, resident_blocks_)));
    config.blockDim = dim3(static_cast<unsigned>(shape_.block_threads));
    config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes_);
    config.stream = s.handle;
    nvtxRangePushA(name);
    const auto status = cudaLaunchKernelExC(&config, function(), arguments);
    nvtxRangePop();
    check(status, name, s.device);
}

} // namespace

template <class Real>
struct CompiledReaction<Real>::Code
{
    std::shared_ptr<const cell::compiler::Program> program;
    bool many = false;
    std::unique_ptr<LoadedKernel<Real>> fused, alone;
    Buffer<Real> rows; ///< of several types
};

template <class Real>
CompiledReaction<Real>::CompiledReaction(const CellGroup& group, bool fused, bool alone,
                                         StreamRef s)
    : code_(std::make_unique<Code>())
{
    constexpr bool single = sizeof(Real) == 4;
    const Current here(s.device);
    Code& c = *code_;
    c.program = cell::compiler::shared_program(cell::compiler::system_of(group.types.at(0)),
                                               group.scheme, single);
    c.many = group.types.size() > 1;
    const auto shape = kernel_shape(c.program->next.size(), single);
    const auto make = [&](bool with_pass) {
        return std::make_unique<LoadedKernel<Real>>(
            reaction_source(*c.program, single, with_pass, c.many, shape), shape, s.device);
    };
    if (fused)
        c.fused = make(true);
    if (alone)
        c.alone = make(false);
    set_types(group.types, s);
}

template <class Real>
CompiledReaction<Real>::~CompiledReaction() = default;

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
    if (c.many && !c.rows.size())
        c.rows = Buffer<Real>(rows.size(), s.device);
    if (c.many)
        c.rows.upload(rows, s);
    else
        for (const auto* k : {c.fused.get(), c.alone.get()})
            if (k)
                k->set_row(rows, s);
    s.synchronize();
}

template <class Real>
void CompiledReaction<Real>::launch(StreamRef s, const Pass<Real>* pass, Reaction<Real> r,
                                    const std::uint8_t* type, const Moment& m) const
{
    if (m.begin >= m.end)
        return;
    const Code& c = *code_;
    r.type = c.many ? type : nullptr;
    r.tables = c.many ? c.rows.data() : nullptr;
    if (pass)
        c.fused->launch(s, "diffusion+reaction", *pass, r, m);
    else
        c.alone->launch(s, "reaction", {}, r, m);
}

template <class Real>
std::size_t CompiledReaction<Real>::states() const
{
    return code_->program->next.size();
}

template <class Real>
double CompiledReaction<Real>::flops() const
{
    const auto o = cell::compiler::count_operations(*code_->program);
    return sizeof(Real) == 8 ? o.add + o.mul + 4 * o.div + 10 * o.exp + 18 * o.log + 8 * o.other
                             : o.add + o.mul + o.div + 6 * o.exp + 10 * o.log + 8 * o.other;
}

template <class Real>
double CompiledReaction<Real>::compile_ms() const
{
    return (code_->fused ? code_->fused->ms() : 0) + (code_->alone ? code_->alone->ms() : 0);
}

template <class Real>
bool CompiledReaction<Real>::from_cache() const
{
    return (!code_->fused || code_->fused->from_cache()) &&
           (!code_->alone || code_->alone->from_cache());
}

template class CompiledReaction<double>;
template class CompiledReaction<float>;

} // namespace tawara::device::cuda
