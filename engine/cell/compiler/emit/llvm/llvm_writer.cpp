// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/llvm/llvm_writer.hpp"

#include "engine/cell/compiler/emit/llvm/llvm_frame.hpp"
#include "engine/cell/compiler/emit/llvm/llvm_order.hpp"
#include "engine/cell/compiler/emit/llvm/llvm_plan.hpp"
#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <unordered_map>

namespace tawara::cell::compiler {
namespace {

using llvm::Value;

/// Operations whose results nobody uses go.
void remove_unused(llvm::Function& f)
{
    for (llvm::BasicBlock& block : f)
        for (auto it = block.rbegin(); it != block.rend();) {
            llvm::Instruction& i = *it++;
            if (i.use_empty() && !i.isTerminator() && !i.mayHaveSideEffects())
                it = i.eraseFromParent().getReverse();
        }
}

/// Writes the IR of one part of the step.
class Writer
{
  public:
    Writer(LlvmFrame& frame, std::span<const Node> next)
        : frame_(frame), p_(frame.program), g_(p_.graph), next_(next),
          count_(frame.pointers.size()), plan_(make_plan(g_, next)),
          bounds_(intervals(g_, next, frame.scalar->isFloatTy())), b_(frame.b), math_(frame.math),
          width_(frame.width), scalar_(frame.scalar), vector_(frame.vector),
          at_once_(LlvmMath::has_table(vector_) ? frame.tuning.at_once : frame.tuning.long_at_once),
          tables_(frame)
    {
    }

    /// What is the same for all cells is computed once, in scalars. @pre in the entry block
    void shared()
    {
        for (const Node n : reachable(g_, next_))
            if (!plan_.varying[n] && !is_plain(n) && !frame_.scalars.count(n))
                frame_.scalars[n] = node(n, [&](Node a) { return shared_value(a); });
        spread();
    }

    /// One vector of cells: each result is computed and stored before the next.
    void body()
    {
        stored_.assign(count_, false);
        kept_.assign(count_, nullptr);
        if (scalar_->isFloatTy()) {
            Value* most = math_.number(vector_, most_V);
            Value* least = math_.number(vector_, least_V);
            Value* v = load(0);
            v = b_.CreateSelect(b_.CreateFCmpOLT(v, most), v, most);
            V_bounded_ = b_.CreateSelect(b_.CreateFCmpOGT(v, least), v, least);
            from_middle_ = b_.CreateFSub(V_bounded_, math_.number(vector_, middle_V));
        }
        if (!p_.lookups.empty())
            tables_.find_place(load(0));
        list_early();
        logarithms();
        std::vector<int> left = uses_of_states();
        for (const std::size_t k : plan_.order) {
            const Node root = next_[k];
            for (const Node n : states_of_[k])
                --left[symbol_index(g_.symbol_of(n))];
            if (g_.op(root) == Op::symbol && g_.symbol_of(root) == symbol_id(Symbol::state, k_(k)))
                continue;
            require(root);
            Value* result = use(root);
            if (left[k] > 0)
                kept_[k] = load(k_(k));
            b_.CreateAlignedStore(result, frame_.place(k), frame_.alignment());
            stored_[k] = true;
            loads_.clear(); // states are cheaper to read again than to keep in registers
        }
    }

  private:
    Value* arg(unsigned k) { return frame_.f->getArg(k); }
    Value* splat(Value* v) { return b_.CreateVectorSplat(width_, v); }

