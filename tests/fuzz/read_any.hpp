// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/equations/system.hpp"
#include "engine/core/error.hpp"

#include <string_view>

namespace tawara::cell::compiler {

/// What opening an untrusted model does up to its equations: read, put together, find the gates.
/// Refusals are InputError and nothing else; anything else is a finding.
/// @return whether it was a model
inline bool read_any(std::string_view text, bool cellml)
{
    try {
        ModelText m =
            cellml ? parse_cellml(text, "fuzz.cellml", "/nowhere") : parse_mmt(text, "fuzz.mmt");
        ResolveOptions o;
        o.own_stimulus = text.size() % 2 == 0;
        return !resolve(std::move(m), o).states.empty();
    } catch (const InputError&) {
        return false;
    }
}

} // namespace tawara::cell::compiler
