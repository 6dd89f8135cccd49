// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tawara::cell {

/// Whether CellML files may import files that lie outside the folder of the model's file: no,
/// unless a user has allowed it for this process. A model from others could otherwise look at what
/// the user can read.
/// @thread any
bool imports_anywhere();
void allow_imports_anywhere(bool allowed);

} // namespace tawara::cell
