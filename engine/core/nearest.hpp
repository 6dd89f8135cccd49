// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace tawara {

/// The candidate with the smallest edit distance to `word` (case folded), for "did you mean" hints.
/// Empty when there is no candidate.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

} // namespace tawara
