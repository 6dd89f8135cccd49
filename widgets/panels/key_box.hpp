// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/panels/form.hpp"

#include <string_view>

namespace tawara {

namespace simulation {
struct Key;
}

/// A number box of a session's key: range, step, decimals, unit and default (where the box
/// offers it) are those of the table of session keys, and so is the tool tip where `tip` is empty.
/// Where the row of a member says no step and decimals, those are 1 and, of a number, 3.
/// @throws std::logic_error if the row has neither a box nor a number as its member
/// @param key  JSON pointer as in the table, e.g. "/stimuli/#/duration_ms"
NumberBox* keyBox(const QString& name, std::string_view key, const QString& tip = {});

/// The key's name as a field's label: "Frames every".
QString keyLabel(const simulation::Key& key);
/// What 0 means: "0: none"; empty where the table does not say it.
QString zeroText(const simulation::Key& key);

} // namespace tawara
