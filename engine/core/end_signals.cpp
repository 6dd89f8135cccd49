// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/end_signals.hpp"

#include <chrono>
#include <csignal>
#include <pthread.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace tawara {
namespace {

bool is_ignored(int signal)
{
    struct sigaction now
    {
    };
    return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

void watch(const sigset_t& signals, const std::function<void(int)>& asked)
{
    using Clock = std::chrono::steady_clock;
    constexpr auto together = std::chrono::milliseconds(1000);
    int signal = 0;
    sigwait(&signals, &signal);
    const auto first = Clock::now();
    asked(signal);
    do
        sigwait(&signals, &signal);
    while (Clock::now() - first < together);
    _exit(128 + signal);
}

} // namespace

void watch_end_signals(std::function<void(int)> asked)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    if (!is_ignored(SIGHUP)) // a blocked one would come all the same
        sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::thread(watch, signals, std::move(asked)).detach();
}

} // namespace tawara
