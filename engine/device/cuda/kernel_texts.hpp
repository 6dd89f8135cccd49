// SPDX-License-Identifier: GPL-3.0-or-later
// Headers of kernels as text, for NVRTC; the build puts them into the program (.cmake/texts.cmake).
#pragma once

namespace tawara::device::cuda {

const char* kernel_values_text();
const char* early_start_text();
const char* rows_text();
const char* cell_common_text();
const char* cell_record_text();
const char* cell_ring_text();
const char* cell_direct_text();
const char* cell_rest_text();
const char* cell_implicit_text();
const char* cell_between_text();

} // namespace tawara::device::cuda
