// SPDX-License-Identifier: GPL-3.0-or-later
// Where there is no CUDA compiler.
#include "tests/device/chain_part.hpp"

namespace tawara::test {

std::unique_ptr<device::Part> make_cuda_chain(const ChainValues&, double, int)
{
    return nullptr;
}

} // namespace tawara::test
