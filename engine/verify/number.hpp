// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace tawara::verify {

/// To four digits, for people: "0.0123", "1.2e-09"; "–" of what is not finite.
std::string number(double x);

} // namespace tawara::verify
