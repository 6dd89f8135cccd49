// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/normal.hpp"

#include "engine/cell/compiler/library.hpp"
#include "engine/cell/own_model.hpp"

namespace tawara::cell {

bool is_normal(const CellType& type)
{
    return is_own(type) || compiler::system_of(type)->plain == nullptr;
}

std::vector<double> parameters_in_use(const CellType& type)
{
    auto out = type.parameters;
    if (is_own(type))
        return out;
    const auto system = compiler::system_of(type);
    if (system->plain == nullptr)
        for (auto k = system->neutral.rbegin(); k != system->neutral.rend(); ++k)
            out.erase(out.begin() + static_cast<std::ptrdiff_t>(*k));
    return out;
}

bool same_equations(const CellType& a, const CellType& b)
{
    return same_model(a, b) && is_normal(a) == is_normal(b);
}

} // namespace tawara::cell
