// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/stepper.hpp"
#include "engine/simulation/messages.hpp"

#include <optional>
#include <span>

namespace tawara::simulation {

/// A kernel held to ceilings, as far as they are known. Kernels count instructions, a fused
/// multiply-add as one; a ceiling's peak counts it as two, so half of it is what a kernel can
/// reach.
KernelFigure figure(const device::KernelRecord& k, const std::string& device,
                    const std::optional<device::Ceilings>& ceilings, bool single);

/// Beats of a trace with their diastolic intervals and cycles.
std::vector<Beat> beats_of(std::span<const double> t_ms, std::span<const float> v_mV);

} // namespace tawara::simulation
