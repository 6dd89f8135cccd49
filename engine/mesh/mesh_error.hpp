// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/error.hpp"

namespace tawara {

/// A mesh file or a mesh that cannot be used.
struct MeshError : InputError
{
    using InputError::InputError;
};

} // namespace tawara
