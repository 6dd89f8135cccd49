// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/region_names.hpp"
#include "engine/simulation/session/session.hpp"

#include <QIcon>
#include <QString>
#include <QStringList>

namespace tawara {

/// How a region says where it is, as the panel offers it.
enum class PlaceKind { all, labels, layer, segments, ball, painted, box };
QStringList placeKindNames();
PlaceKind placeKind(const simulation::Region& r);
/// Another way of saying where, empty or with a sensible start.
/// @param start  where a ball or a box comes to lie that takes the place of neither
void setPlaceKind(simulation::Region& r, PlaceKind kind, const simulation::Sphere& start);
/// Labels or segments; empty for other kinds.
std::vector<int> placeNumbers(const simulation::Region& r);
void setPlaceNumbers(simulation::Region& r, const std::vector<int>& numbers);
/// "endocardial (labels 1, 4, 7)"; names are those of the mesh, none where they are not known.
QString placeText(const simulation::Region& r, const std::vector<mesh::RegionName>& names = {});

QString regionTitle(const simulation::Region& r);
/// The titles of all of them, as short as tells them apart: where one model is in use, its
/// variants.
QStringList regionTitles(const std::vector<simulation::Region>& regions);
QString regionTip(const simulation::Region& r);
/// The colour that a region has in the map of regions.
/// @param index  of the region in the session
QColor regionColor(std::size_t index);
/// A swatch in that colour.
QIcon regionIcon(std::size_t index);

} // namespace tawara
