// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/units.hpp"
#include "engine/sparse/ell_warp.hpp"

#include <string>
#include <vector>

namespace tawara::test {

/// A way to make a product on the first GPU.
struct OnGpu
{
    enum class Kind { warp, csr, ellpack, merge, cusparse };
    Kind kind = Kind::warp;
    Precision precision = Precision::double_;
    sparse::WarpOptions options{};                ///< warp
    int block = 128, flight = 8;                  ///< warp
    bool ahead = false;                           ///< warp
    sparse::Early early = sparse::Early::nothing; ///< warp
    int threads = 1;                              ///< csr: of a row; cusparse: which way, from 0
    const std::vector<double>* renewed = nullptr; ///< values that are put in the matrix's place
};

/// y = A x there, in the matrix's order; y is full of NaN before. Nothing where the GPU has no room
/// for such a launch.
std::vector<double> product_on_gpu(const sparse::Csr& a, const std::vector<double>& x,
                                   const OnGpu& how);

/// Why cuSPARSE cannot be used; empty where it can.
std::string no_cusparse();

} // namespace tawara::test
