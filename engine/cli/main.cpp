// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cli/cli.hpp"

#include <csignal>
#include <iostream>
#include <pthread.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

/// Waits for Ctrl-C (or a request to end) on a thread of its own and asks for a clean end; a second
/// one ends the program at once.
void watch_signals(const sigset_t& signals, std::stop_source stop)
{
    int signal = 0;
    sigwait(&signals, &signal);
    stop.request_stop();
    sigwait(&signals, &signal);
    _exit(128 + signal);
}

} // namespace

int main(int argc, char** argv)
{
    std::signal(SIGXFSZ, SIG_IGN); // a file beyond the limit is an error of its writer
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals,
                    nullptr); // before any thread is made, so that all inherit it
    std::stop_source stop;
    std::thread(watch_signals, signals, stop).detach();

    const std::vector<std::string> args(argv + 1, argv + argc);
    return tawara::cli::run(args, {std::cout, std::cerr, stop.get_token(), isatty(2) == 1});
}
