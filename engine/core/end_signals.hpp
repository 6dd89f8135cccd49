// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>

namespace tawara {

/// Takes Ctrl-C (SIGINT), requests to end (SIGTERM) and the end of the terminal (SIGHUP, unless it
/// is ignored, as under nohup) from now on: the first calls `asked`, on a thread of its own, for a
/// clean end. A second one ends the program at once, unless it comes within a second: what signals
/// a whole group of processes reaches this one from a script in that group, too.
/// @param writes  whether results are being written, whose end is waited for; while they are not,
/// an
///                end that does not come within two seconds ends the program too (exit status 130):
///                a reader may be busy with a file for long. Empty: the end is always waited for
/// @pre  no other thread has been started yet: all inherit that these signals are not theirs
void watch_end_signals(std::function<void(int signal)> asked, std::function<bool()> writes = {});

} // namespace tawara
