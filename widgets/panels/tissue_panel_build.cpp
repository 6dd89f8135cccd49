// SPDX-License-Identifier: GPL-3.0-or-later
// What the panel is built of.
#include "widgets/panels/brush_card.hpp"
#include "widgets/panels/cell_editor.hpp"
#include "widgets/panels/drug_editor.hpp"
#include "widgets/panels/field_note.hpp"
#include "widgets/panels/key_box.hpp"
#include "widgets/panels/region_place.hpp"
#include "widgets/panels/tissue_panel.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTableWidget>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace tawara {
using simulation::Region;
using simulation::Session;

namespace {

/// As three of them stand in a row: without buttons and unit.
void makeNarrow(NumberBox& b)
{
    constexpr int least = 52;
    b.setButtonSymbols(QAbstractSpinBox::NoButtons);
    b.setSuffix({});
    b.setMinimumWidth(least);
}

} // namespace

QToolButton* TissuePanel::buildAdd()
{
    auto* add = smallButton({}, tr("Add"), "addRegion", tr("Another region, on top of the others"));
    add->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(add);
    add->setMenu(menu);
    menu->addAction(tr("Healthy, with its own cells"), this, [this] {
        Region r;
        if (!m_regions.empty())
            r = m_regions.front();
        r.kind.clear();
        r.where = simulation::Tetrahedra{};
        r.name = tr("Region %1").arg(m_regions.size() + 1).toStdString();
        addRegion(r);
    });
    menu->addSeparator();
    for (const auto& p : simulation::tissue_presets()) {
        auto* a = menu->addAction(QString::fromStdString(p.name), this, [this, preset = p.region] {
            auto r = simulation::fitted(preset, m_fibres);
            r.where = simulation::Tetrahedra{};
            addRegion(r);
        });
        a->setToolTip(QString::fromStdString(p.description + "\n" + p.source));
    }
    menu->setToolTipsVisible(true);
    return add;
}

QWidget* TissuePanel::buildRegions()
{
    auto* add = buildAdd();
    auto* remove = smallButton("close", {}, "removeRegion", tr("Remove the chosen region"));
    auto* up = smallButton({}, QStringLiteral("↑"), "regionUp", tr("Below the region before it"));
    auto* down =
        smallButton({}, QStringLiteral("↓"), "regionDown", tr("On top of the region after it"));
    auto* row = new QHBoxLayout;
    row->addWidget(add);
    row->addStretch(1);
    row->addWidget(up);
    row->addWidget(down);
    row->addWidget(remove);
    m_list = new QTreeWidget;
    m_list->setObjectName("regions");
    m_list->setHeaderLabels({tr("Region"), tr("Where")});
    m_list->setRootIsDecorated(false);
    m_list->setTextElideMode(Qt::ElideMiddle); // names differ at their ends
    m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(1, QHeaderView::Stretch);
    m_list->header()->setStretchLastSection(false);
    m_list->setToolTip(tr("The last region that holds a place wins there"));
    m_name = new QLineEdit;
    m_name->setObjectName("regionName");
    m_details = new QWidget;
    auto* details = new QVBoxLayout(m_details);
    details->setContentsMargins(0, 0, 0, 0);
    auto* form = new QFormLayout;
    form->addRow(tr("Name"), m_name);
    details->addLayout(form);
    details->addWidget(buildPlace());
    details->addWidget(buildCells(), 1);

    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(10, 8, 10, 8);
    m_brush = new BrushCard;
    connect(m_brush, &BrushCard::regionChosen, this, &TissuePanel::choose);
    column->addWidget(m_brush);
    column->addLayout(row);
    column->addWidget(m_list);
    column->addWidget(m_details, 1); // its table of parameters takes what is left
    column->addStretch(0);
    connectRegions(remove, up, down);
    return content;
}

void TissuePanel::connectRegions(QToolButton* remove, QToolButton* up, QToolButton* down)
{
    connect(remove, &QToolButton::clicked, this, [this] {
        const int i = chosen();
        if (i >= 0 && m_regions.size() > 1)
            Q_EMIT edited(tr("Remove a region"),
                          [i](Session& s) { s.regions.erase(s.regions.begin() + i); }, {});
    });
    const auto move = [this](int by) {
        const int i = chosen(), j = i + by;
        if (i < 0 || j < 0 || j >= static_cast<int>(m_regions.size()))
            return;
        Q_EMIT edited(tr("Change the order of regions"),
                      [i, j](Session& s) {
                          std::swap(s.regions.at(static_cast<std::size_t>(i)),
                                    s.regions.at(static_cast<std::size_t>(j)));
                      },
                      {});
        choose(j);
    };
    connect(up, &QToolButton::clicked, this, [move] { move(-1); });
    connect(down, &QToolButton::clicked, this, [move] { move(1); });
    connect(m_list, &QTreeWidget::currentItemChanged, this, [this] {
        if (m_filling)
            return;
        fillDetails();
        m_brush->choose(chosen());
        Q_EMIT chosenChanged(chosen());
    });
    connect(m_name, &QLineEdit::editingFinished, this, [this] {
        change(tr("Rename a region"),
               [t = m_name->text().toStdString()](Region& r) { r.name = t; });
    });
}

