// SPDX-License-Identifier: GPL-3.0-or-later
// What records say of where and when they were made.
#pragma once
#include <string>

namespace tawara {

/// The processor's name as the system has it; empty where it does not say.
std::string processor_name();
/// Now: "2026-11-30T09:40:00Z".
std::string utc_now();

} // namespace tawara
