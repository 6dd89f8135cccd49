// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/verify/problems/plane_wave.hpp"

namespace tawara::test {

using verify::difference;
using verify::plane_wave_in_the_limit;
using verify::plane_wave_mm;
using verify::plane_wave_ms;
using verify::PlaneWave;
using verify::PlaneWaveError;
using verify::PlaneWaveResult;
using verify::run_plane_wave;

} // namespace tawara::test