    /// What all cells share, in memory: operands of the loop's operations. Whole vectors, but one
    /// number where operands are broadcast: of 64-byte reads a processor makes half as many.
    void spread()
    {
        for (const Node n : reachable(g_, next_))
            for (int k = 0; k < g_.arity(n); ++k) {
                const Node a = g_.arg(n, k);
                if (!plan_.varying[n] || plan_.varying[a] || g_.op(a) == Op::constant ||
                    g_.type(a) != Type::real || frame_.spread.count(a))
                    continue;
                Value* place = broadcasts() ? b_.CreateAlloca(scalar_) : frame_.room();
                if (broadcasts())
                    b_.CreateStore(shared_value(a), place);
                else
                    b_.CreateAlignedStore(splat(shared_value(a)), place, frame_.alignment());
                frame_.spread[a] = place;
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
        if (const auto it = frame_.scalars.find(n); it != frame_.scalars.end())
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

    static std::uint32_t k_(std::size_t k) { return static_cast<std::uint32_t>(k); }

    /// How many results need each state; also notes which states each result needs.
    std::vector<int> uses_of_states()
    {
        std::vector<int> uses(count_, 0);
        states_of_.assign(next_.size(), {});
        for (std::size_t k = 0; k < next_.size(); ++k)
            for (const Node n : reachable(g_, next_.subspan(k, 1)))
                if (g_.op(n) == Op::symbol && symbol_kind(g_.symbol_of(n)) == Symbol::state &&
                    symbol_index(g_.symbol_of(n)) < count_) {
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
            v = b_.CreateAlignedLoad(vector_, frame_.place(state), frame_.alignment());
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
                if (index < count_)
                    return load(index);
                return (side_ ? *side_ : values_)[n] = tables_.look_up(index - k_(count_));
            }
            Value* at = b_.CreateGEP(scalar_, arg(2), b_.CreateAnd(frame_.cell, arg(3)));
            return b_.CreateAlignedLoad(vector_, at, frame_.alignment());
        }
        if (plan_.varying[n])
            throw Error("a value was needed before it was made");
        if (g_.op(n) == Op::constant)
            return math_.number(vector_, g_.value(n));
        if (const auto it = frame_.spread.find(n); it != frame_.spread.end())
            return broadcasts() ? splat(b_.CreateLoad(scalar_, it->second))
                                : b_.CreateAlignedLoad(vector_, it->second, frame_.alignment());
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
             it != early_.end() && list.size() < at_once_; ++it)
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
            stack.push_back(next_[*k]);
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
        return node(n, [&](Node a) { return use(a); });
    }

