// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/view_settings.hpp"

#include <QCoreApplication>
#include <QJsonArray>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace tawara {
namespace {

constexpr double pi = 3.14159265358979;
constexpr QuantityInfo infos[quantity_count] = {
    {"potential", QT_TRANSLATE_NOOP("Quantity", "Potential"), "mV", "tissue", -90, 40, 20, false,
     false, false, false, 0},
    {"activation", QT_TRANSLATE_NOOP("Quantity", "Activation"), "ms", "turbo", 0, 120, 10, true,
     true, false, false, 0},
    {"repolarisation", QT_TRANSLATE_NOOP("Quantity", "Repolarisation"), "ms", "plasma", 200, 450,
     10, true, true, false, false, 0},
    {"apd", QT_TRANSLATE_NOOP("Quantity", "APD90"), "ms", "viridis", 180, 350, 10, true, true,
     false, false, 0},
    {"period", QT_TRANSLATE_NOOP("Quantity", "Period"), "ms", "inferno", 100, 1000, 20, true, true,
     false, false, 0},
    {"velocity", QT_TRANSLATE_NOOP("Quantity", "Velocity"), "m/s", "viridis", 0, 1, 0.1, true, true,
     false, false, 2, true},
    {"phase", QT_TRANSLATE_NOOP("Quantity", "Phase"), "rad", "phase", -pi, pi, 0.5, false, false,
     true, false, 2},
    {"regions", QT_TRANSLATE_NOOP("Quantity", "Regions"), "", "parts", -0.5, 15.5, 1, false, false,
     false, true, 0},
    {"partition", QT_TRANSLATE_NOOP("Quantity", "Partition"), "", "parts", -0.5, 15.5, 1, false,
     false, false, true, 0, true},
};

QJsonObject styleJson(const QuantityStyle& s)
{
    return {{"map", s.map},   {"reversed", s.reversed}, {"automatic", s.automatic},
            {"low", s.low},   {"high", s.high},         {"isochrones", s.isochrones},
            {"step", s.step}, {"step_fits", s.stepFits}};
}

void readStyle(const QJsonObject& o, QuantityStyle& s)
{
    s.map = o["map"].toString(s.map);
    s.reversed = o["reversed"].toBool(s.reversed);
    s.automatic = o["automatic"].toBool(s.automatic);
    const double low = o["low"].toDouble(s.low), high = o["high"].toDouble(s.high);
    if (high > low)
        s.low = low, s.high = high;
    s.isochrones = o["isochrones"].toBool(s.isochrones);
    if (const double step = o["step"].toDouble(s.step); step > 0) {
        s.stepFits = o["step_fits"].toBool(step == s.step);
        s.step = step;
    }
}

template <class E>
E word(const QJsonValue& v, const std::initializer_list<const char*>& words, E otherwise)
{
    int i = 0;
    for (const char* w : words) {
        if (v.toString() == QLatin1String(w))
            return static_cast<E>(i);
        ++i;
    }
    return otherwise;
}

constexpr std::initializer_list<const char*> cuts{"none", "clip", "slice"};
constexpr std::initializer_list<const char*> planes{"delayed", "recovery"};
constexpr std::initializer_list<const char*> fibre_words{"none", "glyphs", "streamlines"};
constexpr std::initializer_list<const char*> network_words{"off", "inside", "top"};

} // namespace

const QuantityInfo& quantityInfo(Quantity q)
{
    return infos[static_cast<std::size_t>(q)];
}

QStringList quantityNames()
{
    QStringList names;
    for (const auto& i : infos)
        names << QCoreApplication::translate("Quantity", i.name);
    return names;
}

QString quantityTitle(Quantity q)
{
    const auto& i = quantityInfo(q);
    const QString name = q == Quantity::potential ? QStringLiteral("V")
                                                  : QCoreApplication::translate("Quantity", i.name);
    return *i.unit == 0 ? name : QStringLiteral("%1 (%2)").arg(name, QLatin1String(i.unit));
}

