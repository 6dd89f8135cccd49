// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/velocity_row.hpp"

#include "widgets/panels/key_box.hpp"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QToolButton>

namespace tawara {
namespace {

using simulation::ConductionVelocity;
using simulation::Region;

constexpr double ConductionVelocity::*along[]{
    &ConductionVelocity::fibre, &ConductionVelocity::sheet, &ConductionVelocity::normal};

} // namespace

ConductionVelocity usualVelocity(const Region& r)
{
    const auto& c = r.conductivity_S_per_m;
    ConductionVelocity v;
    if (c.sheet == c.normal)
        v.normal = v.sheet;
    if (c.fibre == c.sheet && c.fibre == c.normal)
        v.sheet = v.normal = v.fibre;
    return v;
}

VelocityRow::VelocityRow(QWidget* parent)
    : QWidget(parent), m_on(smallButton({}, tr("Tune"), "tuneVelocity",
                                        tr("Conductivities are found for these velocities on this "
                                           "mesh; off: they are kept as they are")))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    constexpr int least = 44; // three of them stand in a row
    const std::array names{"velocityFibre", "velocitySheet", "velocityNormal"};
    const std::array directions{"fibre", "sheet", "normal"};
    for (std::size_t k = 0; k < m_box.size(); ++k) {
        m_box[k] = keyBox(QLatin1String(names[k]),
                          std::string("/tissue/regions/#/velocity_m_per_s/") + directions[k]);
        m_box[k]->setButtonSymbols(QAbstractSpinBox::NoButtons);
        m_box[k]->setSuffix({});
        m_box[k]->setMinimumWidth(least);
        row->addWidget(m_box[k], 1);
        connect(m_box[k], &QDoubleSpinBox::valueChanged, this, [this, k](double v) {
            Q_EMIT changed(
                tr("Change the velocity of a region"),
                [k, v](Region& r) {
                    if (r.velocity_m_per_s)
                        (*r.velocity_m_per_s).*along[k] = v;
                },
                true);
        });
    }
    m_on->setCheckable(true);
    row->addWidget(m_on);
    connect(m_on, &QToolButton::clicked, this, &VelocityRow::tune);
}

void VelocityRow::tune(bool on)
{
    Q_EMIT changed(
        on ? tr("Tune a region to a velocity") : tr("Keep the conductivities of a region"),
        [on, found = m_found](Region& r) {
            if (!on && r.velocity_m_per_s && found)
                r.conductivity_S_per_m = *found;
            r.velocity_m_per_s = on ? std::optional(usualVelocity(r)) : std::nullopt;
        },
        false);
}

void VelocityRow::fill(const Region& r, const std::optional<diffusion::Conductivity>& found)
{
    m_found = found;
    const bool can = !r.inherits() && !r.insulating;
    const bool on = can && r.velocity_m_per_s.has_value();
    const QSignalBlocker quiet(m_on);
    m_on->setEnabled(can);
    m_on->setChecked(on);
    for (std::size_t k = 0; k < m_box.size(); ++k) {
        m_box[k]->setEnabled(on);
        m_box[k]->setSpecialValueText(on ? QString() : QStringLiteral("–"));
        m_box[k]->put(on ? (*r.velocity_m_per_s).*along[k] : m_box[k]->minimum());
    }
}

} // namespace tawara
