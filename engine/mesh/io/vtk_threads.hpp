// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tawara::mesh::io {

/// From here on VTK does its work on the thread that asks for it. Its own threads, of TBB, end the
/// program where none can be made.
/// @thread any
void keep_vtk_on_one_thread();

} // namespace tawara::mesh::io
