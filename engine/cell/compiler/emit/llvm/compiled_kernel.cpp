// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/llvm/compiled_kernel.hpp"

#include "engine/cell/compiler/emit/llvm/llvm_step.hpp"
#include "engine/cell/compiler/split.hpp"
#include "engine/core/aligned.hpp"

#include <algorithm>
#include <map>
#include <mutex>

namespace tawara::cell::compiler {
namespace {

constexpr std::size_t block = 16; ///< cells that arrays are padded to

/// A split program's machine code, called as JitStep is: some hundred cells at a time, so that what
/// the parts pass on stays in the processor's caches.
template <class Real>
class SplitStep
{
  public:
    explicit SplitStep(const Split& s) : states_(s.parts.at(0).next.size() - s.passed)
    {
        passed_ = s.passed;
        times_ = s.times;
        until_ = s.until;
        for (const Program& p : s.parts) {
            parts_.push_back(std::make_unique<JitStep<Real>>(p));
            compile_ms_ += parts_.back()->compile_ms();
        }
    }
    void operator()(Real* v, Real* const* states, const Real* stimulus, std::size_t begin,
                    std::size_t end, const Real* row, Real t, Real dt, Real pace) const
    {
        thread_local AlignedVector<Real> passed;
        if (passed.size() < passed_ * cells)
            passed.assign(passed_ * cells, Real(0));
        thread_local std::vector<Real*> pointers;
        pointers.resize(states_ - 1 + passed_);
        for (std::size_t k = 0; k < passed_; ++k)
            pointers[states_ - 1 + k] = passed.data() + k * cells;
        for (std::size_t i = begin; i < end; i += cells) {
            for (std::size_t k = 0; k + 1 < states_; ++k)
                pointers[k] = states[k] + i;
            const std::size_t n = std::min(cells, end - i);
            for (std::size_t k = 0; k < parts_.size(); ++k)
                for (int round = 0; round < times_[k]; ++round) {
                    (*parts_[k])(v + i, pointers.data(), stimulus ? stimulus + i : nullptr, 0, n,
                                 row, t, dt, pace);
                    if (until_[k] && all_done(pointers[*until_[k] - 1], n))
                        break;
                }
        }
    }
    std::string target() const { return parts_.front()->target(); }
    double compile_ms() const { return compile_ms_; }

  private:
    static bool all_done(const Real* done, std::size_t n)
    {
        return std::all_of(done, done + n, [](Real x) { return x != 0; });
    }

    static constexpr std::size_t cells = 128;
    std::size_t states_, passed_ = 0;
    std::vector<std::unique_ptr<JitStep<Real>>> parts_;
    std::vector<int> times_;
    std::vector<std::optional<std::size_t>> until_; ///< places behind V, as in Split
    double compile_ms_ = 0;
};

/// The machine code of a program, made once and kept; its second value is what making it took now.
template <class Real>
std::pair<std::shared_ptr<const JitStep<Real>>, double>
shared_step(const std::shared_ptr<const Program>& program)
{
    struct Entry
    {
        std::weak_ptr<const Program> program;
        std::shared_ptr<const JitStep<Real>> step;
    };
    static std::mutex mutex;
    static std::map<const Program*, Entry> steps;

    const std::scoped_lock lock(mutex);
    std::erase_if(steps, [](const auto& s) { return s.second.program.expired(); });
    auto& entry = steps[program.get()];
    if (entry.step)
        return {entry.step, 0};
    entry = {program, nullptr};
    entry.step = std::make_shared<JitStep<Real>>(*program);
    return {entry.step, entry.step->compile_ms()};
}

/// Room for one block of cells with all states and results; grows, and is a thread's own.
template <class Real>
struct Scratch
{
    AlignedVector<Real> copy, result, stimulus;
    std::vector<Real*> states;
    void fit(std::size_t n)
    {
        if (copy.size() < n * block) {
            copy.assign(n * block, Real(0));
            result.assign(n * block, Real(0));
            stimulus.assign(block, Real(0));
            states.clear();
            for (std::size_t s = 1; s < n; ++s)
                states.push_back(copy.data() + s * block);
        }
    }
};

template <class Real, class Step>
class CompiledKernel final : public CpuKernel<Real>
{
  public:
    CompiledKernel(std::shared_ptr<const Program> p,
                   std::pair<std::shared_ptr<const Step>, double> step,
                   std::span<const CellType> types)
        : program_(std::move(p)), step_(std::move(step.first)), compile_ms_(step.second),
          flops_(count_operations(*program_).processor_instructions(sizeof(Real) == 4))
    {
        CompiledKernel::set_types(types);
    }

