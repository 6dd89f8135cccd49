// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ctime>

namespace tawara::test {

/// What a test's bounds of time and of memory are multiplied by: builds with sanitizers take
/// several times as long and as much, and their tests run many at once.
#ifdef TAWARA_SANITIZED
inline constexpr int slowdown = 10, growth = 3;
#else
inline constexpr int slowdown = 1, growth = 1;
#endif

/// Processor time of this process since it was made: what work takes where other programs run as
/// well. It does not count what is waited for.
class ProcessorClock
{
  public:
    /// [ms]
    long elapsed() const { return (std::clock() - began_) / (CLOCKS_PER_SEC / 1000); }
    /// [ms] until now, and from 0 again
    long restart()
    {
        const long ms = elapsed();
        began_ = std::clock();
        return ms;
    }

  private:
    std::clock_t began_ = std::clock();
};

} // namespace tawara::test
