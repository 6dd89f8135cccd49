// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/read_any.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    tawara::cell::compiler::read_any({reinterpret_cast<const char*>(data), size}, false);
    return 0;
}
