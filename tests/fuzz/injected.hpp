// SPDX-License-Identifier: GPL-3.0-or-later
// Failures of what lies below the program: the n-th request for memory, the n-th call that changes
// a file. The program's own calls and those of its libraries come through the functions of
// injected.cpp, which take the place of the C library's.
#pragma once
#include <atomic>

namespace tawara::test {

struct Injected
{
    enum class What { nothing, memory, files };
    std::atomic<What> what{What::nothing};
    std::atomic<long> left{0};    ///< calls of that kind until one fails; once
    std::atomic<int> error{0};    ///< that the call on a file gives
    std::atomic<long> seen{0};    ///< calls of that kind so far
    std::atomic<bool> hit{false}; ///< the call has failed
    /// Requests for memory count that this library makes itself; null: all do.
    std::atomic<const char*> within{nullptr};
};

/// Lies in memory that a forked program shares with the one that waits for it.
Injected& injected();

/// Whether memory can be made to fail here: a sanitizer has its own functions for it.
bool memory_can_fail();

} // namespace tawara::test
