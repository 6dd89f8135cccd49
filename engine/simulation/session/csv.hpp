// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace tawara::simulation {

/// Appends x rounded to `digits` significant ones, with a dot in every locale; nothing when it is
/// not finite.
void append_number(std::string& line, double x, int digits);
/// The same alone, but never with fewer digits than there are before the dot (below 1e9): "1818".
std::string number_text(double x, int digits);

/// A CSV field: quoted where it holds a comma, a quote or a line break.
std::string csv_field(const std::string& text);

} // namespace tawara::simulation
