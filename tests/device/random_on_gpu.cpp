// SPDX-License-Identifier: GPL-3.0-or-later
// Where there is no CUDA compiler.
#include "tests/device/random_on_gpu.hpp"

namespace tawara::test {

std::vector<double> uniforms_on_gpu(const RandomPlace&, std::size_t)
{
    return {};
}

} // namespace tawara::test
