// SPDX-License-Identifier: GPL-3.0-or-later
// Functions that processors and devices compile alike.
#pragma once

#if defined(__CUDACC__)
#define TAWARA_EVERYWHERE __host__ __device__
#else
#define TAWARA_EVERYWHERE
#endif
