// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/llvm_writer.hpp"

#include "engine/cell/compiler/emit/llvm_math.hpp"
#include "engine/cell/compiler/emit/llvm_order.hpp"
#include "engine/cell/compiler/emit/llvm_plan.hpp"
#include "engine/cell/compiler/optimise/tabulate.hpp"
#include "engine/core/error.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace tawara::cell::compiler {
namespace {

using llvm::Value;

/// Writes the IR of the step function.
class Writer
{
  public:
    Writer(llvm::Module& m, const Program& p, bool single, unsigned width)
        : p_(p), g_(p.graph), plan_(make_plan(p)), bounds_(intervals(p)), module_(m),
          b_(m.getContext()), math_(b_), width_(width),
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
        // values that do not fit the registers lie in whole cache lines
        f_->addFnAttr(llvm::Attribute::getWithStackAlignment(module_.getContext(), alignment()));
        f_->addFnAttr("stackrealign");
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
        order_operations(*f_);
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

    /// What is the same for all cells is computed once, in scalars.
    void shared()
    {
        for (const Node n : reachable(g_, p_.next))
            if (!plan_.varying[n] && !is_plain(n))
                scalars_[n] = node(n, scalar_, [&](Node a) { return shared_value(a); });
        spread();
    }

    /// What all cells share, in memory: operands of the loop's operations. Whole vectors, but one
    /// number where operands are broadcast: of 64-byte reads a processor makes half as many.
    void spread()
    {
        for (const Node n : reachable(g_, p_.next))
            for (int k = 0; k < g_.arity(n); ++k) {
                const Node a = g_.arg(n, k);
                if (!plan_.varying[n] || plan_.varying[a] || g_.op(a) == Op::constant ||
                    g_.type(a) != Type::real || spread_.count(a))
                    continue;
                auto* place = b_.CreateAlloca(broadcasts() ? scalar_ : vector_);
                if (broadcasts()) {
                    b_.CreateStore(shared_value(a), place);
                } else {
                    place->setAlignment(alignment());
                    b_.CreateAlignedStore(splat(shared_value(a)), place, alignment());
                }
                spread_[a] = place;
            }
    }
    /// Whether operations read a number for all cells from memory by themselves (AVX-512).
    bool broadcasts() const { return vector_->getPrimitiveSizeInBits() == 512; }

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

    llvm::Align alignment() const
    {
        return llvm::Align(scalar_->isFloatTy() ? 4 * width_ : 8 * width_);
    }

    /// One vector of cells: each state's result is computed and stored before the next.
    void body(Value* i)
    {
        cell_ = i;
        values_.clear();
        loads_.clear();
        stored_.assign(p_.next.size(), false);
        kept_.assign(p_.next.size(), nullptr);
        V_bounded_ = nullptr;
        if (scalar_->isFloatTy()) {
            Value* most = math_.number(vector_, V_range);
            Value* least = math_.number(vector_, -V_range);
            Value* v = load(0);
            v = b_.CreateSelect(b_.CreateFCmpOLT(v, most), v, most);
            V_bounded_ = b_.CreateSelect(b_.CreateFCmpOGT(v, least), v, least);
        }
        if (!p_.lookups.empty())
            find_place();
        list_early();
        logarithms();
        std::vector<int> left = uses_of_states();
        for (const std::size_t k : plan_.order) {
            const Node root = p_.next[k];
            for (const Node n : states_of_[k])
                --left[symbol_index(g_.symbol_of(n))];
            if (g_.op(root) == Op::symbol && g_.symbol_of(root) == symbol_id(Symbol::state, k_(k)))
                continue;
            require(root);
            Value* result = use(root);
            if (left[k] > 0)
                kept_[k] = load(k_(k));
            b_.CreateAlignedStore(result, b_.CreateGEP(scalar_, pointers_[k], i), alignment());
            stored_[k] = true;
            loads_.clear(); // states are cheaper to read again than to keep in registers
        }
    }

