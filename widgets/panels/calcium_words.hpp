// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/observe/dyad_frame.hpp"

#include <QString>

#include <vector>

namespace tawara {

/// What of a dyad gives its colour.
enum class DyadQuantity { cleft, subspace, myoplasm, jsr, open };
inline constexpr int dyad_quantities = 5;

/// How it is shown.
struct DyadScale
{
    QString name, unit, meaning;
    const char* key; ///< in sessions
    double low, high;
    bool log;
    const char* map;  ///< of scene::color_map()
    bool low_is_seen; ///< in a volume

    /// Where a value lies between the ends, from 0 to 1.
    float share(float value) const;
    /// "Cleft Ca (µM)"
    QString title() const;
};
/// @param RyR  that a dyad has
DyadScale dyadScale(DyadQuantity q, int RyR = 100);

/// Each dyad's place on a scale.
std::vector<float> dyadShares(const calcium::DyadPicture& p, DyadQuantity q);

/// "57 of 10 000 dyads active (0.57 %), 1 234 of 1 000 000 RyR open, cleft Ca up to 230 µM, V −87.6
/// mV; 100 × 10 × 10 dyads"
QString dyadCountsText(const simulation::DyadFrame& f);
/// "Cell at 1.0, −2.5, 30.0 mm"
QString dyadCellText(const Vec3& position_mm);
/// What the panel says before a cell is chosen.
QString noDyadsText();
/// The same where the chosen cell has no dyads any more.
QString dyadsGoneText();

} // namespace tawara
