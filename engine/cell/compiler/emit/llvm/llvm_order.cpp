// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/llvm/llvm_order.hpp"

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace tawara::cell::compiler {
namespace {

using llvm::Instruction;

/// Cycles until the result can be used; 0: no operation of its own (an operand, an address).
double latency(const Instruction& i)
{
    switch (i.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
        return 3;
    case Instruction::FMul:
        return 4;
    case Instruction::FDiv:
        return 13;
    case Instruction::FCmp:
        return 3;
    case Instruction::Select:
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
        return 1;
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
        return 2;
    case Instruction::SIToFP:
    case Instruction::FPExt:
    case Instruction::FPTrunc:
        return 4;
    case Instruction::Call:
        if (const auto* c = llvm::dyn_cast<llvm::IntrinsicInst>(&i)) {
            if (c->getIntrinsicID() == llvm::Intrinsic::sqrt)
                return 20;
            return 4;
        }
        return 50;
    case Instruction::Store:
        return 1;
    default:
        return 0;
    }
}

constexpr std::size_t few = 40;     ///< a processor sees as many by itself
constexpr std::size_t window = 128; ///< operations among which the next one is looked for
constexpr double cycles_each = 0.4; ///< issue of one operation

const llvm::Value* base(const llvm::Value* pointer)
{
    while (const auto* g = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer))
        pointer = g->getPointerOperand();
    return pointer;
}

class Order
{
  public:
    explicit Order(llvm::BasicBlock& block) : block_(block) {}

    void run()
    {
        collect();
        if (real_.size() < few)
            return;
        std::vector<Instruction*> out;
        std::unordered_map<const Instruction*, double> ready; // results
        double now = 0;
        std::size_t first = 0;
        std::vector<bool> done(real_.size(), false);
        while (first < real_.size()) {
            std::size_t best = first;
            double earliest = 1e300;
            for (std::size_t k = first, seen = 0; k < real_.size() && seen < window; ++k) {
                if (done[k])
                    continue;
                ++seen;
                double at = 0;
                bool possible = true;
                for (const Instruction* d : needs_[k]) {
                    const auto it = ready.find(d);
                    if (it == ready.end()) {
                        possible = false;
                        break;
                    }
                    at = std::max(at, it->second);
                }
                if (possible && at < earliest) {
                    earliest = at;
                    best = k;
                    if (at <= now) {
                        earliest = now;
                        break;
                    }
                }
            }
            now = std::max(now, earliest) + cycles_each;
            ready[real_[best]] = now + latency(*real_[best]);
            done[best] = true;
            out.push_back(real_[best]);
            while (first < real_.size() && done[first])
                ++first;
        }
        place(out);
    }

  private:
    /// Operations in their order, and for each those that it waits for.
    void collect()
    {
        std::unordered_map<const Instruction*, std::vector<Instruction*>> through; // of free ones
        std::unordered_map<const llvm::Value*, std::vector<Instruction*>> readers, loads;
        for (Instruction& i : block_) {
            if (llvm::isa<llvm::PHINode>(i) || i.isTerminator())
                continue;
            std::vector<Instruction*> waits;
            for (llvm::Value* v : i.operands()) {
                auto* d = llvm::dyn_cast<Instruction>(v);
                if (!d || d->getParent() != &block_ || llvm::isa<llvm::PHINode>(d))
                    continue;
                if (latency(*d) > 0)
                    waits.push_back(d);
                else
                    waits.insert(waits.end(), through[d].begin(), through[d].end());
            }
            if (latency(i) > 0) {
                if (auto* s = llvm::dyn_cast<llvm::StoreInst>(&i)) {
                    auto& r = readers[base(s->getPointerOperand())];
                    waits.insert(waits.end(), r.begin(), r.end());
                    before_[s] = loads[base(s->getPointerOperand())];
                }
                std::sort(waits.begin(), waits.end());
                waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
                real_.push_back(&i);
                needs_.push_back(waits);
            } else
                through[&i] = waits;
            if (auto* l = llvm::dyn_cast<llvm::LoadInst>(&i))
                loads[base(l->getPointerOperand())].push_back(l);
            // who uses a value that is read from memory has to come before what overwrites it
            for (llvm::Value* v : i.operands())
                if (auto* d = llvm::dyn_cast<llvm::LoadInst>(v); d && latency(i) > 0)
                    readers[base(d->getPointerOperand())].push_back(&i);
        }
    }

    /// Moves everything into place; what is free stands right before its first user, and
    /// before what would overwrite it.
    void place(const std::vector<Instruction*>& order)
    {
        Instruction* end = block_.getTerminator();
        std::vector<Instruction*> all;
        for (Instruction& i : block_)
            if (!llvm::isa<llvm::PHINode>(i) && !i.isTerminator())
                all.push_back(&i);
        std::unordered_map<const Instruction*, bool> placed;
        const auto put = [&](auto&& self, Instruction* i) -> void {
            if (placed[i])
                return;
            placed[i] = true;
            for (llvm::Value* v : i->operands())
                if (auto* d = llvm::dyn_cast<Instruction>(v);
                    d && d->getParent() == &block_ && !llvm::isa<llvm::PHINode>(d))
                    self(self, d);
            if (const auto it = before_.find(i); it != before_.end())
                for (Instruction* load : it->second) // the old value, wanted later on
                    self(self, load);
            i->moveBefore(end);
        };
        for (Instruction* i : order)
            put(put, i);
        for (Instruction* i : all) // used in other blocks alone
            put(put, i);
    }

    llvm::BasicBlock& block_;
    std::vector<Instruction*> real_;
    std::vector<std::vector<Instruction*>> needs_;
    std::unordered_map<const Instruction*, std::vector<Instruction*>> before_; ///< loads, per store
};

} // namespace

void order_operations(llvm::Function& f)
{
    for (llvm::BasicBlock& b : f)
        Order(b).run();
}

} // namespace tawara::cell::compiler