    /// Where V lies in the tables: index of the point below and the distance from it in steps.
    void find_place()
    {
        const double last = static_cast<double>(table_points(p_.table_step_mV)) - 2;
        Value* x = b_.CreateFMul(b_.CreateFSub(load(0), math_.number(vector_, table_low_mV)),
                                 math_.number(vector_, 1 / p_.table_step_mV));
        Value *most = math_.number(vector_, last), *least = math_.number(vector_, 0);
        Value* inside = b_.CreateSelect(b_.CreateFCmpOLT(x, most), x, most); // for NaN as well
        inside = b_.CreateSelect(b_.CreateFCmpOGT(inside, least), inside, least);
        auto* integers = llvm::FixedVectorType::get(b_.getInt32Ty(), width_);
        Value* i = b_.CreateFPToSI(inside, integers);
        between_ = b_.CreateFSub(x, b_.CreateSIToFP(i, vector_));
        auto* count = llvm::ConstantInt::get(integers, p_.lookups.size());
        point_ = b_.CreateMul(i, count);
    }

    /// Function k at V, between two points of its table.
    Value* look_up(Node n, std::uint32_t k)
    {
        Value* table = b_.CreateConstGEP1_64(scalar_, arg(6), p_.table.size() + k);
        Value* next = b_.CreateConstGEP1_64(scalar_, table, p_.lookups.size());
        const llvm::Align align(scalar_->isFloatTy() ? 4 : 8);
        const auto gather = [&](Value* from) {
            return b_.CreateMaskedGather(vector_, b_.CreateGEP(scalar_, from, point_), align);
        };
        Value *low = gather(table), *high = gather(next);
        Value* v = b_.CreateIntrinsic(llvm::Intrinsic::fmuladd, {vector_},
                                      {between_, b_.CreateFSub(high, low), low});
        return (side_ ? *side_ : values_)[n] = v;
    }

    static std::uint32_t k_(std::size_t k) { return static_cast<std::uint32_t>(k); }

    /// How many results need each state; also notes which states each result needs.
    std::vector<int> uses_of_states()
    {
        std::vector<int> uses(p_.next.size(), 0);
        states_of_.assign(p_.next.size(), {});
        for (std::size_t k = 0; k < p_.next.size(); ++k)
            for (const Node n : reachable(g_, std::span(&p_.next[k], 1)))
                if (g_.op(n) == Op::symbol && symbol_kind(g_.symbol_of(n)) == Symbol::state &&
                    symbol_index(g_.symbol_of(n)) < p_.next.size()) {
                    states_of_[k].push_back(n);
                    ++uses[symbol_index(g_.symbol_of(n))];
                }
        return uses;
    }

    Value* load(std::uint32_t state)
    {
        if (stored_[state])
            return kept_[state];
        auto& v = loads_[state];
        if (!v)
            v = b_.CreateAlignedLoad(vector_, b_.CreateGEP(scalar_, pointers_[state], cell_),
                                     alignment());
        return v;
    }

    /// The vector of a node that has been made, or of what all cells share.
    Value* use(Node n)
    {
        if (side_)
            if (const auto it = side_->find(n); it != side_->end())
                return it->second;
        if (const auto it = values_.find(n); it != values_.end())
            return it->second;
        if (plan_.varying[n] && g_.op(n) == Op::symbol) {
            if (symbol_kind(g_.symbol_of(n)) == Symbol::state) {
                const auto index = symbol_index(g_.symbol_of(n));
                return index < p_.next.size() ? load(index)
                                              : look_up(n, index - k_(p_.next.size()));
            }
            Value* at = b_.CreateGEP(scalar_, arg(2), b_.CreateAnd(cell_, arg(3)));
            return b_.CreateAlignedLoad(vector_, at, alignment());
        }
        if (plan_.varying[n])
            throw Error("a value was needed before it was made");
        if (g_.op(n) == Op::constant)
            return math_.number(vector_, g_.value(n));
        if (const auto it = spread_.find(n); it != spread_.end())
            return broadcasts() ? splat(b_.CreateLoad(scalar_, it->second))
                                : b_.CreateAlignedLoad(vector_, it->second, alignment());
        Value* shared = shared_value(n);
        return shared->getType()->isVectorTy() ? shared : splat(shared);
    }

