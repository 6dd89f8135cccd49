// SPDX-License-Identifier: GPL-3.0-or-later
// What most files of the window read that know a session, compiled once (tawara_precompiled).
#pragma once
#include ".cmake/widgets.hpp"

#include "engine/simulation/session/session.hpp"
