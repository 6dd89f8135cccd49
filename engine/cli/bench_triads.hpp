// SPDX-License-Identifier: GPL-3.0-or-later
// What benches of kernels that are bound by memory are measured against.
#pragma once
#include "engine/cli/command.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace tawara::cli {

/// CUDA's number of the device that is measured: the first of those asked for, or of those there
/// are; -1: none.
/// @throws InputError where CUDA is asked for, and there is no device
int gpu_of(const DeviceArguments& device);

/// Triads of this run: of 1 and all threads of the CPU, unless GPUs alone are asked for, and of the
/// GPU.
struct Triads
{
    std::vector<std::pair<unsigned, double>> cpu; ///< threads, GB/s
    int gpu_number = -1;
    double gpu = 0;
    Json json = Json::array();

    /// Measures, and says each in a line.
    Triads(const Context& c, const DeviceArguments& device, unsigned threads);
};

/// The shortest of at least 5 times that `work` takes, over at least 0.3 s [s].
/// @param prepare  called ahead of each, and not counted
double least_seconds(const std::function<void()>& work, const std::function<void()>& prepare = {});

} // namespace tawara::cli
