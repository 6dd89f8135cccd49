// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>

namespace tawara::cell::compiler {

/// What pays on some processors and not on others. Results differ in their last bits.
struct Tuning
{
    /// The range of exponentials is reduced by fused multiplications and additions: one operation
    /// less, where additions have no units of their own.
    bool fused_reduction = false;
    /// With 64-byte vectors exponentials are scaled, and logarithms of single precision split their
    /// argument, by instructions for it: where those are as quick as a multiplication (0.2 ns on a
    /// Sapphire Rapids), and shifts have one unit alone.
    bool exponent_instructions = false;
    /// Of as many quotients one by division, the others by Newton's method: where the divider is
    /// slower than the other units are busy (16 cycles for 8 doubles, 10 for 16 floats). 1: all.
    int quotients_per_division = 1;
    /// What a quotient costs in single precision, of a product: FractionOptions::division.
    double quotient_cost = 6;
    /// Exponentials with their operations interleaved: those with tables, with long polynomials.
    std::size_t at_once = 4, long_at_once = 4;

    /// Vectors ahead whose states are asked for before they are needed; 0: none.
    unsigned fetch_ahead = 0;

    /// @param bytes  of the vectors: those of 16 may have no fused operations
    static Tuning of_this_processor(bool single, unsigned bytes);
};

} // namespace tawara::cell::compiler
