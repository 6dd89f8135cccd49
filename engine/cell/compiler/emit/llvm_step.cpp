// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/llvm_step.hpp"

#include "engine/cell/compiler/emit/llvm_math.hpp"
#include "engine/core/error.hpp"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/Host.h>
#include <llvm/Support/TargetSelect.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>

namespace tawara::cell::compiler {
namespace {

using llvm::Value;

/// Writes the IR of the step function.
class Writer
{
  public:
    Writer(llvm::Module& m, const Program& p, bool single, unsigned width)
        : p_(p), g_(p.graph), module_(m), b_(m.getContext()), math_(b_), width_(width),
          scalar_(single ? b_.getFloatTy() : b_.getDoubleTy()),
          vector_(llvm::FixedVectorType::get(scalar_, width))
    {
        llvm::FastMathFlags fast;
        fast.setAllowContract(true);
        b_.setFastMathFlags(fast);
    }

    void write()
    {
        auto* ptr = b_.getPtrTy();
        auto* i64 = b_.getInt64Ty();
        auto* type = llvm::FunctionType::get(
            b_.getVoidTy(), {ptr, ptr, ptr, i64, i64, i64, ptr, scalar_, scalar_, scalar_}, false);
        f_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "step", module_);
        f_->addFnAttr("prefer-vector-width", "512");
        f_->addFnAttr("min-legal-vector-width", "512");
        auto* entry = llvm::BasicBlock::Create(module_.getContext(), "entry", f_);
        auto* loop = llvm::BasicBlock::Create(module_.getContext(), "loop", f_);
        auto* done = llvm::BasicBlock::Create(module_.getContext(), "done", f_);
        b_.SetInsertPoint(entry);
        state_pointers();
        shared();
        b_.CreateCondBr(b_.CreateICmpSLT(arg(4), arg(5)), loop, done);
        b_.SetInsertPoint(loop);
        auto* i = b_.CreatePHI(i64, 2);
        i->addIncoming(arg(4), entry);
        body(i);
        Value* next = b_.CreateAdd(i, b_.getInt64(width_));
        i->addIncoming(next, b_.GetInsertBlock());
        b_.CreateCondBr(b_.CreateICmpSLT(next, arg(5)), loop, done);
        b_.SetInsertPoint(done);
        b_.CreateRetVoid();
    }

  private:
    Value* arg(unsigned k) { return f_->getArg(k); }
    Value* splat(Value* v) { return b_.CreateVectorSplat(width_, v); }

    void state_pointers()
    {
        pointers_.push_back(arg(0));
        for (std::size_t k = 1; k < p_.next.size(); ++k)
            pointers_.push_back(
                b_.CreateLoad(b_.getPtrTy(), b_.CreateConstGEP1_64(b_.getPtrTy(), arg(1), k - 1)));
    }

    static bool varies(std::uint32_t id)
    {
        return symbol_kind(id) == Symbol::state || symbol_kind(id) == Symbol::stimulus;
    }

    /// What is the same for all cells is computed once, in scalars.
    void shared()
    {
        order_ = reachable(g_, p_.next);
        varying_.assign(g_.size(), false);
        for (const Node n : order_) {
            varying_[n] = g_.op(n) == Op::symbol && (varies(g_.symbol_of(n)));
            for (int k = 0; k < g_.arity(n); ++k)
                varying_[n] = varying_[n] || varying_[g_.arg(n, k)];
            if (!varying_[n] && !is_plain(n))
                scalars_[n] = node(n, scalar_, [&](Node a) { return shared_value(a); });
        }
    }
    /// Constants and table entries are read where they are used (a broadcast from memory).
    bool is_plain(Node n) const
    {
        return g_.op(n) == Op::constant ||
               (g_.op(n) == Op::symbol && symbol_kind(g_.symbol_of(n)) == Symbol::table);
    }
    Value* shared_value(Node n)
    {
        if (const auto it = scalars_.find(n); it != scalars_.end())
            return it->second;
        return leaf(n);
    }
    Value* leaf(Node n)
    {
        if (g_.op(n) == Op::constant)
            return math_.number(scalar_, g_.value(n));
        if (g_.op(n) == Op::truth)
            return b_.getInt1(g_.value(n) != 0);
        const auto id = g_.symbol_of(n);
        switch (symbol_kind(id)) {
        case Symbol::table:
            return b_.CreateLoad(scalar_, b_.CreateConstGEP1_64(scalar_, arg(6), symbol_index(id)));
        case Symbol::time:
            return arg(7);
        case Symbol::dt:
            return arg(8);
        case Symbol::pace:
            return arg(9);
        default:
            throw Error("a symbol without meaning reached the emitter");
        }
    }

