// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/llvm/llvm_frame.hpp"

#include "engine/cell/compiler/optimise/tabulate.hpp"

namespace tawara::cell::compiler {

using llvm::Value;

LlvmFrame::LlvmFrame(llvm::Module& m, const Program& p, bool single, unsigned width_)
    : program(p), b(m.getContext()),
      tuning(Tuning::of_this_processor(single, (single ? 4 : 8) * width_)), math(b, tuning),
      width(width_), scalar(single ? b.getFloatTy() : b.getDoubleTy()),
      vector(llvm::FixedVectorType::get(scalar, width)), states(p.next.size())
{
    llvm::FastMathFlags fast;
    fast.setAllowContract(true);
    b.setFastMathFlags(fast);
    auto* ptr = b.getPtrTy();
    auto* i64 = b.getInt64Ty();
    auto* type = llvm::FunctionType::get(
        b.getVoidTy(), {ptr, ptr, ptr, i64, i64, i64, ptr, scalar, scalar, scalar}, false);
    f = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "step", m);
    f->addFnAttr("prefer-vector-width", "512");
    f->addFnAttr("min-legal-vector-width", "512");
    // values that do not fit the registers lie in whole cache lines
    f->addFnAttr(llvm::Attribute::getWithStackAlignment(m.getContext(), alignment()));
    f->addFnAttr("stackrealign");
    b.SetInsertPoint(block("entry"));
    for (std::size_t k = 0; k < states + p.kept; ++k)
        pointers.push_back(k == 0 ? f->getArg(0)
                           : k < states
                               ? b.CreateLoad(ptr, b.CreateConstGEP1_64(ptr, f->getArg(1), k - 1))
                               : room());
}

llvm::BasicBlock* LlvmFrame::block(const char* name)
{
    return llvm::BasicBlock::Create(b.getContext(), name, f);
}

llvm::Align LlvmFrame::alignment() const
{
    return llvm::Align(scalar->isFloatTy() ? 4 * width : 8 * width);
}

Value* LlvmFrame::room()
{
    auto* place = b.CreateAlloca(vector);
    place->setAlignment(alignment());
    return place;
}

void LlvmFrame::fetch_ahead()
{
    Value* at = b.CreateAdd(cell, b.getInt64(tuning.fetch_ahead * width));
    for (std::size_t k = 0; k < states && tuning.fetch_ahead > 0; ++k)
        b.CreateIntrinsic(llvm::Intrinsic::prefetch, {b.getPtrTy()},
                          {b.CreateGEP(scalar, pointers[k], at), b.getInt32(1), b.getInt32(3),
                           b.getInt32(1)}); // to be written, into the nearest cache, data
}

Value* LlvmFrame::place(std::size_t k)
{
    return k < states ? b.CreateGEP(scalar, pointers[k], cell) : pointers[k];
}

void LlvmTables::find_place(Value* v)
{
    auto& b = frame_.b;
    auto& math = frame_.math;
    auto* vector = frame_.vector;
    const Program& p = frame_.program;
    const double last = static_cast<double>(table_points(p.table_step_mV)) - 2;
    Value* x = b.CreateFMul(b.CreateFSub(v, math.number(vector, table_low_mV)),
                            math.number(vector, 1 / p.table_step_mV));
    Value *most = math.number(vector, last), *least = math.number(vector, 0);
    Value* inside = b.CreateSelect(b.CreateFCmpOLT(x, most), x, most); // for NaN as well
    inside = b.CreateSelect(b.CreateFCmpOGT(inside, least), inside, least);
    auto* integers = llvm::FixedVectorType::get(b.getInt32Ty(), frame_.width);
    Value* i = b.CreateFPToSI(inside, integers);
    between_ = b.CreateFSub(x, b.CreateSIToFP(i, vector));
    auto* count = llvm::ConstantInt::get(integers, p.lookups.size());
    point_ = b.CreateMul(i, count);
}

Value* LlvmTables::look_up(std::uint32_t k)
{
    auto& b = frame_.b;
    const Program& p = frame_.program;
    Value* table = b.CreateConstGEP1_64(frame_.scalar, frame_.f->getArg(6), p.table.size() + k);
    Value* next = b.CreateConstGEP1_64(frame_.scalar, table, p.lookups.size());
    const llvm::Align align(frame_.scalar->isFloatTy() ? 4 : 8);
    const auto gather = [&](Value* from) {
        return b.CreateMaskedGather(frame_.vector, b.CreateGEP(frame_.scalar, from, point_), align);
    };
    Value *low = gather(table), *high = gather(next);
    return b.CreateIntrinsic(llvm::Intrinsic::fmuladd, {frame_.vector},
                             {between_, b.CreateFSub(high, low), low});
}

} // namespace tawara::cell::compiler
