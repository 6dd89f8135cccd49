// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace llvm {
class Function;
}

namespace tawara::cell::compiler {

/// Puts the operations of each block in an order in which few of them have to wait: always the
/// first, in their present order, whose operands are there by then, looked for among the next 128.
/// A processor does the same, but keeps far fewer waiting operations. Registers are not counted:
/// a spilled value costs less than an operation that waits (PREDICTIONS.md, section C4).
/// @pre  loads from and stores to one array use the same base pointer; a load that stands before a
///       store to its array is put before it again together with those that use it
void order_operations(llvm::Function& f);

} // namespace tawara::cell::compiler
