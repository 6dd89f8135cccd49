// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/tissue_panel.hpp"

#include "widgets/panels/drug_editor.hpp"
#include "widgets/panels/region_place.hpp"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QTabWidget>
#include <QTableWidget>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {

using simulation::Region;
using simulation::Session;

constexpr qsizetype source_shown = 110; // characters; the rest is in the tool tip

enum ParameterColumn { name_column, value_column, unit_column, default_column };

/// The value that a region gives a parameter, if it gives one.
const double* given(const Region& r, const std::string& name)
{
    for (const auto& [n, v] : r.parameters)
        if (n == name)
            return &v;
    return nullptr;
}

double variantValue(const cell::ModelInfo& m, const std::string& variant,
                    const cell::ParameterInfo& p)
{
    for (const auto& v : m.variants)
        if (v.name == variant)
            for (const auto& [n, x] : v.parameters)
                if (n == p.name)
                    return x;
    return p.value;
}

} // namespace

TissuePanel::TissuePanel(QWidget* parent) : QWidget(parent)
{
    m_tabs = new QTabWidget;
    m_tabs->setObjectName("tissueTabs");
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(scrolled(buildRegions()), tr("Regions"));
    m_drugs = new DrugEditor;
    m_tabs->addTab(scrolled(m_drugs), tr("Drugs"));
    connect(m_drugs, &DrugEditor::edited, this, &TissuePanel::edited);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_tabs);
    setSession({});
}

QWidget* TissuePanel::buildRegions()
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
        auto* a =
            menu->addAction(QString::fromStdString(p.name), this, [this, r = p.region]() mutable {
                r.where = simulation::Tetrahedra{};
                addRegion(r);
            });
        a->setToolTip(QString::fromStdString(p.description + "\n" + p.source));
    }
    menu->setToolTipsVisible(true);
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
    m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
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
    details->addWidget(buildCells());

    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(10, 8, 10, 8);
    column->addLayout(row);
    column->addWidget(m_list);
    column->addWidget(m_details);
    column->addStretch(1);

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
        Q_EMIT edited(tr("Order of regions"),
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
        Q_EMIT chosenChanged(chosen());
    });
    connect(m_name, &QLineEdit::editingFinished, this, [this] {
        change(tr("Rename a region"),
               [t = m_name->text().toStdString()](Region& r) { r.name = t; });
    });
    return content;
}

