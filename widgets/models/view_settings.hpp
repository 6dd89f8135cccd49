// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/observe/maps.hpp"

#include <QJsonObject>
#include <QMap>
#include <QString>
#include <QStringList>

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace tawara {

/// What a view can show on the wall.
enum class Quantity {
    potential,
    activation,
    repolarisation,
    apd,
    period,
    velocity, ///< of conduction, on the wall
    phase,
    regions,
    partition
};
inline constexpr int quantity_count = 9;

struct QuantityInfo
{
    const char *key, *name, *unit, *map;
    double low, high, step; ///< range and distance of isochrones at first
    bool automatic;         ///< the range follows the values at first
    bool maps;              ///< comes from the engine's maps
    bool cyclic, flat;
    int decimals;
    bool wallOnly = false; ///< not known inside
};
const QuantityInfo& quantityInfo(Quantity q);
/// Names for people, in the order of the enumeration.
QStringList quantityNames();
/// "Activation (ms)".
QString quantityTitle(Quantity q);

/// Distance of lines over a range: 1, 2 or 5 times a power of ten, at least 0.1, for 13 lines at
/// most, and so far apart that noise moves none of them as far as its neighbour.
/// @param noise  standard deviation of the values about a smooth map
/// @pre   high > low
double isochroneStep(double low, double high, double noise = 0);

struct QuantityStyle
{
    QString map;
    bool reversed = false, automatic = false;
    double low = 0, high = 1;
    bool isochrones = false;
    double step = 10;
    bool stepFits = true; ///< an automatic range gives the step; false once the user gave it
    bool operator==(const QuantityStyle&) const = default;
};

/// A knot of a colour map: position, red, green, blue in [0, 1].
using ColorKnots = std::vector<std::array<double, 4>>;

/// How the heart is shown; kept with the session.
struct ViewSettings
{
    enum class Cut { none, clip, slice };
    enum class Fibres { none, glyphs, streamlines };
    /// A Purkinje network: not drawn, where it lies behind the wall, over the wall.
    enum class Network { off, inside, top };
    int count = 1;
    bool linked = true;
    /// The maps come together: the fourth costs nothing beyond the second.
    std::array<Quantity, 4> shown{Quantity::potential, Quantity::activation, Quantity::apd,
                                  Quantity::repolarisation};
    std::array<QuantityStyle, quantity_count> styles;
    int beat = 0;                 ///< that the maps are of, as simulation::WatchMaps::beat
    simulation::PhasePlane plane; ///< of the phase
    Cut cut = Cut::none;
    int axis = 0; ///< 0 x, 1 y, 2 z
    bool flip = false;
    double position = 0.5; ///< of the cut along the axis, 0 to 1
    double opacity = 1;    ///< of the wall, at most: drawnOpacity()
    bool depolarised = false;
    double threshold_mV = -40;
    Fibres fibres = Fibres::none;
    bool filaments = false, arrows = false, annotations = true;
    Network network = Network::top;
    bool scar = true; ///< an outline around tissue that cannot fire
    QMap<QString, ColorKnots> customMaps;
    /// Position, focal point, up of each view's camera.
    std::array<std::optional<std::array<double, 9>>, 4> cameras;

    ViewSettings();
    QuantityStyle& style(Quantity q) { return styles[static_cast<std::size_t>(q)]; }
    const QuantityStyle& style(Quantity q) const { return styles[static_cast<std::size_t>(q)]; }
    Quantity shownIn(int view) const { return shown[static_cast<std::size_t>(view)]; }
    bool shows(Quantity q) const;
    /// Opacity that the wall is drawn with: less than `opacity` where what lies within it would not
    /// be seen.
    double drawnOpacity() const;
    /// That many views; one that comes shows what no other does.
    void setCount(int n);
    /// Whether any view needs the engine's maps, volume, phase.
    bool needsMaps() const;
    bool needsVolume() const;
    bool needsPhase() const;

    QJsonObject toJson() const;
    /// What is missing or makes no sense stays at its default.
    static ViewSettings fromJson(const QJsonObject& o);
    bool operator==(const ViewSettings&) const = default;
};

/// What differs, for people ("Opacity"); empty where nothing does. Cameras do not count.
QString viewChange(const ViewSettings& before, const ViewSettings& now);

} // namespace tawara
