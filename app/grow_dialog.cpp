// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/grow_dialog.hpp"

#include "engine/simulation/session/session_keys.hpp"
#include "widgets/panels/form.hpp"
#include "widgets/panels/key_box.hpp"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include <cmath>

namespace tawara {

using cable::GrowthParameters;

namespace {

constexpr const char* place = "/purkinje/grow/";

} // namespace

GrowDialog::GrowDialog(const GrowthParameters& start, QWidget* parent)
    : QDialog(parent), m_start(start)
{
    setObjectName("growDialog");
    setWindowTitle(tr("Grow a Purkinje network"));
    auto* columns = new QHBoxLayout;
    columns->setSpacing(24);
    QFormLayout* form = nullptr;
    const auto group = [&](const QString& title) {
        auto* column = new QVBoxLayout;
        form = new QFormLayout;
        column->addWidget(groupLabel(title));
        column->addLayout(form);
        column->addStretch(1);
        columns->addLayout(column, 1);
    };
    const auto add = [&](const char* name, const QString& label, auto member) {
        auto* box = keyBox(QLatin1String(name), std::string(place) + name);
        form->addRow(label, box);
        m_fields.push_back(
            {box, [member](const GrowthParameters& p) { return static_cast<double>(p.*member); },
             [member](GrowthParameters& p, double v) {
                 using T = std::remove_reference_t<decltype(p.*member)>;
                 if constexpr (std::is_integral_v<T>)
                     p.*member = static_cast<T>(std::llround(v));
                 else
                     p.*member = v;
             }});
    };
    using P = GrowthParameters;
    group(tr("Bundles and fascicles"));
    add("his_mm", tr("Bundle of His"), &P::his_mm);
    add("left_bundle_mm", tr("Left bundle"), &P::left_bundle_mm);
    add("fascicle_mm", tr("Anterior and posterior fascicle"), &P::fascicle_mm);
    add("fascicle_angle_deg", tr("Angle of both"), &P::fascicle_angle_deg);
    add("septal_fascicle_mm", tr("Septal fascicle"), &P::septal_fascicle_mm);
    add("right_bundle", tr("Right bundle, of the way down"), &P::right_bundle);
    m_band = new QCheckBox(tr("Moderator band"));
    m_band->setObjectName("moderator_band");
    m_band->setToolTip(tr("A band crosses the right cavity to the free wall"));
    form->addRow(QString(), m_band);
    group(tr("Branches"));
    add("seed", tr("Seed of chance"), &P::seed);
    add("branch_mm", tr("Length"), &P::branch_mm);
    add("branch_spread_mm", tr("Spread of the length"), &P::branch_spread_mm);
    add("segment_mm", tr("Segment"), &P::segment_mm);
    add("angle_deg", tr("Angle"), &P::angle_deg);
    add("repulsion", tr("Repulsion"), &P::repulsion);
    add("clearance_mm", tr("Clearance"), &P::clearance_mm);
    add("generations", tr("Generations"), &P::generations);
    add("base_margin_mm", tr("Margin at the base"), &P::base_margin_mm);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel |
                                         QDialogButtonBox::RestoreDefaults);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("Grow"));
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, this,
            [this] { show_({}); });
    auto* all = new QVBoxLayout(this);
    all->addLayout(columns);
    all->addWidget(hintLabel(
        tr("The network grows on the endocardia while the run goes on, and is at rest when it is "
           "there. The same seed gives the same tree.")));
    all->addWidget(buttons);
    show_(start);
}

void GrowDialog::show_(const GrowthParameters& p)
{
    m_start = p;
    for (auto& f : m_fields) {
        f.box->put(f.get(p));
        f.shown = f.box->value();
    }
    m_band->setChecked(p.moderator_band);
}

GrowthParameters GrowDialog::parameters() const
{
    auto p = m_start;
    for (const auto& f : m_fields)
        if (f.box->value() != f.shown)
            f.set(p, f.box->value());
    p.moderator_band = m_band->isChecked();
    return p;
}

} // namespace tawara
