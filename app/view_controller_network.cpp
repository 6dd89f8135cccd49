// SPDX-License-Identifier: GPL-3.0-or-later
// The Purkinje network in the views.
#include "app/view_controller.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tawara {
namespace {

constexpr double radius_of_heart = 0.0021; // a tube's, of the heart's diagonal
constexpr float none = std::numeric_limits<float>::quiet_NaN();

/// How wide the pieces of a fascicle are drawn, beside the branches of the fractal rule.
float widthOf(std::int32_t kind)
{
    switch (static_cast<cable::Fascicle>(kind)) {
    case cable::Fascicle::his:
    case cable::Fascicle::left_bundle:
    case cable::Fascicle::right_bundle:
        return 1.9F;
    case cable::Fascicle::moderator_band:
        return 1.5F;
    default:
        return 1;
    }
}

scene::NetworkModelPtr modelOf(const simulation::NetworkShape& shape)
{
    auto out = std::make_shared<scene::NetworkModel>();
    const auto& m = shape.network->morphology;
    out->parent = shape.parent;
    out->branch = shape.branch;
    out->marked = shape.junction;
    for (std::size_t i = 0; i < shape.point.size(); ++i) {
        out->point_mm.push_back(shape.place_mm(i));
        out->width.push_back(widthOf(m.kind[static_cast<std::size_t>(shape.point[i])]));
        out->cut.push_back(shape.cut(i) ? 1 : 0);
    }
    return out;
}

} // namespace

void ViewController::setNetwork(const NetworkShapePtr& shape)
{
    m_networkShape = shape;
    m_networkModel = shape ? modelOf(*shape) : nullptr;
    if (!m_model)
        return;
    m_grid->each([&](HeartView& v, int i) {
        dressNetwork(v);
        feedNetwork(v, m_settings.shownIn(i));
        v.schedule();
    });
}

void ViewController::dressNetwork(HeartView& view)
{
    auto& network = view.scene().network();
    if (network.model() != m_networkModel)
        network.set_model(m_networkModel, radius_of_heart * norm(m_high - m_low));
    network.set_look(static_cast<scene::NetworkLook>(m_settings.network));
}

std::vector<float> ViewController::networkActivation() const
{
    const auto& f = *m_frame->network;
    std::vector<float> out(f.newest_ms.size(), none);
    if (!m_maps)
        return out;
    const auto& beats = m_maps->beats;
    const auto beat = std::find_if(beats.begin(), beats.end(),
                                   [&](const auto& b) { return b.number == m_maps->beat; });
    if (beat == beats.end())
        return out;
    // it is the network that begins a beat, as long before the wall as His needs
    constexpr double before_wall_ms = 150;
    const double from = beat->from_ms - before_wall_ms,
                 to = beat + 1 == beats.end() ? std::numeric_limits<double>::infinity()
                                              : (beat + 1)->from_ms - before_wall_ms;
    for (std::size_t i = 0; i < out.size(); ++i)
        for (const float ms : {f.newest_ms[i], f.first_ms[i]})
            if (const auto t = static_cast<double>(ms); t >= from && t < to) {
                out[i] = static_cast<float>(t - beat->zero_ms());
                break;
            }
    return out;
}

std::vector<float> ViewController::networkValues(Quantity q) const
{
    const auto made = m_networkShape->network->made;
    if (q == Quantity::potential && m_recorded)
        return m_recorded->network;
    if (!m_frame || !m_frame->network || m_frame->network->network != made)
        return {};
    if (q == Quantity::potential)
        return m_frame->network->V_mV;
    return q == Quantity::activation ? networkActivation() : std::vector<float>();
}

void ViewController::feedNetwork(HeartView& view, Quantity q)
{
    if (!m_networkShape || m_settings.network == ViewSettings::Network::off)
        return;
    auto& network = view.scene().network();
    network.set_values(networkValues(q));
    std::vector<std::array<std::uint8_t, 3>> marks;
    const auto* f = m_frame && !m_recorded ? m_frame->network.get() : nullptr;
    if (f != nullptr && f->network == m_networkShape->network->made)
        for (std::size_t k = 0; k < f->junction_ms.size(); ++k) {
            const auto c = junctionStateColor(simulation::junction_state(
                static_cast<double>(f->junction_ms[k]), static_cast<double>(f->junction_wall_ms[k]),
                f->time_ms));
            marks.push_back({static_cast<std::uint8_t>(c.red()),
                             static_cast<std::uint8_t>(c.green()),
                             static_cast<std::uint8_t>(c.blue())});
        }
    network.set_marks(std::move(marks));
}

QString ViewController::networkNote(Quantity q) const
{
    if (!m_networkShape || m_settings.network == ViewSettings::Network::off ||
        q != Quantity::potential || !m_recorded)
        return {};
    const bool known = m_recorded->network.size() == m_networkShape->point.size() &&
                       std::any_of(m_recorded->network.begin(), m_recorded->network.end(),
                                   [](float v) { return std::isfinite(v); });
    return known ? QString() : tr("Network grey: this recording has another one, or none");
}

} // namespace tawara
