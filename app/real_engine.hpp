// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_control.hpp"
#include "engine/simulation/live/engine.hpp"

#include <filesystem>
#include <functional>

namespace tawara {

/// Makes the simulator itself; its threads give way to the window's.
EngineMaker real_engine(simulation::EngineOptions options);

/// Gives the session of a file: a session file, or one around a mesh; the built-in heart for an
/// empty path. Throws Error. It may be called on any thread and take seconds for a large mesh.
/// @param context  what it may use of the machine
std::function<simulation::Session(const std::filesystem::path& file)>
session_opener(const Context& context = {});

} // namespace tawara
