// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tawara::test {

/// What a test's bounds of time and of memory are multiplied by: builds with sanitizers take
/// several times as long and as much, and their tests run many at once.
#ifdef TAWARA_SANITIZED
inline constexpr int slowdown = 10, growth = 3;
#else
inline constexpr int slowdown = 1, growth = 1;
#endif

} // namespace tawara::test
