// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/place_card.hpp"

#include "widgets/panels/field_note.hpp"
#include "widgets/panels/key_box.hpp"
#include "widgets/panels/region_place.hpp"

#include <QFormLayout>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

namespace tawara {

using simulation::Region;

PlaceCard::PlaceCard(QWidget* parent) : QWidget(parent)
{
    auto* column = new QVBoxLayout(this); // what wraps stays out of a form with hidden rows
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(5);
    auto* form = new QFormLayout;
    form->setVerticalSpacing(5);
    form->addRow(groupLabel(tr("Where")));
    m_kind = new ChoiceBox;
    m_kind->setObjectName("regionPlace");
    m_kind->addItems(placeKindNames());
    m_where = new QLineEdit;
    m_where->setObjectName("regionWhere");
    m_whereLabel = new QLabel;
    m_layer = new QComboBox;
    m_layer->setObjectName("regionLayer");
    m_layer->addItems({tr("Endocardium"), tr("Mid-myocardium"), tr("Epicardium")});
    m_centre = smallButton("site", tr("Place"), "regionCentre",
                           tr("The next click on the wall is the middle of the region"));
    m_radius = keyBox("regionRadius", "/tissue/regions/#/where/sphere_mm/radius");
    m_paint = smallButton("paint", tr("Paint (B)"), "regionPaint",
                          tr("Paint on the heart; Alt rubs out (B)"));
    m_erase = smallButton({}, tr("Clear"), "regionClear", tr("Nothing is painted any more"));
    m_painted = hintLabel({});
    auto* painting = new QHBoxLayout;
    painting->addWidget(m_paint);
    painting->addWidget(m_erase);
    painting->addStretch(1);
    // not in the column of the labels, which the button would widen
    auto* placing = new QHBoxLayout;
    placing->addWidget(m_centre);
    placing->addWidget(m_radius, 1);
    form->addRow(tr("By"), m_kind);
    form->addRow(m_whereLabel, m_where);
    form->addRow(m_layer);
    form->addRow(placing);
    form->addRow(buildBox());
    form->addRow(painting);
    column->addLayout(form);
    column->addWidget(m_painted);
    connectFields();
}

void PlaceCard::connectFields()
{
    connect(m_kind, &QComboBox::activated, this, &PlaceCard::kindChosen);
    connect(m_where, &QLineEdit::editingFinished, this, &PlaceCard::textEdited);
    connect(m_layer, &QComboBox::activated, this, [this](int k) {
        change(tr("Change the layer of a region"), [k](Region& r) {
            r.where = simulation::Layer{static_cast<simulation::Layer::Kind>(k)};
        });
    });
    connect(m_radius, &QDoubleSpinBox::valueChanged, this, [this](double v) {
        change(tr("Change the radius of a region"), [v](Region& r) {
            if (r.where)
                if (auto* ball = std::get_if<simulation::Sphere>(&*r.where))
                    ball->radius = v;
        });
    });
    connect(m_centre, &QToolButton::clicked, this, &PlaceCard::placeRequested);
    connect(m_paint, &QToolButton::clicked, this, &PlaceCard::paintRequested);
    connect(m_erase, &QToolButton::clicked, this, [this] {
        change(
            tr("Clear what is painted"), [](Region& r) { r.where = simulation::Tetrahedra{}; },
            false);
    });
}

QWidget* PlaceCard::buildBox()
{
    m_boxRows = new QWidget;
    auto* grid = new QGridLayout(m_boxRows);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(4);
    grid->setVerticalSpacing(4);
    const std::array axes{tr("x [mm]"), tr("y [mm]"), tr("z [mm]")};
    const std::array names{"X", "Y", "Z"};
    for (std::size_t axis = 0; axis < 3; ++axis)
        grid->addWidget(hintLabel(axes[axis]), 0, static_cast<int>(axis) + 1, Qt::AlignRight);
    for (std::size_t k = 0; k < m_box.size(); ++k) {
        const bool low = k < 3;
        const int row = low ? 1 : 2, column = static_cast<int>(k % 3) + 1;
        if (k % 3 == 0)
            grid->addWidget(new QLabel(low ? tr("From") : tr("To")), row, 0);
        auto* b = keyBox(QLatin1String(low ? "boxFrom" : "boxTo") + QLatin1String(names[k % 3]),
                         "/tissue/regions/#/where/box_mm",
                         low ? tr("Where the box begins") : tr("Where it ends"));
        b->makeNarrow();
        grid->addWidget(b, row, column);
        connect(b, &QDoubleSpinBox::valueChanged, this, [this, k](double v) { boxEdited(k, v); });
        m_box[k] = b;
    }
    return m_boxRows;
}

void PlaceCard::change(const QString& what, const std::function<void(Region&)>& f, bool together)
{
    if (!m_filling)
        Q_EMIT changed(what, f, together);
}

void PlaceCard::kindChosen(int kind)
{
    change(
        tr("Change the place of a region"),
        [kind, start = m_start](Region& r) {
            setPlaceKind(r, static_cast<PlaceKind>(kind), start);
        },
        false);
}

void PlaceCard::textEdited()
{
    QString bad;
    const std::vector<int> numbers = numbersOf(m_where->text(), &bad);
    if (!bad.isEmpty()) { // what was given before stays
        m_where->setText(m_region ? textOf(placeNumbers(*m_region)) : QString());
        return noteAt(m_where,
                      tr("“%1” cannot be taken (numbers, e.g. 1-6, 7): still %2")
                          .arg(bad, m_where->text().isEmpty() ? tr("none") : m_where->text()));
    }
    change(tr("Change the place of a region"),
           [numbers](Region& r) { setPlaceNumbers(r, numbers); });
}

void PlaceCard::boxEdited(std::size_t k, double mm)
{
    if (m_filling || !m_region)
        return;
    const auto& where = m_region->where;
    const auto* box = where ? std::get_if<simulation::Box>(&*where) : nullptr;
    if (box == nullptr)
        return;
    const std::size_t axis = k % 3;
    const bool low = k < 3;
    if (low ? mm >= box->high[axis] : mm <= box->low[axis]) { // what was given before stays
        const double before = low ? box->low[axis] : box->high[axis];
        m_box[k]->put(before);
        return noteAt(m_box[k], tr("%1 cannot be taken (From lies below To): still %2")
                                    .arg(spacedNumber(mm), spacedNumber(before)));
    }
    change(tr("Change the box of a region"), [axis, low, mm](Region& r) {
        if (r.where)
            if (auto* b = std::get_if<simulation::Box>(&*r.where))
                (low ? b->low : b->high)[axis] = mm;
    });
}

void PlaceCard::setRegion(const Region& r)
{
    m_region = r;
    m_filling = true;
    fill(r);
    m_filling = false;
}

void PlaceCard::fill(const Region& r)
{
    const PlaceKind kind = placeKind(r);
    m_kind->setCurrentIndex(static_cast<int>(kind));
    const bool numbers = kind == PlaceKind::labels || kind == PlaceKind::segments;
    m_where->setVisible(numbers);
    m_whereLabel->setVisible(numbers);
    m_whereLabel->setText(kind == PlaceKind::segments ? tr("Segments") : tr("Labels"));
    m_where->setToolTip(kind == PlaceKind::segments ? tr("AHA segments 1 to 17, e.g. 1-6, 7")
                                                    : tr("Labels of the mesh, e.g. 1, 4, 7"));
    if (!m_where->hasFocus())
        m_where->setText(textOf(placeNumbers(r)));
    m_layer->setVisible(kind == PlaceKind::layer);
    m_centre->setVisible(kind == PlaceKind::ball || kind == PlaceKind::box);
    m_boxRows->setVisible(kind == PlaceKind::box);
    m_radius->setVisible(kind == PlaceKind::ball);
    for (QWidget* w : std::initializer_list<QWidget*>{m_paint, m_erase, m_painted})
        w->setVisible(kind == PlaceKind::painted);
    if (!r.where)
        return;
    if (const auto* ball = std::get_if<simulation::Sphere>(&*r.where))
        m_radius->put(ball->radius);
    if (const auto* box = std::get_if<simulation::Box>(&*r.where))
        for (std::size_t k = 0; k < m_box.size(); ++k)
            m_box[k]->put(k < 3 ? box->low[k] : box->high[k - 3]);
    if (const auto* l = std::get_if<simulation::Layer>(&*r.where))
        m_layer->setCurrentIndex(static_cast<int>(l->kind));
    if (const auto* t = std::get_if<simulation::Tetrahedra>(&*r.where))
        m_painted->setText(t->tetrahedra.empty()
                               ? tr("Nothing is painted yet: choose Paint and draw on the heart.")
                               : tr("%1 tetrahedra are painted.").arg(t->tetrahedra.size()));
}

} // namespace tawara
