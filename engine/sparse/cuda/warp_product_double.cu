// SPDX-License-Identifier: GPL-3.0-or-later
// Products of laid out matrices in double precision.
#include "engine/sparse/cuda/laid_out_product.cuh"

TAWARA_WARP_PRODUCT(double, double)
