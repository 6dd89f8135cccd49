// SPDX-License-Identifier: GPL-3.0-or-later
// What tests of simulations include, compiled once for all of them (tawara_precompiled).
#pragma once
#include ".cmake/tests.hpp"

#include "engine/mesh/io/mesh_io.hpp"
#include "engine/simulation/live/engine.hpp"
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/run/run.hpp"
#include "engine/simulation/session/output_keys.hpp"
#include "engine/simulation/session/presets.hpp"
#include "engine/simulation/tissue/tissue.hpp"
