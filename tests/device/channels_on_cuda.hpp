// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "tests/device/toy_channels.hpp"

namespace tawara::test {

/// The toy channels, for CUDA devices too where there is a CUDA compiler.
/// @param takes_pass  whether their kernel takes the last diffusion pass with it
std::shared_ptr<const cell::ReactionModel> channels_on_cuda(const ChannelValues& values,
                                                            bool takes_pass = false);

} // namespace tawara::test
