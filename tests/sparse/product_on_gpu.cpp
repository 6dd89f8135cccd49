// SPDX-License-Identifier: GPL-3.0-or-later
// Where there is no CUDA compiler.
#include "tests/sparse/product_on_gpu.hpp"

namespace tawara::test {

std::vector<double> product_on_gpu(const sparse::Csr&, const std::vector<double>&, const OnGpu&)
{
    return {};
}

std::string no_cusparse()
{
    return "no CUDA compiler";
}

} // namespace tawara::test
