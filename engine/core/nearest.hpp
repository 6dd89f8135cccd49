// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace tawara {

/// The candidate that `word` most likely meant (case folded), for "did you mean" hints: one a
/// letter away; else one that holds the word ("--unit": "--length-unit"); else one that the word
/// abbreviates
/// ("tt06": "ten_tusscher_2006"); of equals the one with the smallest edit distance, then the
/// first. Of candidates "component.variable" a word without a dot meets the part after their last
/// one. Empty when there is no candidate.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// The same, but empty unless it is likely what was meant: one that holds the word, or that the
/// word abbreviates, or that a third of the letters or fewer tell apart.
std::string likely(std::string_view word, std::span<const std::string> candidates);

/// End of a message about an unknown word: "; the nearest known is 'x'" where one is likely, else
/// "; known are a, b, c" where they are few, else nothing.
std::string hint(std::string_view word, std::span<const std::string> candidates);

} // namespace tawara
