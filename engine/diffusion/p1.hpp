// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/core/thread_pool.hpp"
#include "engine/diffusion/system.hpp"

namespace tawara::diffusion {

/// -K's off-diagonals [mm3/ms], lumped mass, and for the consistent mass its rows of the same
/// pattern.
System assemble_p1(ThreadPool& pool, const mesh::TetMesh& m, std::span<const Tensor> diffusivity,
                   const Options& options, const Progress& progress);

} // namespace tawara::diffusion