    /// One side of a branch in a block of its own, passed by when no cell is on it. @return the
    /// selects' arguments `which`, or zeros
    std::vector<Value*> side(const Branch& b, const std::vector<Node>& nodes, unsigned which,
                             Value* any)
    {
        auto* from = b_.GetInsertBlock();
        auto* inside = frame_.block("side");
        auto* after = frame_.block("after");
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
        for (std::size_t k = 0; k < list.size(); k += at_once_) {
            const std::vector<Node> part(
                list.begin() + static_cast<std::ptrdiff_t>(k),
                list.begin() + static_cast<std::ptrdiff_t>(std::min(k + at_once_, list.size())));
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
    /// In single precision, multiples of V that stay within the range of numbers while V is between
    /// least_V and most_V need no bounds of their own: beyond, they keep the value that they have
    /// there. Short ones are polynomials.
    template <class Use>
    LlvmMath::Power power(Node e, Use&& use)
    {
        const Node n = g_.arg(e, 0);
        // in single precision half an ulp more is lost once, and as often again as powers are taken
        const bool fine = plan_.raised[e] && !scalar_->isFloatTy();
        const double most = most_exponent(scalar_->isFloatTy());
        Interval x = bounds_[n];
        for (int k = 0; k < 2 && g_.op(n) == Op::mul; ++k)
            if (g_.is_constant(g_.arg(n, k))) {
                const double c = g_.value(g_.arg(n, k));
                const double rate = rate_of_V(g_, n);
                const bool of_v = V_bounded_ && is_bounded(rate, true);
                if (of_v && is_short(rate))
                    return {from_middle_, c * LlvmMath::log2_e, false,   false,
                            fine,         rate * V_reach,       middle_V};
                if (of_v)
                    x = {-most, most};
                return {of_v ? V_bounded_ : use(g_.arg(n, 1 - k)), c * LlvmMath::log2_e,
                        x.low<-most, x.high> most, fine};
            }
        return {use(n), LlvmMath::log2_e, x.low<-most, x.high> most, fine};
    }

    template <class Use>
    Value* node(Node n, Use&& use)
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
        if (op == Op::exp)
            return math_.exp2({power(n, use)})[0];
        if (op == Op::div)
            return math_.divide(a, c, bounds_[g_.arg(n, 1)].has_reciprocal(scalar_->isFloatTy()));
        return math_.operation(op, a, c, op == Op::select ? use(g_.arg(n, 2)) : nullptr);
    }

    LlvmFrame& frame_;
    const Program& p_;
    const Graph& g_;
    const std::span<const Node> next_;
    const std::size_t count_; ///< of states and kept values
    const Plan plan_;
    const std::vector<Interval> bounds_;
    llvm::IRBuilder<>& b_;
    LlvmMath& math_;
    unsigned width_;
    llvm::Type* scalar_;
    llvm::VectorType* vector_;
    const std::size_t at_once_; ///< exponentials with interleaved operations
    LlvmTables tables_;
    Value* V_bounded_ = nullptr;   ///< V within its bounds; single precision alone
    Value* from_middle_ = nullptr; ///< less the middle of them
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
    LlvmFrame frame(module, program, single, width);
    auto& b = frame.b;
    const auto parts = program.parts();
    std::vector<std::unique_ptr<Writer>> writers;
    for (const Part& part : parts) {
        writers.push_back(std::make_unique<Writer>(frame, part.next));
        writers.back()->shared();
    }
    auto* entry = b.GetInsertBlock();
    auto *loop = frame.block("loop"), *done = frame.block("done");
    Value *begin = frame.f->getArg(4), *end = frame.f->getArg(5);
    b.CreateCondBr(b.CreateICmpSLT(begin, end), loop, done);
    b.SetInsertPoint(loop);
    auto* i = b.CreatePHI(b.getInt64Ty(), 2);
    i->addIncoming(begin, entry);
    frame.cell = i;
    frame.fetch_ahead();
    for (std::size_t k = 0; k < parts.size(); ++k) {
        auto* before = b.GetInsertBlock();
        if (k > 0 || parts[k].times > 1) { // of its own: what a part stores is read after it
            b.CreateBr(frame.block("part"));
            b.SetInsertPoint(&frame.f->back());
        }
        if (parts[k].times == 1) {
            writers[k]->body();
            continue;
        }
        auto* round = b.GetInsertBlock();
        auto* count = b.CreatePHI(b.getInt32Ty(), 2);
        count->addIncoming(b.getInt32(0), before);
        writers[k]->body();
        Value* next = b.CreateAdd(count, b.getInt32(1));
        count->addIncoming(next, b.GetInsertBlock());
        auto* after = frame.block("after_rounds");
        Value* more = b.CreateICmpSLT(next, b.getInt32(static_cast<unsigned>(parts[k].times)));
        if (parts[k].until) {
            Value* done_ones =
                b.CreateAlignedLoad(frame.vector, frame.place(*parts[k].until), frame.alignment());
            Value* left = b.CreateFCmpOEQ(done_ones, llvm::Constant::getNullValue(frame.vector));
            more = b.CreateAnd(more, b.CreateOrReduce(left));
        }
        b.CreateCondBr(more, round, after);
        b.SetInsertPoint(after);
    }
    Value* next = b.CreateAdd(i, b.getInt64(width));
    i->addIncoming(next, b.GetInsertBlock());
    b.CreateCondBr(b.CreateICmpSLT(next, end), loop, done);
    b.SetInsertPoint(done);
    b.CreateRetVoid();
    remove_unused(*frame.f);
    order_operations(*frame.f);
}

} // namespace tawara::cell::compiler