    /// Makes a varying node and everything that it needs, depth first.
    void require(Node root)
    {
        std::vector<Node> stack{root};
        while (!stack.empty()) {
            const Node n = stack.back();
            if (!plan_.varying[n] || g_.arity(n) == 0 || values_.count(n)) {
                stack.pop_back();
                continue;
            }
            const int which = plan_.branch_of[n];
            const auto before = stack.size();
            const auto want = [&](Node a) {
                if (plan_.varying[a] && g_.arity(a) > 0 && !values_.count(a))
                    stack.push_back(a);
            };
            if (which >= 0) {
                for (const Node a : plan_.branches[static_cast<std::size_t>(which)].inputs)
                    want(a);
            } else {
                for (int k = g_.arity(n) - 1; k >= 0; --k)
                    want(g_.arg(n, k));
            }
            if (stack.size() > before)
                continue;
            if (which >= 0)
                branch(plan_.branches[static_cast<std::size_t>(which)]);
            else if (plan_.early[n])
                exponentials(n);
            else
                values_[n] = make(n);
            stack.pop_back();
        }
    }

    /// Logarithms come first: much waits for them, and they take long.
    void logarithms()
    {
        std::vector<Value*> x;
        for (const Node n : plan_.logarithms) {
            require(g_.arg(n, 0));
            x.push_back(use(g_.arg(n, 0)));
        }
        if (x.empty())
            return;
        const auto made = math_.log(x);
        for (std::size_t k = 0; k < made.size(); ++k)
            values_[plan_.logarithms[k]] = made[k];
    }

    /// An early exponential together with the next ones that will be needed.
    void exponentials(Node n)
    {
        std::vector<Node> list{n};
        for (auto it = std::find(early_.begin(), early_.end(), n);
             it != early_.end() && list.size() < at_once; ++it)
            if (*it != n && !values_.count(*it))
                list.push_back(*it);
        for (const Node e : list)
            require(g_.arg(e, 0));
        const auto made = make_exponentials(list);
        for (std::size_t k = 0; k < list.size(); ++k)
            values_[list[k]] = made[k];
    }

    std::vector<Value*> make_exponentials(const std::vector<Node>& list)
    {
        std::vector<LlvmMath::Power> powers;
        for (const Node e : list)
            powers.push_back(power(e, [&](Node a) { return use(a); }));
        return math_.exp2(powers);
    }

    /// The early exponentials outside of branches, in the order in which they are needed.
    void list_early()
    {
        std::vector<bool> seen(g_.size(), false);
        for (const auto& b : plan_.branches)
            for (const auto* side : {&b.then_nodes, &b.else_nodes})
                for (const Node n : *side)
                    seen[n] = true;
        std::vector<Node> stack;
        for (auto k = plan_.order.rbegin(); k != plan_.order.rend(); ++k)
            stack.push_back(p_.next[*k]);
        while (!stack.empty()) {
            const Node n = stack.back();
            stack.pop_back();
            if (seen[n] || !plan_.varying[n])
                continue;
            seen[n] = true;
            if (plan_.early[n])
                early_.push_back(n);
            if (const int which = plan_.branch_of[n]; which >= 0)
                for (const Node a : plan_.branches[static_cast<std::size_t>(which)].inputs)
                    stack.push_back(a);
            for (int k = g_.arity(n) - 1; k >= 0; --k)
                stack.push_back(g_.arg(n, k));
        }
    }

    Value* make(Node n)
    {
        return node(n, vector_, [&](Node a) { return use(a); });
    }

    /// One side of a branch in a block of its own, passed by when no cell is on it. @return the
    /// selects' arguments `which`, or zeros
    std::vector<Value*> side(const Branch& b, const std::vector<Node>& nodes, unsigned which,
                             Value* any)
    {
        auto& context = module_.getContext();
        auto* from = b_.GetInsertBlock();
        auto* inside = llvm::BasicBlock::Create(context, "side", f_);
        auto* after = llvm::BasicBlock::Create(context, "after", f_);
        b_.CreateCondBr(any, inside, after);
        b_.SetInsertPoint(inside);
        std::unordered_map<Node, Value*> made;
        const auto loads = loads_;
        side_ = &made;
        std::vector<Node> list; // early exponentials together, after what they need
        for (const Node n : nodes)
            if (plan_.early[n])
                list.push_back(n);
        for (const Node n : reachable(g_, list))
            if (plan_.varying[n] && g_.arity(n) > 0 && !plan_.early[n] && !values_.count(n))
                made[n] = make(n);
        for (std::size_t k = 0; k < list.size(); k += at_once) {
            const std::vector<Node> part(
                list.begin() + static_cast<std::ptrdiff_t>(k),
                list.begin() + static_cast<std::ptrdiff_t>(std::min(k + at_once, list.size())));
            const auto powers = make_exponentials(part);
            for (std::size_t j = 0; j < part.size(); ++j)
                made[part[j]] = powers[j];
        }
        for (const Node n : nodes)
            if (!made.count(n))
                made[n] = make(n);
        std::vector<Value*> results;
        for (const Node s : b.selects)
            results.push_back(use(g_.arg(s, static_cast<int>(which))));
        side_ = nullptr;
        loads_ = loads;
        auto* to = b_.GetInsertBlock();
        b_.CreateBr(after);
        b_.SetInsertPoint(after);
        for (Value*& r : results) {
            auto* phi = b_.CreatePHI(vector_, 2);
            phi->addIncoming(r, to);
            phi->addIncoming(llvm::Constant::getNullValue(vector_), from);
            r = phi;
        }
        return results;
    }