QWidget* TissuePanel::buildPlace()
{
    auto* w = new QWidget;
    auto* form = new QFormLayout(w);
    form->setContentsMargins(0, 0, 0, 0);
    form->setVerticalSpacing(5);
    form->addRow(groupLabel(tr("Where")));
    m_placeKind = new QComboBox;
    m_placeKind->setObjectName("regionPlace");
    m_placeKind->addItems(placeKindNames());
    m_where = new QLineEdit;
    m_where->setObjectName("regionWhere");
    m_whereLabel = new QLabel;
    m_layer = new QComboBox;
    m_layer->setObjectName("regionLayer");
    m_layer->addItems({tr("Endocardium"), tr("Mid-myocardium"), tr("Epicardium")});
    m_centre = smallButton("site", tr("Click on the heart"), "regionCentre",
                           tr("The next click on the wall is the middle of the region"));
    m_radius = new NumberBox("regionRadius", tr("mm"), {0.5, 100, 1, 1}, tr("Radius of the ball"));
    m_paint = smallButton("paint", tr("Paint (B)"), "regionPaint",
                          tr("Paint on the heart; Alt rubs out (B)"));
    m_erase = smallButton({}, tr("Clear"), "regionClear", tr("Nothing is painted any more"));
    m_brush = new NumberBox("brushRadius", tr("mm"), {0.5, 50, 1, 1}, tr("Radius of the brush"));
    m_brush->put(6);
    m_painted = hintLabel({});
    auto* painting = new QHBoxLayout;
    painting->addWidget(m_paint);
    painting->addWidget(m_erase);
    painting->addWidget(m_brush, 1);
    form->addRow(tr("By"), m_placeKind);
    form->addRow(m_whereLabel, m_where);
    form->addRow(m_layer);
    form->addRow(m_centre, m_radius);
    form->addRow(painting);
    form->addRow(m_painted);
    connect(m_placeKind, &QComboBox::activated, this, &TissuePanel::placeKindChosen);
    connect(m_where, &QLineEdit::editingFinished, this, &TissuePanel::placeTextEdited);
    connect(m_layer, &QComboBox::activated, this, [this](int k) {
        change(tr("Layer of a region"), [k](Region& r) {
            r.where = simulation::Layer{static_cast<simulation::Layer::Kind>(k)};
        });
    });
    connect(m_radius, &QDoubleSpinBox::valueChanged, this, [this](double v) {
        change(tr("Radius of a region"), [v](Region& r) {
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
    connect(m_brush, &QDoubleSpinBox::valueChanged, this, &TissuePanel::brushChanged);
    return w;
}

QWidget* TissuePanel::buildCells()
{
    auto* w = new QWidget;
    auto* form = new QFormLayout(w);
    form->setContentsMargins(0, 0, 0, 0);
    form->setVerticalSpacing(5);
    form->addRow(groupLabel(tr("Cells")));
    m_model = new QComboBox;
    m_model->setObjectName("regionModel");
    m_model->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_variant = new QComboBox;
    m_variant->setObjectName("regionVariant");
    m_source = hintLabel({});
    const auto conductivity = [](const char* name, const QString& tip) {
        return new NumberBox(QLatin1String(name), {}, {0.0001, 10, 0.01, 4}, tip);
    };
    m_fibre = conductivity("sigmaFibre", tr("Conductivity along the fibres [S/m]"));
    m_sheet =
        conductivity("sigmaSheet", tr("Conductivity across the fibres within the sheet [S/m]"));
    m_normal = conductivity("sigmaNormal", tr("Conductivity across the sheets [S/m]"));
    m_scale = new NumberBox("sigmaScale", {}, {0.001, 10, 0.05, 3},
                            tr("Factor on the conductivities: below 1 slows conduction"));
    auto* sigma = new QHBoxLayout;
    sigma->addWidget(m_fibre);
    sigma->addWidget(m_sheet);
    sigma->addWidget(m_normal);
    m_velocity = hintLabel({});
    m_velocity->setObjectName("velocity");
    m_velocity->setTextFormat(Qt::RichText);
    m_filter = new QLineEdit;
    m_filter->setObjectName("parameterFilter");
    m_filter->setPlaceholderText(tr("Find a parameter, e.g. g_Kr"));
    m_filter->setClearButtonEnabled(true);
    m_parameters = new QTableWidget(0, 4);
    m_parameters->setObjectName("parameters");
    m_parameters->setHorizontalHeaderLabels(
        {tr("Parameter"), tr("Value"), tr("Unit"), tr("Default")});
    m_parameters->verticalHeader()->hide();
    m_parameters->verticalHeader()->setDefaultSectionSize(24);
    m_parameters->setMinimumHeight(190);
    m_parameters->horizontalHeader()->setSectionResizeMode(value_column, QHeaderView::Stretch);
    m_parameters->horizontalHeader()->setMinimumSectionSize(64); // values stay readable
    m_parameters->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    form->addRow(tr("Model"), m_model);
    form->addRow(tr("Variant"), m_variant);
    form->addRow(m_source);
    form->addRow(tr("σ f, s, n"), sigma);
    form->addRow(tr("× factor"), m_scale);
    form->addRow(m_velocity);
    form->addRow(groupLabel(tr("Parameters")));
    form->addRow(m_filter);
    form->addRow(m_parameters);

    connect(m_model, &QComboBox::activated, this, [this](int i) {
        const std::string name = m_model->itemData(i).toString().toStdString();
        change(
            tr("Cell model of a region"),
            [name](Region& r) {
                r.model = name;
                r.variant.clear();
                r.parameters.clear();
                r.initial.clear();
            },
            false);
    });
    connect(m_variant, &QComboBox::activated, this, [this](int i) {
        const std::string name = m_variant->itemData(i).toString().toStdString();
        change(
            tr("Cell variant of a region"), [name](Region& r) { r.variant = name; }, false);
    });
    const auto sigmaChanged = [this](NumberBox* b, auto set) {
        connect(b, &QDoubleSpinBox::valueChanged, this, [this, set](double v) {
            change(tr("Conductivity of a region"), [set, v](Region& r) { set(r, v); });
        });
    };
    sigmaChanged(m_fibre, [](Region& r, double v) { r.conductivity_S_per_m.fibre = v; });
    sigmaChanged(m_sheet, [](Region& r, double v) { r.conductivity_S_per_m.sheet = v; });
    sigmaChanged(m_normal, [](Region& r, double v) { r.conductivity_S_per_m.normal = v; });
    sigmaChanged(m_scale, [](Region& r, double v) { r.conductivity_scale = v; });
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& t) {
        for (int row = 0; row < m_parameters->rowCount(); ++row)
            m_parameters->setRowHidden(
                row,
                !m_parameters->item(row, name_column)->text().contains(t, Qt::CaseInsensitive));
    });
    connect(m_parameters, &QTableWidget::itemChanged, this, [this](QTableWidgetItem* item) {
        if (m_filling || item->column() != value_column)
            return;
        m_shown = {}; // the table says what was typed
        const std::string name = m_parameters->item(item->row(), name_column)->text().toStdString();
        bool ok = false;
        const double v = item->text().toDouble(&ok);
        const bool clear = item->text().trimmed().isEmpty();
        if (!ok && !clear)
            return fillDetails();
        change(tr("Parameter %1").arg(QString::fromStdString(name)), [name, v, clear](Region& r) {
            std::erase_if(r.parameters, [&](const auto& p) { return p.first == name; });
            if (!clear)
                r.parameters.emplace_back(name, v);
        });
    });
    return w;
}

void TissuePanel::setModels(const std::vector<const cell::ModelInfo*>& models)
{
    m_models = models;
    const QSignalBlocker quiet(m_model);
    m_model->clear();
    m_model->addItem(tr("as beneath"), QString());
    for (const auto* m : models)
        m_model->addItem(QString::fromStdString(m->title.empty() ? m->name : m->title),
                         QString::fromStdString(m->name));
    fillDetails();
}

const cell::ModelInfo* TissuePanel::model(const std::string& name) const
{
    for (const auto* m : m_models)
        if (m->name == name)
            return m;
    return nullptr;
}

void TissuePanel::addRegion(const Region& r)
{
    Q_EMIT edited(
        tr("Add %1").arg(r.name.empty() ? tr("a region") : QString::fromStdString(r.name)),
        [r](Session& s) { s.regions.push_back(r); }, {});
    choose(static_cast<int>(m_regions.size()) - 1);
}

void TissuePanel::change(const QString& what, const std::function<void(Region&)>& f, bool together)
{
    const int i = chosen();
    if (m_filling || i < 0)
        return;
    Q_EMIT edited(
        what,
        [i, f](Session& s) {
            if (static_cast<std::size_t>(i) < s.regions.size())
                f(s.regions[static_cast<std::size_t>(i)]);
        },
        together ? what + QString::number(i) : QString());
}

void TissuePanel::placeKindChosen(int kind)
{
    change(
        tr("Place of a region"),
        [kind](Region& r) { setPlaceKind(r, static_cast<PlaceKind>(kind)); }, false);
}

void TissuePanel::placeTextEdited()
{
    const std::vector<int> numbers = numbersOf(m_where->text());
    change(tr("Place of a region"), [numbers](Region& r) { setPlaceNumbers(r, numbers); });
}

void TissuePanel::setSession(const Session& s)
{
    m_regions = s.regions;
    fillList();
    fillDetails();
    m_drugs->setDrugs(s.drugs);
}

int TissuePanel::chosen() const
{
    return m_list->indexOfTopLevelItem(m_list->currentItem());
}

void TissuePanel::choose(int index)
{
    m_list->setCurrentItem(m_list->topLevelItem(index));
}

double TissuePanel::brushRadius() const
{
    return m_brush->value();
}

void TissuePanel::setVelocity(const QString& text, const QString& warning)
{
    QString html = text.toHtmlEscaped();
    if (!warning.isEmpty())
        html += QStringLiteral("<br><span style='color:%1'>⚠ %2</span>")
                    .arg(palette().color(QPalette::Window).lightness() < 128 ? "#f0b95a" : "#8a5600",
                         warning.toHtmlEscaped());
    m_velocity->setText(html);
    m_velocity->setVisible(!html.isEmpty());
}

void TissuePanel::fillList()
{
    m_filling = true;
    const int before = chosen();
    m_list->clear();
    for (std::size_t i = 0; i < m_regions.size(); ++i) {
        const Region& r = m_regions[i];
        auto* item = new QTreeWidgetItem(m_list, {regionTitle(r), placeText(r)});
        item->setIcon(0, regionIcon(i));
        item->setToolTip(0, regionTip(r));
    }
    const int n = static_cast<int>(m_regions.size());
    if (n > 0)
        m_list->setCurrentItem(m_list->topLevelItem(before < 0 ? 0 : std::min(before, n - 1)));
    m_list->setFixedHeight(std::clamp(30 + 27 * n, 84, 170));
    m_filling = false;
}

void TissuePanel::fillDetails()
{
    const int i = chosen();
    m_details->setVisible(i >= 0);
    if (i < 0)
        return;
    m_filling = true;
    const Region& r = m_regions[static_cast<std::size_t>(i)];
    if (!m_name->hasFocus())
        m_name->setText(QString::fromStdString(r.name));
    m_name->setPlaceholderText(regionTitle(r));
    fillPlace(r);
    m_model->setCurrentIndex(std::max(0, m_model->findData(QString::fromStdString(r.model))));
    m_variant->clear();
    const auto* info = model(r.model);
    const QString source =
        info != nullptr ? QString::fromStdString(info->source).simplified() : QString();
    m_source->setText(source.size() > source_shown ? source.left(source_shown) + QStringLiteral("…")
                                                   : source);
    m_source->setToolTip(source);
    m_source->setVisible(!m_source->text().isEmpty());
    m_variant->addItem(tr("default"), QString());
    if (info != nullptr)
        for (const auto& v : info->variants)
            m_variant->addItem(QString::fromStdString(v.name), QString::fromStdString(v.name));
    m_variant->setCurrentIndex(std::max(0, m_variant->findData(QString::fromStdString(r.variant))));
    m_variant->setEnabled(m_variant->count() > 1);
    for (auto* b : {m_fibre, m_sheet, m_normal})
        b->setEnabled(!r.inherits());
    // what inherits has none of its own: the tissue beneath says them
    for (auto* b : {m_fibre, m_sheet, m_normal})
        b->setSpecialValueText(r.inherits() ? QStringLiteral("–") : QString());
    const auto& sigma = r.conductivity_S_per_m;
    m_fibre->put(r.inherits() ? m_fibre->minimum() : sigma.fibre);
    m_sheet->put(r.inherits() ? m_sheet->minimum() : sigma.sheet);
    m_normal->put(r.inherits() ? m_normal->minimum() : sigma.normal);
    m_scale->put(r.conductivity_scale);
    fillParameters(r);
    m_filling = false;
}

void TissuePanel::fillPlace(const Region& r)
{
    const PlaceKind kind = placeKind(r);
    m_placeKind->setCurrentIndex(static_cast<int>(kind));
    const bool numbers = kind == PlaceKind::labels || kind == PlaceKind::segments;
    m_where->setVisible(numbers);
    m_whereLabel->setVisible(numbers);
    m_whereLabel->setText(kind == PlaceKind::segments ? tr("Segments") : tr("Labels"));
    m_where->setToolTip(kind == PlaceKind::segments ? tr("AHA segments 1 to 17, e.g. 1-6, 7")
                                                    : tr("Labels of the mesh, e.g. 1, 4, 7"));
    if (!m_where->hasFocus())
        m_where->setText(textOf(placeNumbers(r)));
    m_layer->setVisible(kind == PlaceKind::layer);
    m_centre->setVisible(kind == PlaceKind::ball);
    m_radius->setVisible(kind == PlaceKind::ball);
    for (QWidget* w : std::initializer_list<QWidget*>{m_paint, m_erase, m_brush, m_painted})
        w->setVisible(kind == PlaceKind::painted);
    if (!r.where)
        return;
    if (const auto* ball = std::get_if<simulation::Sphere>(&*r.where))
        m_radius->put(ball->radius);
    if (const auto* l = std::get_if<simulation::Layer>(&*r.where))
        m_layer->setCurrentIndex(static_cast<int>(l->kind));
    if (const auto* t = std::get_if<simulation::Tetrahedra>(&*r.where))
        m_painted->setText(t->tetrahedra.empty()
                               ? tr("Nothing is painted yet: choose Paint and draw on the heart.")
                               : tr("%1 tetrahedra are painted.").arg(t->tetrahedra.size()));
}

void TissuePanel::fillParameters(const Region& r)
{
    const auto* info = model(r.model);
    // hundreds of cells: written only when they change, and measured once
    ShownParameters wanted{info, r.variant, r.parameters};
    if (wanted == m_shown)
        return;
    const bool other = info != m_shown.info;
    m_shown = std::move(wanted);
    m_parameters->setRowCount(info != nullptr ? static_cast<int>(info->parameters.size()) : 0);
    if (info == nullptr)
        return;
    const QSignalBlocker quiet(m_parameters->model());
    for (int row = 0; row < m_parameters->rowCount(); ++row) {
        const auto& p = info->parameters[static_cast<std::size_t>(row)];
        const double* own = given(r, p.name);
        const double usual = variantValue(*info, r.variant, p);
        const QString texts[] = {QString::fromStdString(p.name),
                                 QString::number(own != nullptr ? *own : usual, 'g', 8),
                                 QString::fromStdString(p.unit), QString::number(usual, 'g', 8)};
        for (int column = 0; column < 4; ++column) {
            auto* item = m_parameters->item(row, column);
            if (item == nullptr)
                m_parameters->setItem(row, column, item = new QTableWidgetItem);
            item->setText(texts[column]);
            item->setFlags(column == value_column
                               ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsEditable
                               : Qt::ItemIsEnabled | Qt::ItemIsSelectable);
            QFont f = m_parameters->font();
            f.setBold(own != nullptr && column == value_column);
            item->setFont(f);
            item->setToolTip(
                QString::fromStdString(p.description.empty() ? p.name : p.description) +
                tr("\nEmpty: back to the default. Bold: changed."));
        }
        m_parameters->setRowHidden(row, !texts[0].contains(m_filter->text(), Qt::CaseInsensitive));
    }
    if (other)
        for (const int column : {name_column, unit_column, default_column})
            m_parameters->resizeColumnToContents(column);
    m_parameters->viewport()->update();
}

} // namespace tawara
