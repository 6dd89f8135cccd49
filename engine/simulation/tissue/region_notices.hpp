// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/simulation/tissue/regions.hpp"

namespace tawara::simulation {

/// Says which factors of a region's `scale` the models have not that it is laid on (or its own):
/// they change nothing there. A warning; a remark where others of an inheriting region act.
Notices idle_scales(const Session& s, const RegionMap& laid);
/// A warning for each insulating region that has keys for cells or currents, which it has not.
Notices idle_insulators(const Session& s);
/// Says which regions are called a scar's core and have cells that can fire.
Notices firing_scars(const Session& s, const RegionMap& laid);
/// Says which regions have another outer potassium, and so another rest, than their cells begin
/// with: where no prepacing brings them there, waves find them at their own rest only later.
Notices moved_rests(const Session& s, const RegionMap& laid);

} // namespace tawara::simulation
