// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/context.hpp"

#include <atomic>
#include <istream>
#include <ostream>
#include <span>
#include <stop_token>
#include <string>

namespace tawara::cli {

/// What a command may talk to.
struct Console
{
    std::ostream& out;    ///< results; with --json one object and nothing else
    std::ostream& err;    ///< progress, remarks, errors
    std::stop_token stop; ///< asked for by Ctrl-C
    bool err_is_terminal = false;
    std::istream* in = nullptr; ///< what "-" reads; null: there is none
    /// Set when what is computed begins to be written: a stop is then waited for. Null: nobody
    /// asks.
    std::atomic<bool>* results_begun = nullptr;
    tawara::Context context{}; ///< what commands may use of the machine
};

/// Exit statuses of the contract.
enum Status : int {
    done = 0,
    bad_input = 2,
    not_finite = 3,
    device_failed = 4,
    some_failed =
        5,        ///< some runs of a study, some rows of `verify`, or what `--reproduce` compares
    stopped = 130 ///< by Ctrl-C: 128 + SIGINT
};

/// Runs one command line, without the program's name, e.g. {"mesh", "info", "heart.vtu"}.
/// Every error ends here: one line on `err`, "error: FILE[:WHERE]: reason", and a status.
/// @thread one at a time
int run(std::span<const std::string> args, const Console& console);

} // namespace tawara::cli
