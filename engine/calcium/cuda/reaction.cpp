// SPDX-License-Identifier: GPL-3.0-or-later
// Where the program has no CUDA; else tissue_cells.cpp has these.
#include "engine/calcium/cuda/reaction.hpp"

#include <utility>

#if !TAWARA_HAVE_CUDA
namespace tawara::calcium::cuda {

std::shared_ptr<const DyadReactionModel> tissue_model(std::vector<DyadType> types, const Grid& grid,
                                                      std::uint64_t seed)
{
    return std::make_shared<DyadReactionModel>(std::move(types), grid, seed);
}

double tissue_bytes_of_cell(const Grid&, bool)
{
    return 0;
}

} // namespace tawara::calcium::cuda
#endif