    void body(Value* i)
    {
        const llvm::Align align(scalar_->isFloatTy() ? 4 * width_ : 8 * width_);
        std::unordered_map<Node, Value*> value;
        const auto use = [&](Node a) -> Value* {
            if (varying_[a])
                return value.at(a);
            auto& v = value[a];
            if (!v)
                v = splat(shared_value(a));
            return v;
        };
        for (const Node n : order_) {
            if (!varying_[n])
                continue;
            if (g_.op(n) == Op::symbol) {
                const auto id = g_.symbol_of(n);
                const bool stimulus = symbol_kind(id) == Symbol::stimulus;
                Value* at = stimulus ? b_.CreateGEP(scalar_, arg(2), b_.CreateAnd(i, arg(3)))
                                     : b_.CreateGEP(scalar_, pointers_[symbol_index(id)], i);
                value[n] = b_.CreateAlignedLoad(vector_, at, align);
            } else
                value[n] = node(n, vector_, use);
        }
        std::vector<Value*> results;
        for (const Node n : p_.next)
            results.push_back(use(n));
        for (std::size_t k = 0; k < results.size(); ++k)
            if (g_.op(p_.next[k]) != Op::symbol)
                b_.CreateAlignedStore(results[k], b_.CreateGEP(scalar_, pointers_[k], i), align);
    }

    template <class Use>
    Value* node(Node n, llvm::Type* type, Use&& use)
    {
        const Op op = g_.op(n);
        if (g_.arity(n) == 0)
            return leaf(n);
        Value* a = use(g_.arg(n, 0));
        if (op == Op::pow && g_.is_constant(g_.arg(n, 1))) {
            const double e = g_.value(g_.arg(n, 1));
            if (e == std::round(e) && std::abs(e) <= 64)
                return math_.integer_power(a, static_cast<int>(e));
        }
        Value* c = g_.arity(n) > 1 ? use(g_.arg(n, 1)) : nullptr;
        switch (op) {
        case Op::add:
            return b_.CreateFAdd(a, c);
        case Op::sub:
            return b_.CreateFSub(a, c);
        case Op::mul:
            return b_.CreateFMul(a, c);
        case Op::div:
            return b_.CreateFDiv(a, c);
        case Op::neg:
            return b_.CreateFNeg(a);
        case Op::pow:
            return math_.pow(a, c);
        case Op::exp:
            return math_.exp(a);
        case Op::log:
            return math_.log(a);
        case Op::sqrt:
            return b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a);
        case Op::abs:
            return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
        case Op::floor:
            return b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, a);
        case Op::ceil:
            return b_.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, a);
        case Op::tanh:
            return math_.tanh(a);
        case Op::linexp:
            return math_.linexp(a);
        case Op::min:
            return b_.CreateSelect(b_.CreateFCmpOLT(a, c), a, c);
        case Op::max:
            return b_.CreateSelect(b_.CreateFCmpOGT(a, c), a, c);
        case Op::eq:
            return b_.CreateFCmpOEQ(a, c);
        case Op::ne:
            return b_.CreateFCmpUNE(a, c);
        case Op::lt:
            return b_.CreateFCmpOLT(a, c);
        case Op::le:
            return b_.CreateFCmpOLE(a, c);
        case Op::both:
            return b_.CreateAnd(a, c);
        case Op::either:
            return b_.CreateOr(a, c);
        case Op::negate:
            return b_.CreateNot(a);
        case Op::select:
            return b_.CreateSelect(a, c, use(g_.arg(n, 2)));
        default:
            return library_call(op, type, a, c);
        }
    }

    /// Rare functions: the C library's, cell by cell, in double precision.
    Value* library_call(Op op, llvm::Type* type, Value* a, Value* c)
    {
        auto* d = b_.getDoubleTy();
        const std::string name = op == Op::rem ? "fmod" : std::string(op_name(op));
        std::vector<llvm::Type*> types(c ? 2 : 1, d);
        const auto f = module_.getOrInsertFunction(name, llvm::FunctionType::get(d, types, false));
        const auto one = [&](Value* x, Value* y) {
            std::vector<Value*> args{b_.CreateFPExt(x, d)};
            if (y)
                args.push_back(b_.CreateFPExt(y, d));
            return b_.CreateFPTrunc(b_.CreateCall(f, args), scalar_);
        };
        if (type == scalar_)
            return one(a, c);
        Value* out = llvm::PoisonValue::get(vector_);
        for (unsigned k = 0; k < width_; ++k)
            out = b_.CreateInsertElement(
                out,
                one(b_.CreateExtractElement(a, k), c ? b_.CreateExtractElement(c, k) : nullptr), k);
        return out;
    }

    const Program& p_;
    const Graph& g_;
    llvm::Module& module_;
    llvm::IRBuilder<> b_;
    LlvmMath math_;
    unsigned width_;
    llvm::Type* scalar_;
    llvm::VectorType* vector_;
    llvm::Function* f_ = nullptr;
    std::vector<Value*> pointers_;
    std::vector<Node> order_;
    std::vector<bool> varying_;
    std::unordered_map<Node, Value*> scalars_;
};

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

