// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/cells_card.hpp"

#include "engine/cell/special_variables.hpp"
#include "widgets/panels/key_box.hpp"
#include "widgets/panels/known_models.hpp"
#include "widgets/panels/parameter_table.hpp"
#include "widgets/panels/velocity_row.hpp"

#include <QCheckBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace tawara {
namespace {

using simulation::Region;

constexpr qsizetype source_shown = 110; // characters; the rest is in the tool tip

} // namespace

CellsCard::CellsCard(const KnownModels& models, QWidget* parent) : QWidget(parent), m_models(models)
{
    auto* column = new QVBoxLayout(this);
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
        b->makeNarrow();
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
    form->addRow(tr("Model"), m_model);
    form->addRow(tr("Variant"), m_variant);
    form->addRow(m_source);
    form->addRow(m_stepAdvice);
    form->addRow(tr("σ [S/m]"), sigma);
    m_wanted = new VelocityRow;
    connect(m_wanted, &VelocityRow::changed, this, &CellsCard::change);
    form->addRow(tr("v [m/s]"), m_wanted);
    form->addRow(tr("× f, s, n"), buildScale());
    form->addRow(m_insulating);
    column->addLayout(form);
    column->addWidget(m_velocity);
    column->addWidget(groupLabel(tr("Parameters")));
    m_parameters = new ParameterTable;
    column->addWidget(m_parameters, 1);
    connectFields();
}

