// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/brush_card.hpp"

#include "engine/simulation/session/presets.hpp"
#include "widgets/panels/form.hpp"
#include "widgets/panels/region_place.hpp"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace tawara {
namespace {

constexpr double usual_radius_mm = 6;
// what an entry stands for: a region by its number, a preset or tissue with its own cells below it
constexpr int own_cells = -1, first_preset = -2;

} // namespace

BrushCard::BrushCard(QWidget* parent) : QFrame(parent)
{
    setObjectName("brushCard");
    setAttribute(Qt::WA_StyledBackground);
    m_what = new ChoiceBox;
    m_what->setObjectName("brushWhat");
    m_what->setToolTip(tr("What a stroke on the heart makes of the tissue"));
    m_what->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_radius = new NumberBox("brushRadius", tr("mm"), {0.5, 50, 1, 1}, tr("Radius of the brush"));
    m_radius->put(usual_radius_mm);
    m_depth =
        new NumberBox("brushDepth", tr("mm"), {0, 50, 1, 1},
                      tr("How deep below the surface it paints, along the wall's normal; 0: "
                         "as deep as its radius. It grows narrower with depth, as half an "
                         "ellipsoid: one and a half times the wall's thickness paints through it"));
    m_depth->setSpecialValueText(tr("as the radius"));
    m_hint = hintLabel({});
    auto* done = new QPushButton(tr("Done"));
    done->setObjectName("brushDone");
    done->setToolTip(tr("Lay the brush down: clicks stimulate again (S)"));
    auto* form = new QFormLayout;
    form->setVerticalSpacing(5);
    form->addRow(tr("Paint"), m_what);
    auto* size = new QHBoxLayout;
    size->addWidget(m_radius, 1);
    size->addWidget(done);
    form->addRow(tr("Radius"), size);
    form->addRow(tr("Depth"), m_depth);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(10, 8, 10, 8);
    column->addWidget(groupLabel(tr("Brush")));
    column->addLayout(form);
    column->addWidget(m_hint);
    connect(m_what, &QComboBox::activated, this, [this] {
        explain();
        if (const auto r = region())
            Q_EMIT regionChosen(*r);
    });
    connect(m_radius, &QDoubleSpinBox::valueChanged, this, &BrushCard::radiusChanged);
    for (auto* b : {m_radius, m_depth})
        connect(b, &QDoubleSpinBox::valueChanged, this, &BrushCard::explain);
    connect(done, &QPushButton::clicked, this, &BrushCard::doneRequested);
    fill();
}

void BrushCard::setRegions(const std::vector<simulation::Region>& regions)
{
    m_regions = regions;
    fill();
}

void BrushCard::fill()
{
    const bool before = m_what->count() > 0;
    const int chosen = before ? m_what->currentData().toInt() : first_preset;
    m_what->clear();
    for (std::size_t i = 0; i < m_regions.size(); ++i)
        if (placeKind(m_regions[i]) == PlaceKind::painted)
            m_what->addItem(regionIcon(i), regionTitle(m_regions[i]), static_cast<int>(i));
    if (m_what->count() > 0)
        m_what->insertSeparator(m_what->count());
    const auto add = [this](const QString& text, const QString& tip, int entry) {
        m_what->addItem(regionIcon(m_regions.size()), text, entry);
        m_what->setItemData(m_what->count() - 1, tip, Qt::ToolTipRole);
    };
    int k = first_preset;
    for (const auto& p : simulation::tissue_presets())
        add(tr("New: %1").arg(QString::fromStdString(p.name)),
            QString::fromStdString(p.description + "\n" + p.source), k--);
    add(tr("New: tissue with its own cells"),
        tr("Cells and conductivities of its own, as the "
           "first region has them at first"),
        own_cells);
    const int at = m_what->findData(chosen);
    m_what->setCurrentIndex(at >= 0 ? at : m_what->findData(first_preset));
    explain();
}

void BrushCard::choose(int region)
{
    if (const int at = region < 0 ? -1 : m_what->findData(region); at >= 0) {
        m_what->setCurrentIndex(at);
        explain();
    }
}

std::optional<int> BrushCard::region() const
{
    const int entry = m_what->currentData().toInt();
    return entry >= 0 ? std::optional(entry) : std::nullopt;
}

simulation::Region BrushCard::fresh() const
{
    simulation::Region r;
    const int entry = m_what->currentData().toInt();
    if (entry == own_cells) {
        if (!m_regions.empty())
            r = m_regions.front();
        r.kind.clear();
        r.name = tr("Region %1").arg(m_regions.size() + 1).toStdString();
    } else if (entry <= first_preset) {
        r = simulation::fitted(
            simulation::tissue_presets()[static_cast<std::size_t>(first_preset - entry)].region,
            m_fibres);
    }
    r.where = simulation::Tetrahedra{};
    return r;
}

double BrushCard::radius() const
{
    return m_radius->value();
}

double BrushCard::depth() const
{
    return m_depth->value() > 0 ? m_depth->value() : radius();
}

void BrushCard::explain()
{
    const QString deep = tr(" It reaches %1 mm below the surface.").arg(depth());
    m_hint->setText((region() ? tr("Drag on the heart: it is added there. Alt and drag rubs out.")
                              : tr("Drag on the heart: the first stroke makes the region.")) +
                    deep);
}

} // namespace tawara