QWidget* TissuePanel::buildPlace()
{
    auto* w = new QWidget;
    auto* column = new QVBoxLayout(w); // what wraps stays out of a form with hidden rows
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(5);
    auto* form = new QFormLayout;
    form->setVerticalSpacing(5);
    form->addRow(groupLabel(tr("Where")));
    m_placeKind = new ChoiceBox;
    m_placeKind->setObjectName("regionPlace");
    m_placeKind->addItems(placeKindNames());
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
    form->addRow(tr("By"), m_placeKind);
    form->addRow(m_whereLabel, m_where);
    form->addRow(m_layer);
    form->addRow(placing);
    form->addRow(buildBox());
    form->addRow(painting);
    column->addLayout(form);
    column->addWidget(m_painted);
    connect(m_placeKind, &QComboBox::activated, this, &TissuePanel::placeKindChosen);
    connect(m_where, &QLineEdit::editingFinished, this, &TissuePanel::placeTextEdited);
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
    connect(m_centre, &QToolButton::clicked, this, [this] { Q_EMIT placeRequested(chosen()); });
    connect(m_paint, &QToolButton::clicked, this, [this] { Q_EMIT paintRequested(chosen()); });
    connect(m_erase, &QToolButton::clicked, this, [this] {
        change(
            tr("Clear what is painted"), [](Region& r) { r.where = simulation::Tetrahedra{}; },
            false);
    });
    return w;
}

QWidget* TissuePanel::buildBox()
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
        makeNarrow(*b);
        grid->addWidget(b, row, column);
        connect(b, &QDoubleSpinBox::valueChanged, this, [this, k](double v) { boxEdited(k, v); });
        m_box[k] = b;
    }
    return m_boxRows;
}

QHBoxLayout* TissuePanel::buildScale()
{
    const std::array names{"sigmaScale", "sigmaScaleSheet", "sigmaScaleNormal"};
    const std::array directions{"fibre", "sheet", "normal"};
    auto* row = new QHBoxLayout;
    for (std::size_t k = 0; k < m_scale.size(); ++k) {
        m_scale[k] = keyBox(QLatin1String(names[k]),
                            std::string("/tissue/regions/#/conductivity_scale/") + directions[k]);
        makeNarrow(*m_scale[k]);
        row->addWidget(m_scale[k], 1);
        connect(m_scale[k], &QDoubleSpinBox::valueChanged, this, [this, k](double v) {
            change(tr("Change the conductivity of a region"),
                   [k, v, even = m_even->isChecked()](Region& r) {
                       auto& s = r.conductivity_scale;
                       if (even)
                           s = v;
                       else
                           (k == 0 ? s.fibre : k == 1 ? s.sheet : s.normal) = v;
                   });
        });
    }
    m_even = smallButton("link", {}, "sigmaEven",
                         tr("One factor for all three directions; off: each its own"));
    m_even->setCheckable(true);
    row->addWidget(m_even);
    connect(m_even, &QToolButton::clicked, this, [this](bool even) {
        if (even)
            change(
                tr("Change the conductivity of a region"),
                [](Region& r) { r.conductivity_scale = r.conductivity_scale.fibre; }, false);
    });
    return row;
}

QWidget* TissuePanel::buildCells()
{
    auto* w = new QWidget;
    auto* column = new QVBoxLayout(w);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(5);
    auto* form = new QFormLayout;
    form->setVerticalSpacing(5);
    form->addRow(groupLabel(tr("Cells")));
    m_model = new ChoiceBox;
    m_model->setObjectName("regionModel");
    m_model->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_variant = new ChoiceBox;
    m_variant->setObjectName("regionVariant");
    m_source = hintLabel({});
    m_fibre = keyBox("sigmaFibre", "/tissue/regions/#/conductivity_S_per_m/fibre");
    m_sheet = keyBox("sigmaSheet", "/tissue/regions/#/conductivity_S_per_m/sheet");
    m_normal = keyBox("sigmaNormal", "/tissue/regions/#/conductivity_S_per_m/normal");
    for (auto* b : {m_fibre, m_sheet, m_normal})
        makeNarrow(*b);
    m_insulating = new QCheckBox(tr("Insulating: no cells, no current"));
    m_insulating->setObjectName("insulating");
    m_insulating->setToolTip(tr("Scar, fat or a valve's ring: waves go around it"));
    auto* sigma = new QHBoxLayout;
    sigma->addWidget(m_fibre);
    sigma->addWidget(m_sheet);
    sigma->addWidget(m_normal);
    m_stepAdvice = hintLabel({});
    m_stepAdvice->setObjectName("stepAdvice");
    m_stepAdvice->setTextFormat(Qt::RichText);
    m_velocity = hintLabel({});
    m_velocity->setObjectName("velocity");
    m_velocity->setTextFormat(Qt::RichText);
    m_filter = new QLineEdit;
    m_filter->setObjectName("parameterFilter");
    m_filter->setPlaceholderText(tr("Find a parameter, e.g. g_Kr"));
    m_filter->setClearButtonEnabled(true);
    m_parameters = new QTableWidget(0, 3);
    m_parameters->setObjectName("parameters");
    m_parameters->setHorizontalHeaderLabels({tr("Parameter"), tr("Value"), tr("Default")});
    coverCells(m_parameters);
    m_parameters->verticalHeader()->hide();
    m_parameters->verticalHeader()->setDefaultSectionSize(24);
    m_parameters->setMinimumHeight(190);
    m_parameters->horizontalHeader()->setSectionResizeMode(name_column, QHeaderView::Stretch);
    m_parameters->horizontalHeader()->setMinimumSectionSize(64); // values stay readable
    m_parameters->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    form->addRow(tr("Model"), m_model);
    form->addRow(tr("Variant"), m_variant);
    form->addRow(m_source);
    form->addRow(m_stepAdvice);
    form->addRow(tr("σ [S/m]"), sigma);
    form->addRow(tr("× f, s, n"), buildScale());
    form->addRow(m_insulating);
    column->addLayout(form);
    column->addWidget(m_velocity);
    column->addWidget(groupLabel(tr("Parameters")));
    column->addWidget(m_filter);
    column->addWidget(m_parameters, 1);
    connectCells();
    connectParameters();
    return w;
}