QHBoxLayout* CellsCard::buildScale()
{
    const std::array names{"sigmaScale", "sigmaScaleSheet", "sigmaScaleNormal"};
    const std::array directions{"fibre", "sheet", "normal"};
    auto* row = new QHBoxLayout;
    for (std::size_t k = 0; k < m_scale.size(); ++k) {
        m_scale[k] = keyBox(QLatin1String(names[k]),
                            std::string("/tissue/regions/#/conductivity_scale/") + directions[k]);
        m_scale[k]->makeNarrow();
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

void CellsCard::connectFields()
{
    connect(m_model, &QComboBox::activated, this, [this](int i) {
        if (i == m_model->count() - 1) { // what is chosen comes later, or never
            refill();
            Q_EMIT modelFileRequested();
            return;
        }
        if (!m_filling)
            Q_EMIT modelChosen(m_model->itemData(i).toString().toStdString());
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
        change(
            on ? tr("Make a region insulating") : tr("Let a region conduct"),
            [on](Region& r) { r.insulating = on; }, false);
    });
    const auto put = [this](const QString& name, auto listOf, std::optional<double> value) {
        change(tr("Change parameter %1").arg(name),
               [n = name.toStdString(), listOf, value](Region& r) {
                   auto& list = listOf(r);
                   std::erase_if(list, [&](const auto& p) { return p.first == n; });
                   if (value)
                       list.emplace_back(n, *value);
               });
    };
    connect(m_parameters, &ParameterTable::valueChanged, this,
            [put](const QString& name, std::optional<double> value) {
                put(
                    name, [](Region & r) -> auto& { return r.parameters; }, value);
            });
    connect(m_parameters, &ParameterTable::factorChanged, this,
            [put](const QString& name, std::optional<double> factor) {
                if (factor == 1) // as beneath
                    factor.reset();
                put(
                    name, [](Region & r) -> auto& { return r.scale; }, factor);
            });
}

void CellsCard::change(const QString& what, const std::function<void(Region&)>& f, bool together)
{
    if (!m_filling)
        Q_EMIT changed(what, f, together);
}

void CellsCard::offerModels()
{
    const QSignalBlocker quiet(m_model);
    m_model->clear();
    for (const KnownModels::Entry& m : m_models.entries()) {
        const QString file = QString::fromStdString(cell::path_of(m.key));
        const bool own = m.key == m.info->name;
        const QString title =
            QString::fromStdString(m.info->title.empty() ? m.info->name : m.info->title);
        m_model->addItem(own ? title : file.section('/', -1), QString::fromStdString(m.key));
        m_model->setItemData(m_model->count() - 1, own ? title : file, Qt::ToolTipRole);
    }
    m_model->insertSeparator(m_model->count());
    m_model->addItem(tr("From a file…"));
    m_model->setItemData(m_model->count() - 1, tr("A Myokit (.mmt) or CellML (.cellml) file"),
                         Qt::ToolTipRole);
}

void CellsCard::offerBeneath(bool on)
{
    const bool offered =
        m_model->itemData(0).isValid() && m_model->itemData(0).toString().isEmpty();
    if (on && !offered)
        m_model->insertItem(0, tr("as beneath"), QString());
    else if (!on && offered)
        m_model->removeItem(0);
}

void CellsCard::setStep(cell::Scheme scheme, double dt_ms)
{
    m_scheme = scheme;
    m_stepMs = dt_ms;
}

QString CellsCard::warned(const QString& text) const
{
    return QStringLiteral("<span style='color:%1'>⚠ %2</span>")
        .arg(palette().color(QPalette::Window).lightness() < 128 ? "#f0b95a" : "#8a5600",
             text.toHtmlEscaped());
}

void CellsCard::setVelocity(const QString& text, const QString& warning)
{
    QString html = text.toHtmlEscaped();
    if (!warning.isEmpty())
        html += QStringLiteral("<br>") + warned(warning);
    m_velocity->setText(html);
    m_velocity->setVisible(!html.isEmpty());
}

void CellsCard::setRegion(const Region& r, int index,
                          const std::vector<const cell::ModelInfo*>& beneath,
                          const std::optional<diffusion::Conductivity>& found)
{
    m_region = r;
    m_index = index;
    m_beneath = beneath;
    m_found = found;
    refill();
}

void CellsCard::refill()
{
    if (m_index < 0)
        return;
    m_filling = true;
    fill(m_region, m_index, m_beneath);
    m_filling = false;
}

void CellsCard::fill(const Region& r, int index, const std::vector<const cell::ModelInfo*>& beneath)
{
    offerBeneath(r.inherits() || !beneath.empty());
    fillCells(r);
    fillConduction(r);
    const auto& scale = r.conductivity_scale;
    m_scale[0]->put(scale.fibre);
    m_scale[1]->put(scale.sheet);
    m_scale[2]->put(scale.normal);
    if (std::exchange(m_evenOf, index) != index || !scale.even())
        m_even->setChecked(scale.even());
    m_insulating->setChecked(r.insulating);
    for (auto* b : m_scale)
        b->setEnabled(!r.insulating);
    m_model->setEnabled(!r.insulating);
    m_parameters->setEditable(!r.insulating);
    m_parameters->fill(r, m_models.find(r.model), beneath);
}

void CellsCard::fillConduction(const Region& r)
{
    // what inherits has none of its own: the tissue beneath says them
    for (auto* b : {m_fibre, m_sheet, m_normal}) {
        b->setEnabled(!r.inherits() && !r.insulating && !r.velocity_m_per_s);
        b->setSpecialValueText(r.inherits() ? QStringLiteral("–") : QString());
    }
    m_wanted->fill(r, m_found);
    const auto& sigma = m_found && !r.insulating ? *m_found : r.conductivity_S_per_m;
    m_fibre->put(r.inherits() ? m_fibre->minimum() : sigma.fibre);
    m_sheet->put(r.inherits() ? m_sheet->minimum() : sigma.sheet);
    m_normal->put(r.inherits() ? m_normal->minimum() : sigma.normal);
}

void CellsCard::fillCells(const Region& r)
{
    // a model that is not described yet is none of those that can be chosen
    m_model->setPlaceholderText(QString::fromStdString(cell::path_of(r.model)).section('/', -1));
    m_model->setCurrentIndex(m_model->findData(QString::fromStdString(r.model)));
    m_variant->clear();
    const auto* info = m_models.find(r.model);
    const QString source =
        info != nullptr ? QString::fromStdString(info->source).simplified() : QString();
    m_source->setText(source.size() > source_shown ? source.left(source_shown) + QStringLiteral("…")
                                                   : source);
    m_source->setToolTip(source);
    m_source->setVisible(!m_source->text().isEmpty());
    const QString advice =
        info != nullptr && m_stepMs > 0
            ? QString::fromStdString(cell::step_advice(*info, m_scheme, m_stepMs))
            : QString();
    m_stepAdvice->setText(advice.isEmpty() ? advice : warned(advice));
    m_stepAdvice->setVisible(!advice.isEmpty());
    m_variant->addItem(tr("default"), QString());
    if (info != nullptr)
        for (const auto& v : info->variants)
            m_variant->addItem(QString::fromStdString(v.name), QString::fromStdString(v.name));
    else if (!r.variant.empty())
        m_variant->addItem(QString::fromStdString(r.variant), QString::fromStdString(r.variant));
    m_variant->setCurrentIndex(std::max(0, m_variant->findData(QString::fromStdString(r.variant))));
    m_variant->setEnabled(m_variant->count() > 1 && !r.insulating);
}

} // namespace tawara
