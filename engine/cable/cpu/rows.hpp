// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>

namespace tawara::cable::cpu {

/// The numbers of some systems side by side: those of node i begin at i apart.
template <class Real>
struct Rows
{
    const Real *upper, *lower;
    Real *diagonal, *rhs;
    std::size_t apart;

    Rows from(std::size_t system) const
    {
        return {upper + system, lower + system, diagonal + system, rhs + system, apart};
    }
};

} // namespace tawara::cable::cpu
