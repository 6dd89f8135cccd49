// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cli/cli.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <iostream>
#include <poll.h>
#include <pthread.h>
#include <streambuf>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

/// Waits for Ctrl-C (or a request to end) on a thread of its own and asks for a clean end; a second
/// one ends the program at once, unless it comes with the first: what signals a whole group of
/// processes reaches this one from a script in that group, too.
void watch_signals(const sigset_t& signals, std::stop_source stop)
{
    using Clock = std::chrono::steady_clock;
    constexpr auto together = std::chrono::milliseconds(1000);
    int signal = 0;
    sigwait(&signals, &signal);
    const auto first = Clock::now();
    stop.request_stop();
    do
        sigwait(&signals, &signal);
    while (Clock::now() - first < together);
    _exit(128 + signal);
}

/// The standard input, which ends where a stop is asked for: reading a terminal or a pipe to which
/// nobody writes would wait for ever.
class Input : public std::streambuf
{
  public:
    explicit Input(std::stop_token stop) : stop_(std::move(stop)) {}

  protected:
    int_type underflow() override
    {
        constexpr int look_ms = 50;
        while (!stop_.stop_requested()) {
            pollfd in{0, POLLIN, 0};
            const int ready = poll(&in, 1, look_ms);
            if (ready == 0 || (ready < 0 && errno == EINTR))
                continue;
            const auto n = read(0, bytes_.data(), bytes_.size());
            if (n < 0 && (errno == EINTR || errno == EAGAIN))
                continue;
            if (n <= 0)
                break;
            setg(bytes_.data(), bytes_.data(), bytes_.data() + n);
            return traits_type::to_int_type(bytes_[0]);
        }
        return traits_type::eof();
    }

  private:
    std::stop_token stop_;
    std::array<char, 65536> bytes_{};
};

} // namespace

int main(int argc, char** argv)
{
    for (int stream : {0, 1, 2}) // of a closed one no file takes the place; writing stays an error
        if (fcntl(stream, F_GETFD) < 0)
            static_cast<void>(open("/dev/null", O_RDONLY));
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
    Input input(stop.get_token());
    std::istream in(&input);
    return tawara::cli::run(args, {std::cout, std::cerr, stop.get_token(), isatty(2) == 1, &in});
}
