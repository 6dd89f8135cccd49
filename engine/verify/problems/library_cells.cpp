// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verify/problems/library_cells.hpp"

#include "engine/cell/model.hpp"

#include <algorithm>

namespace tawara::verify {
namespace {

bool same_values(const LibraryCell& a, const LibraryCell& b)
{
    if (a.model != b.model)
        return false;
    const auto x = cell::make_cell_type(a.model, a.variant, {}, {}),
               y = cell::make_cell_type(b.model, b.variant, {}, {});
    return x.parameters == y.parameters && x.initial == y.initial;
}

} // namespace

std::vector<LibraryCell> cells_beyond(std::span<const LibraryCell> known)
{
    std::vector<LibraryCell> out;
    for (const auto& model : cell::model_names()) {
        std::vector<LibraryCell> of_model{{model, ""}};
        for (const auto& v : cell::model_info(model).variants)
            of_model.push_back({model, v.name});
        for (const auto& c : of_model)
            if (std::none_of(known.begin(), known.end(),
                             [&](const LibraryCell& k) { return same_values(k, c); }))
                out.push_back(c);
    }
    return out;
}

} // namespace tawara::verify
