// SPDX-License-Identifier: GPL-3.0-or-later
// Headers of kernels as text, for NVRTC; the build puts them into the program (.cmake/texts.cmake).
#pragma once

namespace tawara::device::cuda {

const char* kernel_values_text();
const char* rows_text();
const char* cell_kernel_text();

} // namespace tawara::device::cuda
