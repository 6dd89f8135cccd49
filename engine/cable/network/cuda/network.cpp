// SPDX-License-Identifier: GPL-3.0-or-later
// Where the program has no CUDA; else part.cpp has this.
#include "engine/cable/network/cuda/network.hpp"

#include "engine/core/error.hpp"

#if !TAWARA_HAVE_CUDA
namespace tawara::cable::cuda {

std::unique_ptr<NetworkPart> make_cuda_network(const NetworkDescription&, int)
{
    throw InputError("--devices", "this program was built without CUDA; take --devices cpu");
}

} // namespace tawara::cable::cuda
#endif
