// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tawara::cell {

/// Whether CellML files may import files that lie outside the folder of the model's file: no,
/// unless a user has allowed it for this process. A model from others could otherwise look at what
/// the user can read.
///
/// It is the process's since models are: they are asked for by name (model_info(),
/// make_cell_type()) in some thirty files, down to notices and dialogs, and one that was read is
/// kept for all who ask. Those files and their callers would have to hand the user's word on, and
/// the same name would stand for a model here and for an error there.
/// @thread any
bool imports_anywhere();
/// For what reads the command line alone, before a model is read.
void allow_imports_anywhere(bool allowed);

} // namespace tawara::cell
