// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/region_place.hpp"

#include "engine/cell/special_variables.hpp"
#include "widgets/panels/form.hpp"
#include "widgets/panels/icons.hpp"
#include "widgets/scene/color_map.hpp"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <cmath>
#include <set>

namespace tawara {
namespace {

using simulation::Region;

QString tr(const char* text)
{
    return QCoreApplication::translate("RegionPlace", text);
}

/// What a field of the panel shows, with a hundredth of a millimetre.
Vec3 rounded(Vec3 p)
{
    for (double& v : p)
        v = std::round(100 * v) / 100;
    return p;
}

QString boxText(const simulation::Box& b)
{
    const Vec3 size = b.high - b.low;
    const auto number = [](double v) { return QString::number(std::round(10 * v) / 10); };
    return tr("box %1 × %2 × %3 mm").arg(number(size[0]), number(size[1]), number(size[2]));
}

/// "0.25", or "1, 0.1, 0.1" by direction.
QString scaleText(const simulation::ConductivityScale& x)
{
    return x.even() ? QString::number(x.fibre)
                    : QStringLiteral("%1, %2, %3").arg(x.fibre).arg(x.sheet).arg(x.normal);
}

} // namespace

QStringList placeKindNames()
{
    return {tr("All tissue"), tr("Labels"), tr("Layer of the wall"), tr("AHA segments"), tr("Ball"),
            tr("Painted"),    tr("Box")};
}

PlaceKind placeKind(const Region& r)
{
    if (!r.where)
        return r.labels.empty() ? PlaceKind::all : PlaceKind::labels;
    if (std::holds_alternative<simulation::Layer>(*r.where))
        return PlaceKind::layer;
    if (std::holds_alternative<simulation::Segments>(*r.where))
        return PlaceKind::segments;
    if (std::holds_alternative<simulation::Sphere>(*r.where))
        return PlaceKind::ball;
    if (std::holds_alternative<simulation::Tetrahedra>(*r.where))
        return PlaceKind::painted;
    if (std::holds_alternative<simulation::Box>(*r.where))
        return PlaceKind::box;
    return PlaceKind::labels;
}

void setPlaceKind(Region& r, PlaceKind kind, const simulation::Sphere& start)
{
    if (kind == placeKind(r))
        return;
    simulation::Sphere ball = start;
    if (const auto* s = r.where ? std::get_if<simulation::Sphere>(&*r.where) : nullptr) {
        ball = *s;
    } else if (const auto* b = r.where ? std::get_if<simulation::Box>(&*r.where) : nullptr) {
        ball.centre = 0.5 * (b->low + b->high);
        const Vec3 size = b->high - b->low;
        ball.radius = *std::min_element(size.begin(), size.end()) / 2; // inside the box
    }
    const Vec3 half{ball.radius, ball.radius, ball.radius};
    r.labels.clear();
    r.where.reset();
    switch (kind) {
    case PlaceKind::all:
        break;
    case PlaceKind::labels:
        r.labels = {1};
        break;
    case PlaceKind::layer:
        r.where = simulation::Layer{};
        break;
    case PlaceKind::segments:
        r.where = simulation::Segments{{1}};
        break;
    case PlaceKind::ball:
        r.where = ball;
        break;
    case PlaceKind::painted:
        r.where = simulation::Tetrahedra{};
        break;
    case PlaceKind::box:
        r.where = simulation::Box{rounded(ball.centre - half), rounded(ball.centre + half)};
        break;
    }
}

std::vector<int> placeNumbers(const Region& r)
{
    if (!r.where)
        return {r.labels.begin(), r.labels.end()};
    if (const auto* l = std::get_if<simulation::Label>(&*r.where))
        return {l->labels.begin(), l->labels.end()};
    if (const auto* s = std::get_if<simulation::Segments>(&*r.where))
        return s->segments;
    return {};
}

void setPlaceNumbers(Region& r, const std::vector<int>& numbers)
{
    if (numbers.empty())
        return;
    if (r.where && std::holds_alternative<simulation::Segments>(*r.where)) {
        r.where = simulation::Segments{numbers};
    } else if (placeKind(r) == PlaceKind::labels) {
        r.where.reset();
        r.labels.assign(numbers.begin(), numbers.end());
    }
}

QString placeText(const Region& r, const std::vector<mesh::RegionName>& names)
{
    switch (placeKind(r)) {
    case PlaceKind::all:
        return tr("all");
    case PlaceKind::labels: {
        const auto numbers = placeNumbers(r);
        return QString::fromStdString(
            mesh::short_text(names, std::vector<std::int32_t>(numbers.begin(), numbers.end())));
    }
    case PlaceKind::layer:
        switch (std::get<simulation::Layer>(*r.where).kind) {
        case simulation::Layer::Kind::endo:
            return tr("endocardium");
        case simulation::Layer::Kind::mid:
            return tr("mid-wall");
        case simulation::Layer::Kind::epi:
            return tr("epicardium");
        }
        break;
    case PlaceKind::segments:
        return tr("AHA %1").arg(textOf(placeNumbers(r)));
    case PlaceKind::ball:
        return tr("ball, %1 mm").arg(std::get<simulation::Sphere>(*r.where).radius);
    case PlaceKind::painted:
        return std::get<simulation::Tetrahedra>(*r.where).tetrahedra.empty() ? tr("nowhere yet")
                                                                             : tr("painted");
    case PlaceKind::box:
        return boxText(std::get<simulation::Box>(*r.where));
    }
    return {};
}

QString regionTitle(const Region& r)
{
    if (!r.name.empty())
        return QString::fromStdString(r.name);
    if (!r.kind.empty())
        return QString::fromStdString(r.kind).replace('_', ' ');
    QString model = QString::fromStdString(cell::path_of(r.model));
    // a file by its name; where it lies is in the tool tip
    model = model.contains('.') ? QFileInfo(model).fileName() : model.replace('_', ' ');
    if (!r.variant.empty())
        model += QStringLiteral(", ") + QString::fromStdString(r.variant);
    return model;
}

QStringList regionTitles(const std::vector<Region>& regions)
{
    const auto plain = [](const Region& r) { return r.name.empty() && r.kind.empty(); };
    std::set<std::string> models;
    for (const Region& r : regions)
        if (plain(r))
            models.insert(r.model);
    QStringList out;
    for (const Region& r : regions)
        out << (plain(r) && models.size() == 1 && !r.variant.empty()
                    ? QString::fromStdString(r.variant)
                    : regionTitle(r));
    return out;
}

QString regionTip(const Region& r)
{
    if (r.insulating)
        return tr("Insulating: no cells, no current");
    if (r.inherits())
        return tr("Changes what lies beneath it: conductivities × %1, %2 factors, %3 values")
            .arg(scaleText(r.conductivity_scale))
            .arg(r.scale.size())
            .arg(r.parameters.size());
    return tr("%1, %2 changed parameters")
        .arg(QString::fromStdString(cell::path_of(r.model)))
        .arg(r.parameters.size());
}

QColor regionColor(std::size_t index)
{
    const auto rgb = scene::category_map(16).colors[index % 16 * 16];
    return {rgb[0], rgb[1], rgb[2]};
}

QIcon regionIcon(std::size_t index)
{
    return swatchIcon(regionColor(index), true);
}

} // namespace tawara
