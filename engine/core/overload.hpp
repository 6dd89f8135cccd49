// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tawara {

/// One callable out of several, for std::visit: Overload{[](const A&) {…}, [](const B&) {…}}.
template <class... F>
struct Overload : F...
{
    using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>; // compilers before P1816 want it said

} // namespace tawara
