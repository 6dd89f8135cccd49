// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/panels/form.hpp"

#include <string_view>

namespace tawara {

/// A number box of a session's key: range, step, decimals, unit and default (where the box
/// offers it) are those of the table of session keys, and so is the tool tip where `tip` is empty.
/// @pre the row has a box
/// @param key  JSON pointer as in the table, e.g. "/stimuli/#/duration_ms"
NumberBox* keyBox(const QString& name, std::string_view key, const QString& tip = {});

} // namespace tawara
