// SPDX-License-Identifier: GPL-3.0-or-later
// Where there is no CUDA compiler.
#include "tests/device/channels_on_cuda.hpp"

namespace tawara::test {

std::shared_ptr<const cell::ReactionModel> channels_on_cuda(const ChannelValues& values, bool)
{
    return std::make_shared<ChannelModel>(values);
}

} // namespace tawara::test
