// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/observe/dyad_frame.hpp"
#include "engine/simulation/observe/spark_log.hpp"

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
/// "10 sparks, 1 wave in 340 ms (32.4 a second); the last at 312.4 ms: amplitude 4.1, 28 ms long";
/// "No sparks in 12 ms, 1 under way"
QString sparksText(const simulation::SparkSummary& s);
/// What a panel says that shows a recorded moment: "Recorded at 120.0 ms"
QString recordedCellText(double ms);
/// And one that cannot: why it stands still, and where.
/// @param why  the cell cannot be recorded; empty: none was chosen
QString standingStillText(double shownMs, double wantedMs, const QString& why);
/// "Cell at 1.0, −2.5, 30.0 mm"
QString dyadCellText(const Vec3& position_mm);
/// What the panel says before a cell is chosen.
QString noDyadsText();
/// The same where the chosen cell has no dyads any more.
QString dyadsGoneText();

} // namespace tawara