double isochroneStep(double low, double high, double noise)
{
    constexpr double most_lines = 13, apart = 8, tiny = 1e-9;
    const double least = std::max({(high - low) / most_lines, apart * noise, 0.1});
    const double power = std::pow(10, std::floor(std::log10(least) + tiny));
    const double m = least / power - tiny;
    return power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

ViewSettings::ViewSettings()
{
    for (int q = 0; q < quantity_count; ++q) {
        const auto& i = infos[q];
        auto& s = styles[static_cast<std::size_t>(q)];
        s.map = QLatin1String(i.map);
        s.reversed = std::string_view(i.key) == "activation"; // early is red, as mapping systems do
        s.automatic = i.automatic;
        s.low = i.low, s.high = i.high;
        // of when waves come and go; differences of such times are too noisy for lines
        s.isochrones = static_cast<Quantity>(q) == Quantity::activation ||
                       static_cast<Quantity>(q) == Quantity::repolarisation;
        s.step = i.step;
    }
}

bool ViewSettings::shows(Quantity q) const
{
    return std::find(shown.begin(), shown.begin() + count, q) != shown.begin() + count;
}

double ViewSettings::drawnOpacity() const
{
    constexpr double around_slice = 0.25, around_lines = 0.45;
    const bool lines = fibres != Fibres::none || filaments;
    return std::min(opacity, cut == Cut::slice ? around_slice : lines ? around_lines : 1.0);
}

void ViewSettings::setCount(int n)
{
    const int before = std::exchange(count, n);
    for (int i = before; i < n; ++i) {
        const auto view = shown.begin() + i;
        const auto taken = [&](Quantity q) { return std::find(shown.begin(), view, q) != view; };
        if (!taken(*view))
            continue;
        for (const Quantity q : ViewSettings().shown)
            if (!taken(q)) {
                *view = q;
                break;
            }
    }
}

bool ViewSettings::needsMaps() const
{
    return arrows || std::any_of(shown.begin(), shown.begin() + count,
                                 [](Quantity q) { return quantityInfo(q).maps; });
}

bool ViewSettings::needsVolume() const
{
    return depolarised || cut != Cut::none;
}

bool ViewSettings::needsPhase() const
{
    return filaments || shows(Quantity::phase);
}

QJsonObject ViewSettings::toJson() const
{
    QJsonObject o;
    o["views"] = count;
    o["linked"] = linked;
    QJsonArray show, looks;
    for (Quantity q : shown)
        show << QLatin1String(quantityInfo(q).key);
    o["shown"] = show;
    QJsonObject all;
    for (int q = 0; q < quantity_count; ++q)
        all[QLatin1String(infos[q].key)] = styleJson(styles[static_cast<std::size_t>(q)]);
    o["styles"] = all;
    o["beat"] = beat;
    o["phase"] = QJsonObject{{"plane", *(planes.begin() + static_cast<int>(plane.kind))},
                             {"delay_ms", plane.delay_ms}};
    o["cut"] = QJsonObject{{"kind", *(cuts.begin() + static_cast<int>(cut))},
                           {"axis", axis},
                           {"flip", flip},
                           {"position", position}};
    o["opacity"] = opacity;
    o["depolarised"] = depolarised;
    o["threshold_mV"] = threshold_mV;
    o["fibres"] = *(fibre_words.begin() + static_cast<int>(fibres));
    o["filaments"] = filaments;
    o["arrows"] = arrows;
    o["annotations"] = annotations;
    o["scar"] = scar;
    o["network"] = *(network_words.begin() + static_cast<int>(network));
    QJsonObject maps;
    for (auto i = customMaps.begin(); i != customMaps.end(); ++i) {
        QJsonArray knots;
        for (const auto& k : i.value())
            knots << QJsonArray{k[0], k[1], k[2], k[3]};
        maps[i.key()] = knots;
    }
    o["color_maps"] = maps;
    for (const auto& c : cameras) {
        QJsonArray numbers;
        if (c)
            for (double x : *c)
                numbers << x;
        looks << numbers;
    }
    o["cameras"] = looks;
    return o;
}

ViewSettings ViewSettings::fromJson(const QJsonObject& o)
{
    ViewSettings v;
    const int n = o["views"].toInt(1);
    v.count = n >= 4 ? 4 : n >= 2 ? 2 : 1;
    v.linked = o["linked"].toBool(true);
    const QJsonArray show = o["shown"].toArray();
    for (qsizetype i = 0; i < std::min<qsizetype>(4, show.size()); ++i)
        for (int q = 0; q < quantity_count; ++q)
            if (show[i].toString() == QLatin1String(infos[q].key))
                v.shown[static_cast<std::size_t>(i)] = static_cast<Quantity>(q);
    const QJsonObject all = o["styles"].toObject();
    for (int q = 0; q < quantity_count; ++q)
        readStyle(all[QLatin1String(infos[q].key)].toObject(),
                  v.styles[static_cast<std::size_t>(q)]);
    v.beat = std::max(-1, o["beat"].toInt(o["newest_beat"].toBool(true) ? 0 : 1));
    const QJsonObject phase = o["phase"].toObject();
    v.plane.kind = word(phase["plane"], planes, v.plane.kind);
    v.plane.delay_ms =
        std::clamp(phase["delay_ms"].toDouble(v.plane.delay_ms),
                   simulation::PhasePlane::shortest_ms, simulation::PhasePlane::longest_ms);
    const QJsonObject cutting = o["cut"].toObject();
    v.cut = word(cutting["kind"], cuts, v.cut);
    v.axis = std::clamp(cutting["axis"].toInt(0), 0, 2);
    v.flip = cutting["flip"].toBool();
    v.position = std::clamp(cutting["position"].toDouble(0.5), 0.0, 1.0);
    v.opacity = std::clamp(o["opacity"].toDouble(1), 0.02, 1.0);
    v.depolarised = o["depolarised"].toBool();
    v.threshold_mV = o["threshold_mV"].toDouble(v.threshold_mV);
    v.fibres = word(o["fibres"], fibre_words, v.fibres);
    v.filaments = o["filaments"].toBool();
    v.arrows = o["arrows"].toBool();
    v.annotations = o["annotations"].toBool(true);
    v.scar = o["scar"].toBool(true);
    v.network = word(o["network"], network_words, v.network);
    const QJsonObject maps = o["color_maps"].toObject();
    for (auto i = maps.begin(); i != maps.end(); ++i) {
        ColorKnots knots;
        for (const auto& k : i.value().toArray()) {
            const QJsonArray a = k.toArray();
            if (a.size() == 4)
                knots.push_back(
                    {a[0].toDouble(), a[1].toDouble(), a[2].toDouble(), a[3].toDouble()});
        }
        if (knots.size() >= 2)
            v.customMaps[i.key()] = knots;
    }
    const QJsonArray looks = o["cameras"].toArray();
    for (qsizetype i = 0; i < std::min<qsizetype>(4, looks.size()); ++i) {
        const QJsonArray a = looks[i].toArray();
        if (a.size() != 9)
            continue;
        std::array<double, 9> c{};
        for (qsizetype k = 0; k < 9; ++k)
            c[static_cast<std::size_t>(k)] = a[k].toDouble();
        v.cameras[static_cast<std::size_t>(i)] = c;
    }
    return v;
}

QString viewChange(const ViewSettings& a, const ViewSettings& b)
{
    QStringList what;
    const auto if_differ = [&](bool differ, const char* text) {
        if (differ)
            what << QCoreApplication::translate("ViewSettings", text);
    };
    if_differ(a.count != b.count, QT_TRANSLATE_NOOP("ViewSettings", "Number of views"));
    if_differ(a.linked != b.linked, QT_TRANSLATE_NOOP("ViewSettings", "Linked cameras"));
    if_differ(a.shown != b.shown, QT_TRANSLATE_NOOP("ViewSettings", "What is shown"));
    if_differ(a.beat != b.beat, QT_TRANSLATE_NOOP("ViewSettings", "Beat of the maps"));
    if_differ(a.plane != b.plane, QT_TRANSLATE_NOOP("ViewSettings", "Plane of the phase"));
    for (std::size_t q = 0; q < a.styles.size(); ++q) {
        const QuantityStyle &s = a.styles[q], &t = b.styles[q];
        if_differ(s.map != t.map || s.reversed != t.reversed,
                  QT_TRANSLATE_NOOP("ViewSettings", "Colour map"));
        if_differ(s.automatic != t.automatic || s.low != t.low || s.high != t.high,
                  QT_TRANSLATE_NOOP("ViewSettings", "Range of colours"));
        if_differ(s.isochrones != t.isochrones || (s.step != t.step && s.automatic == t.automatic),
                  QT_TRANSLATE_NOOP("ViewSettings", "Isochrones"));
    }
    if_differ(a.customMaps != b.customMaps && what.isEmpty(),
              QT_TRANSLATE_NOOP("ViewSettings", "Own colour map"));
    if_differ(a.cut != b.cut || a.axis != b.axis || a.flip != b.flip,
              QT_TRANSLATE_NOOP("ViewSettings", "Section"));
    if_differ(a.position != b.position, QT_TRANSLATE_NOOP("ViewSettings", "Place of the section"));
    if_differ(a.opacity != b.opacity, QT_TRANSLATE_NOOP("ViewSettings", "Opacity"));
    if_differ(a.depolarised != b.depolarised || a.threshold_mV != b.threshold_mV,
              QT_TRANSLATE_NOOP("ViewSettings", "Depolarised tissue"));
    if_differ(a.fibres != b.fibres, QT_TRANSLATE_NOOP("ViewSettings", "Fibres"));
    if_differ(a.filaments != b.filaments, QT_TRANSLATE_NOOP("ViewSettings", "Filaments"));
    if_differ(a.arrows != b.arrows, QT_TRANSLATE_NOOP("ViewSettings", "Conduction velocity"));
    if_differ(a.annotations != b.annotations, QT_TRANSLATE_NOOP("ViewSettings", "Annotations"));
    if_differ(a.scar != b.scar, QT_TRANSLATE_NOOP("ViewSettings", "Outline of scar"));
    if_differ(a.network != b.network, QT_TRANSLATE_NOOP("ViewSettings", "Look of the network"));
    if (what.size() > 1)
        return QCoreApplication::translate("ViewSettings", "Look of the views");
    if (!what.isEmpty())
        return what.front();
    ViewSettings same = b; // a field that has no name yet
    same.cameras = a.cameras;
    return same == a ? QString() : QCoreApplication::translate("ViewSettings", "Look of the views");
}

} // namespace tawara
