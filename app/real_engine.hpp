// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_control.hpp"
#include "engine/simulation/live/engine.hpp"

#include <filesystem>

namespace tawara {

/// Makes the simulator itself; its threads give way to the window's.
EngineMaker real_engine(simulation::EngineOptions options);

/// The session of a file: a session file, or one around a mesh; the built-in heart for an empty
/// path.
/// @throws Error
/// @thread any; may take seconds for a large mesh
simulation::Session open_session(const std::filesystem::path& file);

} // namespace tawara
