// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/end_signals.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <pthread.h>
#include <string_view>
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

void watch(const sigset_t& signals, const std::function<void(int)>& asked,
           const std::function<bool()>& writes)
{
    using Clock = std::chrono::steady_clock;
    constexpr auto together = std::chrono::milliseconds(1000);
    constexpr int stopped = 128 + SIGINT;
    int signal = 0;
    sigwait(&signals, &signal);
    const auto first = Clock::now();
    asked(signal);
    for (constexpr timespec patience{2, 0};;) {
        const int again = sigtimedwait(&signals, nullptr, &patience);
        if (again > 0 && Clock::now() - first >= together)
            _exit(128 + again);
        if (again < 0 && errno == EAGAIN && writes && !writes()) {
            constexpr std::string_view said = "stopped\n";
            static_cast<void>(!write(2, said.data(), said.size()));
            _exit(stopped);
        }
    }
}

} // namespace

void watch_end_signals(std::function<void(int)> asked, std::function<bool()> writes)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    if (!is_ignored(SIGHUP)) // a blocked one would come all the same
        sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::thread(watch, signals, std::move(asked), std::move(writes)).detach();
}

} // namespace tawara
