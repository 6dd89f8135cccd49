// SPDX-License-Identifier: GPL-3.0-or-later
// Products on the first GPU against the same ones on the CPU, at sizes around a warp. Free of Qt,
// so that they also run where little is installed. Each returns the first case that fails, or
// nothing; where TAWARA_SHORT_TESTS is set, few sizes are tried.
#pragma once
#include <string>

namespace tawara::test {

std::string laid_out_matrices_give_the_cpus_bits();
std::string other_formats_agree(); ///< within rounding
std::string cusparse_agrees();     ///< within rounding
std::string values_alone_are_renewed();
std::string launches_that_cannot_be_are_refused();

} // namespace tawara::test
