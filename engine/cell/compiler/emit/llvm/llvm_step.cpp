// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/llvm/llvm_step.hpp"

#include "engine/cell/compiler/emit/llvm/llvm_target.hpp"
#include "engine/cell/compiler/emit/llvm/llvm_writer.hpp"
#include "engine/core/error.hpp"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/TargetSelect.h>

#include <chrono>
#include <cmath>
#include <iterator>
#include <mutex>

namespace tawara::cell::compiler {
namespace {

template <class T>
T must(llvm::Expected<T> e)
{
    if (!e)
        throw Error("LLVM: " + llvm::toString(e.takeError()));
    return std::move(*e);
}
void must(llvm::Error e)
{
    if (e)
        throw Error("LLVM: " + llvm::toString(std::move(e)));
}

} // namespace

template <class Real>
struct JitStep<Real>::Session
{
    std::unique_ptr<llvm::orc::LLJIT> jit;
};

template <class Real>
JitStep<Real>::JitStep(const Program& p) : session_(std::make_unique<Session>())
{
    static std::once_flag once;
    std::call_once(once, [] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
    });
    const auto start = std::chrono::steady_clock::now();
    auto machine = must(llvm::orc::JITTargetMachineBuilder::detectHost());
    machine.setCodeGenOptLevel(llvm::CodeGenOpt::Default);
    machine.setCodeModel(llvm::CodeModel::Small); // constants become operands
    machine.setRelocationModel(llvm::Reloc::PIC_);
    machine.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Fast;
    const auto [bytes, target] = widest_vectors(p.vector_bytes);
    if (bytes < 64)
        machine.addFeatures({"-avx512f"});
    if (bytes < 32)
        machine.addFeatures({"-avx", "-fma"});
    session_->jit = must(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(machine).create());
    // it outlives the module, also where what follows throws
    llvm::orc::ThreadSafeContext context(std::make_unique<llvm::LLVMContext>());
    auto module = std::make_unique<llvm::Module>("cell", *context.getContext());
    module->setDataLayout(session_->jit->getDataLayout());
    write_step(*module, p, sizeof(Real) == 4, bytes / static_cast<unsigned>(sizeof(Real)));
    if (llvm::verifyModule(*module))
        throw Error("the emitted code of model '" + p.name + "' is not valid");
    using Unary = double (*)(double);
    const std::pair<const char*, Unary> functions[] = {
        {"sin", std::sin},   {"cos", std::cos},   {"tan", std::tan},   {"asin", std::asin},
        {"acos", std::acos}, {"atan", std::atan}, {"sinh", std::sinh}, {"cosh", std::cosh}};
    constexpr unsigned room = 16; // such a map that cannot grow is destroyed wrongly
    static_assert(std::size(functions) + 1 <= room);
    llvm::orc::SymbolMap symbols(room);
    for (const auto& [name, f] : functions)
        symbols[session_->jit->mangleAndIntern(name)] = llvm::JITEvaluatedSymbol::fromPointer(f);
    using Binary = double (*)(double, double);
    symbols[session_->jit->mangleAndIntern("fmod")] =
        llvm::JITEvaluatedSymbol::fromPointer(static_cast<Binary>(std::fmod));
    must(session_->jit->getMainJITDylib().define(llvm::orc::absoluteSymbols(symbols)));
    must(session_->jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), context)));
    function_ = must(session_->jit->lookup("step")).template toPtr<Function>();
    target_ = target;
    compile_ms_ =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

template <class Real>
JitStep<Real>::~JitStep() = default;

template <class Real>
void JitStep<Real>::operator()(Real* v, Real* const* states, const Real* stimulus,
                               std::size_t begin, std::size_t end, const Real* row, Real t, Real dt,
                               Real pace) const
{
    alignas(64) static constexpr Real nothing[16] = {};
    function_(v, states, stimulus ? stimulus : nothing, stimulus ? -1 : 0,
              static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end), row, t, dt, pace);
}

template class JitStep<double>;
template class JitStep<float>;

} // namespace tawara::cell::compiler