    void set_types(std::span<const CellType> types) override
    {
        rows_.clear();
        for (const CellType& t : types) {
            const auto row = program_->row(t.parameters);
            rows_.emplace_back(row.begin(), row.end());
        }
    }
    std::string target() const override { return step_->target(); }
    double flops_per_cell() const override { return flops_; }
    double compile_ms() const override { return compile_ms_; }

    void step(const CellArrays<Real>& c, double t, double dt) const override
    {
        for (std::size_t i = c.begin; i < c.end;) {
            const TypeIndex type = c.type ? c.type[i] : 0;
            std::size_t j = c.end; // end of the run of cells of one type, in whole blocks
            if (c.type) {
                j = i;
                while (j < c.end && c.type[j] == type)
                    ++j;
                if (j < c.end)
                    j -= j % block;
            }
            if (j > i) {
                (*step_)(c.v, c.states, c.stimulus, i, j, rows_[type].data(), static_cast<Real>(t),
                         static_cast<Real>(dt), static_cast<Real>(c.pace));
                i = j;
            } else {
                mixed(c, i, std::min(c.end, i + block), t, dt);
                i += block;
            }
        }
    }

  private:
    /// A block with cells of several types: each type's step on a copy, of which its own cells are
    /// kept.
    void mixed(const CellArrays<Real>& c, std::size_t begin, std::size_t end, double t,
               double dt) const
    {
        const std::size_t n = program_->next.size();
        thread_local Scratch<Real> scratch;
        scratch.fit(n);
        auto& [copy, result, stimulus, states] = scratch;
        const auto array = [&](std::size_t s) { return s == 0 ? c.v : c.states[s - 1]; };
        for (std::size_t i = begin; i < end; ++i) {
            const TypeIndex type = c.type[i];
            if (std::find(c.type + begin, c.type + i, type) != c.type + i)
                continue; // done with the first cell of this type
            for (std::size_t s = 0; s < n; ++s)
                for (std::size_t k = 0; k < block; ++k)
                    copy[s * block + k] = array(s)[std::min(begin + k, end - 1)];
            for (std::size_t k = 0; k < block && c.stimulus; ++k)
                stimulus[k] = c.stimulus[std::min(begin + k, end - 1)];
            (*step_)(copy.data(), states.data(), c.stimulus ? stimulus.data() : nullptr, 0, block,
                     rows_[type].data(), static_cast<Real>(t), static_cast<Real>(dt),
                     static_cast<Real>(c.pace));
            for (std::size_t k = i; k < end; ++k)
                for (std::size_t s = 0; s < n && c.type[k] == type; ++s)
                    result[s * block + k - begin] = copy[s * block + k - begin];
        }
        for (std::size_t s = 0; s < n; ++s)
            std::copy_n(result.data() + s * block, end - begin, array(s) + begin);
    }

    std::shared_ptr<const Program> program_;
    std::shared_ptr<const Step> step_;
    double compile_ms_ = 0, flops_ = 0;
    std::vector<std::vector<Real>> rows_;
};

} // namespace

template <class Real>
std::unique_ptr<CpuKernel<Real>> make_compiled_kernel(std::shared_ptr<const Program> p,
                                                      std::span<const CellType> types)
{
    auto step = shared_step<Real>(p);
    return std::make_unique<CompiledKernel<Real, JitStep<Real>>>(std::move(p), std::move(step),
                                                                 types);
}
template std::unique_ptr<CpuKernel<double>> make_compiled_kernel(std::shared_ptr<const Program>,
                                                                 std::span<const CellType>);
template std::unique_ptr<CpuKernel<float>> make_compiled_kernel(std::shared_ptr<const Program>,
                                                                std::span<const CellType>);

template <class Real>
std::unique_ptr<CpuKernel<Real>> make_split_kernel(std::shared_ptr<const Program> p,
                                                   std::size_t parts,
                                                   std::span<const CellType> types)
{
    auto step = std::make_shared<const SplitStep<Real>>(split_program(*p, parts));
    const double took = step->compile_ms();
    return std::make_unique<CompiledKernel<Real, SplitStep<Real>>>(
        std::move(p), std::pair{std::move(step), took}, types);
}
template std::unique_ptr<CpuKernel<double>>
    make_split_kernel(std::shared_ptr<const Program>, std::size_t, std::span<const CellType>);
template std::unique_ptr<CpuKernel<float>>
    make_split_kernel(std::shared_ptr<const Program>, std::size_t, std::span<const CellType>);

} // namespace tawara::cell::compiler
