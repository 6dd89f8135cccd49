// SPDX-License-Identifier: GPL-3.0-or-later
// What records say of where and when they were made.
#pragma once
#include <string>
#include <string_view>

namespace tawara {

/// The processor's name as the system has it; empty where it does not say.
std::string processor_name();
/// What people call one of Highway's instruction sets: "AVX-512" for "AVX3", "AVX3_DL" and the
/// like; of others the name itself.
std::string instruction_set_name(std::string_view of_highway);
/// Now: "2026-11-30T09:40:00Z".
std::string utc_now();

} // namespace tawara