void TissuePanel::connectCells()
{
    connect(m_model, &QComboBox::activated, this, [this](int i) {
        if (i == m_model->count() - 1) { // what is chosen comes later, or never
            fillDetails();
            Q_EMIT modelFileRequested(chosen());
            return;
        }
        setModel(chosen(), m_model->itemData(i).toString().toStdString());
    });
    connect(m_variant, &QComboBox::activated, this, [this](int i) {
        const std::string name = m_variant->itemData(i).toString().toStdString();
        change(
            tr("Change the cell variant of a region"), [name](Region& r) { r.variant = name; },
            false);
    });
    const auto sigmaChanged = [this](NumberBox* b, auto set) {
        connect(b, &QDoubleSpinBox::valueChanged, this, [this, set](double v) {
            change(tr("Change the conductivity of a region"), [set, v](Region& r) { set(r, v); });
        });
    };
    sigmaChanged(m_fibre, [](Region& r, double v) { r.conductivity_S_per_m.fibre = v; });
    sigmaChanged(m_sheet, [](Region& r, double v) { r.conductivity_S_per_m.sheet = v; });
    sigmaChanged(m_normal, [](Region& r, double v) { r.conductivity_S_per_m.normal = v; });
    connect(m_insulating, &QCheckBox::toggled, this, [this](bool on) {
        change(on ? tr("Make a region insulating") : tr("Let a region conduct"),
               [on](Region& r) { r.insulating = on; }, false);
    });
}

QString TissuePanel::nameIn(int row) const
{
    return m_parameters->item(row, name_column)->data(Qt::UserRole).toString();
}

void TissuePanel::connectParameters()
{
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& t) {
        for (int row = 0; row < m_parameters->rowCount(); ++row)
            m_parameters->setRowHidden(row, !nameIn(row).contains(t, Qt::CaseInsensitive));
    });
    connect(m_parameters, &QTableWidget::itemChanged, this, [this](QTableWidgetItem* item) {
        if (m_filling || item->column() != value_column)
            return;
        m_shown = {}; // the table says what was typed
        const std::string name = nameIn(item->row()).toStdString();
        const bool value = m_parameters->item(item->row(), name_column)->data(value_role).toBool();
        bool ok = false;
        const double v = item->text().toDouble(&ok);
        const bool clear = item->text().trimmed().isEmpty();
        const auto refuse = [&](const QString& why) {
            const QRect at =
                m_parameters->visualItemRect(item).translated(m_parameters->viewport()->pos());
            fillDetails();
            noteAt(m_parameters, why, at);
        };
        if (!ok && !clear)
            return refuse(tr("“%1” cannot be taken: a number, or nothing for the model's own value")
                              .arg(item->text().trimmed()));
        const int i = chosen();
        if (ok && v < 0 && !value && i >= 0 && m_regions[static_cast<std::size_t>(i)].inherits())
            return refuse(tr("%1 cannot be taken: a factor below 0 would turn the current round")
                              .arg(spacedNumber(v)));
        noteAt(m_parameters, {});
        change(tr("Change parameter %1").arg(QString::fromStdString(name)),
               [name, v, clear, value](Region& r) {
                   const bool factor = r.inherits() && !value;
                   auto& list = factor ? r.scale : r.parameters;
                   std::erase_if(list, [&](const auto& p) { return p.first == name; });
                   if (!clear && !(factor && v == 1))
                       list.emplace_back(name, v);
               });
    });
}

} // namespace tawara
