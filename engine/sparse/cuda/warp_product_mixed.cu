// SPDX-License-Identifier: GPL-3.0-or-later
// Products of laid out matrices in single precision, added up in double.
#include "engine/sparse/cuda/laid_out_product.cuh"

TAWARA_WARP_PRODUCT(float, double)
