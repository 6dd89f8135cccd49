// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cli/built_from.hpp"
#include "engine/cli/cli.hpp"
#include "engine/core/end_signals.hpp"
#include "engine/core/provenance.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <iostream>
#include <poll.h>
#include <stop_token>
#include <streambuf>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

std::atomic<bool> results_begun{false};

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
try {
    for (int stream : {0, 1, 2}) // of a closed one no file takes the place; writing stays an error
        if (fcntl(stream, F_GETFD) < 0)
            static_cast<void>(open("/dev/null", O_RDONLY));
    std::signal(SIGXFSZ, SIG_IGN); // a file beyond the limit is an error of its writer
    tawara::set_program_commit(tawara::cli::built_from);
    std::stop_source stop;
    tawara::watch_end_signals([stop](int) mutable { stop.request_stop(); },
                              [] { return results_begun.load(); });

    const std::vector<std::string> args(argv + 1, argv + argc);
    Input input(stop.get_token());
    std::istream in(&input);
    return tawara::cli::run(args, {std::cout, std::cerr, stop.get_token(), isatty(2) == 1, &in,
                                   &results_begun, tawara::Context::whole_machine()});
} catch (const std::exception& e) { // no command has begun
    std::fprintf(stderr, "error: the program cannot begin: %s\n", e.what());
    return tawara::cli::device_failed;
}
