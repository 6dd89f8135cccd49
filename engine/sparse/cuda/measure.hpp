// SPDX-License-Identifier: GPL-3.0-or-later
// Products of a matrix on a GPU, timed: the way that choose() names, and those of cuSPARSE.
#pragma once
#include "engine/core/thread_pool.hpp"
#include "engine/core/units.hpp"
#include "engine/sparse/csr.hpp"

#include <string>
#include <vector>

namespace tawara::sparse::cuda {

struct MeasuredProduct
{
    std::string order, way; ///< order: own or rcm
    double cold_us = 0;     ///< a launch counted, after the cache was filled with something else
    double many_us = 0;     ///< one of a hundred in a row
    double bytes = 0;       ///< that it reads and writes at least
    double error = 0;       ///< largest difference from the CPU's product, of the largest number
};

/// The chosen ways with new numbers for unknowns and without, eight threads a row, and cuSPARSE.
/// @param device   CUDA's number
/// @param remarks  what was left out, and why
/// @throws DeviceError
std::vector<MeasuredProduct> measure_products(const Csr& a, Precision precision, int device,
                                              ThreadPool& pool, std::vector<std::string>& remarks);

} // namespace tawara::sparse::cuda
