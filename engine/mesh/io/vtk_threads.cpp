// SPDX-License-Identifier: GPL-3.0-or-later
// As C++17: with GCC, VTK 9.1's header is no C++20.
#include "engine/mesh/io/vtk_threads.hpp"

#include <mutex>
#include <vtkSMPTools.h>

namespace tawara::mesh::io {

void keep_vtk_on_one_thread()
{
    static std::once_flag once;
    std::call_once(once, [] { vtkSMPTools::SetBackend("Sequential"); });
}

} // namespace tawara::mesh::io