std::atomic<unsigned> vector_limit{0};

} // namespace

void limit_vectors(unsigned bytes)
{
    vector_limit = bytes;
}

std::pair<unsigned, std::string> vectors_in_use()
{
    static const llvm::StringMap<bool> features = [] {
        llvm::StringMap<bool> f;
        llvm::sys::getHostCPUFeatures(f);
        return f;
    }();
    const unsigned limit = vector_limit ? vector_limit.load() : 64;
    if (limit >= 64 && features.lookup("avx512f") && features.lookup("avx512dq"))
        return {64, "AVX-512"};
    if (limit >= 32 && features.lookup("avx2") && features.lookup("fma"))
        return {32, "AVX2"};
    return {16, "128-bit vectors"};
}

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
    machine.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Fast;
    const auto [bytes, target] = vectors_in_use();
    if (bytes < 64)
        machine.addFeatures({"-avx512f"});
    if (bytes < 32)
        machine.addFeatures({"-avx", "-fma"});
    session_->jit = must(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(machine).create());
    auto context = std::make_unique<llvm::LLVMContext>();
    auto module = std::make_unique<llvm::Module>("cell", *context);
    module->setDataLayout(session_->jit->getDataLayout());
    Writer(*module, p, sizeof(Real) == 4, bytes / static_cast<unsigned>(sizeof(Real))).write();
    if (llvm::verifyModule(*module))
        throw Error("the emitted code of model '" + p.name + "' is not valid");
    using Unary = double (*)(double);
    const std::pair<const char*, Unary> functions[] = {
        {"sin", std::sin},   {"cos", std::cos},   {"tan", std::tan},   {"asin", std::asin},
        {"acos", std::acos}, {"atan", std::atan}, {"sinh", std::sinh}, {"cosh", std::cosh}};
    llvm::orc::SymbolMap symbols;
    for (const auto& [name, f] : functions)
        symbols[session_->jit->mangleAndIntern(name)] = llvm::JITEvaluatedSymbol::fromPointer(f);
    using Binary = double (*)(double, double);
    symbols[session_->jit->mangleAndIntern("fmod")] =
        llvm::JITEvaluatedSymbol::fromPointer(static_cast<Binary>(std::fmod));
    must(session_->jit->getMainJITDylib().define(llvm::orc::absoluteSymbols(symbols)));
    must(session_->jit->addIRModule(
        llvm::orc::ThreadSafeModule(std::move(module), std::move(context))));
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