    void branch(const Branch& b)
    {
        Value* condition = use(b.condition);
        auto* bits = b_.getIntNTy(width_);
        Value* mask = b_.CreateBitCast(condition, bits);
        const auto then_side =
            side(b, b.then_nodes, 1, b_.CreateICmpNE(mask, llvm::ConstantInt::get(bits, 0)));
        const auto else_side = side(
            b, b.else_nodes, 2, b_.CreateICmpNE(mask, llvm::ConstantInt::getAllOnesValue(bits)));
        for (std::size_t k = 0; k < b.selects.size(); ++k)
            values_[b.selects[k]] = b_.CreateSelect(condition, then_side[k], else_side[k]);
    }

    /// The exponential e as a power of two, its argument's constant factor taken into the scale.
    /// Multiples of V that stay within the range of numbers while V does not leave +-V_range need
    /// no bounds of their own: beyond, they keep the value that they have there.
    template <class Use>
    LlvmMath::Power power(Node e, Use&& use)
    {
        const Node n = g_.arg(e, 0);
        // in single precision half an ulp more is lost once, and as often again as powers are taken
        const bool fine = plan_.raised[e] && !scalar_->isFloatTy();
        const double most = scalar_->isFloatTy() ? 85 : 700;
        Interval x = bounds_[n];
        for (int k = 0; k < 2 && g_.op(n) == Op::mul; ++k)
            if (g_.is_constant(g_.arg(n, k))) {
                const double c = g_.value(g_.arg(n, k));
                const Node rest = g_.arg(n, 1 - k);
                const bool of_v = V_bounded_ && g_.op(rest) == Op::symbol &&
                                  g_.symbol_of(rest) == symbol_id(Symbol::state, 0) &&
                                  std::abs(c) * V_range <= most;
                if (of_v)
                    x = {-most, most};
                return {of_v ? V_bounded_ : use(rest), c * LlvmMath::log2_e,
                        x.low<-most, x.high> most, fine};
            }
        return {use(n), LlvmMath::log2_e, x.low<-most, x.high> most, fine};
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
            return math_.exp2({power(n, use)})[0];
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

    static constexpr double V_range = 240;    ///< [mV] far beyond what a membrane endures
    static constexpr std::size_t at_once = 4; ///< exponentials with their operations interleaved

    const Program& p_;
    const Graph& g_;
    const Plan plan_;
    const std::vector<Interval> bounds_;
    llvm::Module& module_;
    llvm::IRBuilder<> b_;
    LlvmMath math_;
    unsigned width_;
    llvm::Type* scalar_;
    llvm::VectorType* vector_;
    llvm::Function* f_ = nullptr;
    std::vector<Value*> pointers_;
    std::unordered_map<Node, Value*> scalars_;
    std::unordered_map<Node, Value*> spread_;     ///< places of what all cells share
    Value* cell_ = nullptr;                       ///< index of the vector's first cell
    Value *point_ = nullptr, *between_ = nullptr; ///< of V in the tables
    Value* V_bounded_ = nullptr;                  ///< V within +-V_range; single precision alone
    std::unordered_map<Node, Value*> values_;
    std::unordered_map<Node, Value*>* side_ = nullptr; ///< values of the branch being written
    std::vector<Node> early_;
    std::unordered_map<std::uint32_t, Value*> loads_;
    std::vector<bool> stored_;
    std::vector<Value*> kept_;
    std::vector<std::vector<Node>> states_of_;
};

} // namespace

void write_step(llvm::Module& module, const Program& program, bool single, unsigned width)
{
    Writer(module, program, single, width).write();
}

} // namespace tawara::cell::compiler
