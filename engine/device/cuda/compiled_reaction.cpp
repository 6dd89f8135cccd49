// SPDX-License-Identifier: GPL-3.0-or-later
// Loading and launching of compiled cell models; the kernels themselves are cell_*.cuh.
#include "engine/device/cuda/compiled_reaction.cuh"

#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/schemes/schemes.hpp"
#include "engine/core/cache_folder.hpp"
#include "engine/core/error.hpp"

#include <algorithm>

namespace tawara::device::cuda {

std::string compiled_cells_reason(const TissueProblem& p)
{
    const auto known = cell::compiler::compiled_schemes();
    bool any = false;
    for (const auto& g : p.groups) {
        any = any || !g.reaction;
        if (!g.reaction && std::find(known.begin(), known.end(), g.scheme) == known.end())
            return "reaction scheme " + std::string(cell::name(g.scheme)) +
                   " is not available on CUDA devices";
    }
    return any ? nvrtc_missing_reason() : "";
}

namespace {

constexpr std::size_t most_spilled = 256; ///< bytes a thread: more costs more than fewer warps do

int attribute(cudaDeviceAttr a, int device)
{
    int value = 0;
    check(cudaDeviceGetAttribute(&value, a, device), "cudaDeviceGetAttribute", device);
    return value;
}

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

LoadedCode::LoadedCode(const CudaSource& source, int device) : name_(source.name)
{
    const int architecture = 10 * attribute(cudaDevAttrComputeCapabilityMajor, device) +
                             attribute(cudaDevAttrComputeCapabilityMinor, device);
    binary_ = compile_cuda(source, architecture, cache_folder());
    check(cudaLibraryLoadData(&library_, binary_.code.data(), nullptr, nullptr, 0, nullptr, nullptr,
                              0),
          "cudaLibraryLoadData", device);
}

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
        std::int64_t{per_multiprocessor} * attribute(cudaDevAttrMultiProcessorCount, device);
    if (resident_blocks_ < 1)
        throw Error("the kernel of cell model " + code.name() +
                    " does not fit on cuda:" + std::to_string(device));
}

} // namespace

template <class Real>
struct CompiledReaction<Real>::Code
{
    /// One way of launching it.
    struct Step
    {
        std::unique_ptr<LoadedCode> code;
        LoadedKernel kernel;
        bool has_loop = false;
        bool waits = false; ///< itself for the end of what is ahead in the stream
    };
    std::vector<const LoadedCode*> all() const
    {
        std::vector<const LoadedCode*> c;
        for (const auto* p : {fused.code.get(), alone.code.get(), implicit.code.get(), rest.get()})
            if (p)
                c.push_back(p);
        return c;
    }
    Reaction<Real> filled(Reaction<Real> r) const
    {
        r.tables = rows.data();
        return r;
    }

    void compile(int device);
    void load(Step& step, bool with_pass, int device);

    std::shared_ptr<const cell::compiler::Program> program, long_program;
    ReactionUse use;
    TypeRows type_rows; ///< what the present code is made for
    Step fused, alone, implicit;
    std::unique_ptr<LoadedCode> rest;
    LoadedKernel first, moving;
    Buffer<Real> rows; ///< of several types, where constant memory does not hold them
};

template <class Real>
void CompiledReaction<Real>::Code::load(Step& step, bool with_pass, int device)
{
    constexpr bool single = sizeof(Real) == 4;
    const auto with = [&](const KernelShape& shape) {
        Step s;
        s.code = std::make_unique<LoadedCode>(
            reaction_source(*program, single, with_pass, type_rows, shape), device);
        s.kernel = {*s.code, "cell_kernel", shape.block_threads, device};
        s.has_loop = shape.stages > 0;
        s.waits =
            (s.has_loop || with_pass) && attribute(cudaDevAttrComputeCapabilityMajor, device) >= 9;
        return s;
    };
    const auto spills = [&] { return step.kernel.spilled_bytes() > most_spilled; };
    const auto states = program->next.size();
    if (!use.shape &&
        !program->before.empty()) { // Newton's method: nothing but its own work counts
        step = with(all_registers);
        return;
    }
    auto shape = use.shape.value_or(kernel_shape(states, single, with_pass, use.unknowns));
    step = with(shape);
    if (use.shape || !spills())
        return;
    if (shape.block_threads * shape.blocks > 256) {
        shape = with_all_registers(shape, states, single);
        step = with(shape);
    }
    if (shape.stages > 0 && spills()) // a cell a thread keeps fewer addresses
        if (auto direct = with(all_registers);
            direct.kernel.spilled_bytes() < step.kernel.spilled_bytes())
            step = std::move(direct);
}

