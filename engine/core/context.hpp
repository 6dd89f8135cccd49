// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tawara {

class Communicator;

/// What work may use of the machine. main(), the window or a test makes one and hands it down (in
/// Progress); what is below asks the machine for nothing. By default the calling thread alone.
struct Context
{
    unsigned threads = 1; ///< of the CPU, the caller's counted
    /// Other processes that take their share of the work; null: there are none.
    Communicator* ranks = nullptr;

    /// All hardware threads. For main() alone.
    static Context whole_machine();
};

} // namespace tawara
