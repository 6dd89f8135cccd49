// SPDX-License-Identifier: GPL-3.0-or-later
// Loading and launching of compiled cell models; the kernels themselves are cell_*.cuh.
#include "engine/device/cuda/compiled_reaction.cuh"

#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/schemes/schemes.hpp"
#include "engine/device/cuda/loaded_code.cuh"

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
    LoadedKernel first, pass, moving;
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
        s.waits = (s.has_loop || with_pass) &&
                  device_attribute(cudaDevAttrComputeCapabilityMajor, device) >= 9;
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
        pass = {*rest, "cell_pass", shape.block_threads, device};
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
    upload_rows<Real>(rows, types.size(), c.all(), c.rows, s);
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
    if (rest.part == Rest::Part::pass)
        code_->pass.launch(s, "diffusion of what moves", m.end - m.begin, true, false, *l.pass, m,
                           rest);
    else if (rest.part != Rest::Part::moving)
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
    return device_flops(*code_->program, sizeof(Real) == sizeof(float));
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
