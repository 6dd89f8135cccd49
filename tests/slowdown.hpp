// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tawara::test {

/// What a test's bound of time is multiplied by: builds with sanitizers take several times as long,
/// and their tests run many at once.
#ifdef TAWARA_SANITIZED
inline constexpr int slowdown = 10;
#else
inline constexpr int slowdown = 1;
#endif

} // namespace tawara::test