template <class Real>
void CompiledReaction<Real>::Code::compile(int device)
{
    constexpr bool single = sizeof(Real) == 4;
    if (long_program) {
        const auto shape = use.shape.value_or(rest_shape(program->next.size(), single));
        rest = std::make_unique<LoadedCode>(
            rest_source(*program, *long_program, single, type_rows, shape), device);
        first = {*rest, "cell_first", shape.block_threads, device};
        moving = {*rest, "cell_moving", shape.block_threads, device};
        return;
    }
    if (use.implicit) { // nothing but its own work counts
        const auto shape = use.shape.value_or(all_registers);
        implicit.code =
            std::make_unique<LoadedCode>(implicit_source(*program, type_rows, shape), device);
        implicit.kernel = {*implicit.code, "cell_implicit", shape.block_threads, device};
        return;
    }
    if (use.fused)
        load(fused, true, device);
    if (use.alone)
        load(alone, false, device);
}

template <class Real>
CompiledReaction<Real>::CompiledReaction(const CellGroup& group, const ReactionUse& use,
                                         StreamRef s)
    : code_(std::make_unique<Code>())
{
    constexpr bool single = sizeof(Real) == 4;
    Code& c = *code_;
    const auto system = cell::compiler::system_of(group.types);
    const auto target = cell::compiler::Target::gpu(single);
    c.program = use.program    ? use.program
                : use.implicit ? cell::compiler::shared_source_program(system, target)
                               : cell::compiler::shared_program(system, group.scheme, target);
    if (use.longest_quiescent_ms > 0)
        c.long_program = cell::compiler::shared_program(
            system,
            cell::compiler::scheme_of_long_steps(*system, group.scheme, use.longest_quiescent_ms),
            target);
    c.use = use;
    c.type_rows.types = group.types.size();
    set_types(group.types, s);
}

template <class Real>
CompiledReaction<Real>::~CompiledReaction() = default;

template <class Real>
void CompiledReaction<Real>::set_types(std::span<const cell::CellType> types, StreamRef s)
{
    Code& c = *code_;
    const Current here(s.device);
    const auto rows = row_numbers<Real>(types, *c.program, c.long_program.get());
    const auto row_size = rows.size() / types.size();
    auto wanted = c.type_rows;
    if (mark_differences<Real>(wanted, rows)) { // the first time, or more of them than before
        std::swap(c.type_rows, wanted);
        try {
            c.compile(s.device);
        } catch (...) {
            c.type_rows = wanted;
            throw;
        }
    }
    const bool constant = constant_rows(types.size(), row_size * sizeof(Real)) > 0;
    if (!constant && !c.rows.size())
        c.rows = Buffer<Real>(rows.size(), s.device);
    if (!constant)
        c.rows.upload(rows, s);
    const auto bytes = (constant ? rows.size() : row_size) * sizeof(Real);
    for (const auto* code : c.all())
        if (void* constants = code->find("cell_rows")) // gone where nothing reads them
            check(cudaMemcpyAsync(constants, rows.data(), bytes, cudaMemcpyHostToDevice, s.handle),
                  "cudaMemcpyAsync", s.device);
    s.synchronize();
}

template <class Real>
void CompiledReaction<Real>::launch(StreamRef s, const ReactionLaunch<Real>& l) const
{
    const Moment& m = l.moment;
    if (m.begin >= m.end)
        return;
    const auto& step = l.pass ? code_->fused : code_->alone;
    step.kernel.launch(s, l.pass ? "diffusion+reaction" : "reaction", m.end - m.begin,
                       step.has_loop, l.early && step.waits, l.pass ? *l.pass : Pass<Real>{},
                       code_->filled(l.cells), m);
}

template <class Real>
void CompiledReaction<Real>::launch_quiescent(StreamRef s, const ReactionLaunch<Real>& l,
                                              const Rest& rest) const
{
    const Moment& m = l.moment;
    if (m.begin >= m.end)
        return;
    const auto cells = code_->filled(l.cells);
    if (rest.at == 0)
        code_->first.launch(s, "long step", m.end - m.begin, false, false, *l.pass, cells, m, rest);
    else
        code_->moving.launch(s, "short step", m.end - m.begin, true, false, *l.pass, cells, m,
                             rest);
}

template <class Real>
void CompiledReaction<Real>::launch_implicit(StreamRef s, const ImplicitCells<Real>& c) const
{
    auto all = c;
    all.cells = code_->filled(c.cells);
    if (code_->implicit.code)
        code_->implicit.kernel.launch(s, "cells (Newton)", c.end - c.begin, false, false, all);
    else
        DeviceReaction<Real>::launch_implicit(s, c);
}

template <class Real>
bool CompiledReaction<Real>::keeps_record() const
{
    return !code_->use.implicit;
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
std::size_t CompiledReaction<Real>::spilled_bytes() const
{
    std::size_t most = 0;
    for (const auto* s : {&code_->fused, &code_->alone, &code_->implicit})
        if (s->code)
            most = std::max(most, s->kernel.spilled_bytes());
    return most;
}

template <class Real>
double CompiledReaction<Real>::compile_ms() const
{
    double ms = 0;
    for (const auto* code : code_->all())
        ms += code->ms();
    return ms;
}

template <class Real>
bool CompiledReaction<Real>::from_cache() const
{
    const auto all = code_->all();
    return std::all_of(all.begin(), all.end(), [](const auto* c) { return c->from_cache(); });
}

template class CompiledReaction<double>;
template class CompiledReaction<float>;

} // namespace tawara::device::cuda
