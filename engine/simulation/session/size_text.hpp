// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace tawara::simulation {

/// Bytes for people, in powers of 1000: "0.81 kB", "5.37 MB", "11.1 GB".
std::string size_text(double bytes);

} // namespace tawara::simulation
