// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/tissue_panel.hpp"

#include "engine/cell/special_variables.hpp"
#include "engine/simulation/session/notice_kinds.hpp"
#include "widgets/panels/brush_card.hpp"
#include "widgets/panels/drug_editor.hpp"
#include "widgets/panels/field_note.hpp"
#include "widgets/panels/prepacing_card.hpp"
#include "widgets/panels/region_place.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QScrollArea>
#include <QTabWidget>
#include <QTableWidget>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace tawara {
namespace {

using simulation::Region;
using simulation::Session;

constexpr int drugs_page = 1, before_page = 2;
constexpr const char* pages[]{"regions", "drugs", "before"};
constexpr qsizetype source_shown = 110; // characters; the rest is in the tool tip

/// The value that a region's list gives a name, if it gives one.
const double* given(const std::vector<std::pair<std::string, double>>& list,
                    const std::string& name)
{
    for (const auto& [n, v] : list)
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
    m_brush->hide();
    m_drugs = new DrugEditor;
    m_tabs->insertTab(drugs_page, scrolled(m_drugs), tr("Drugs"));
    connect(m_drugs, &DrugEditor::edited, this, &TissuePanel::edited);
    m_prepacing = new PrepacingCard;
    m_tabs->insertTab(before_page, scrolled(m_prepacing), tr("Before the run"));
    connect(m_prepacing, &PrepacingCard::edited, this, &TissuePanel::edited);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_tabs);
    setSession({});
}

TissuePanel::~TissuePanel()
{
    hide(); // what is being typed ends while all is there
}

void TissuePanel::setModels(const std::vector<const cell::ModelInfo*>& models)
{
    std::vector<KnownModel> known;
    for (const auto* m : models)
        known.push_back({m->name, m});
    for (const KnownModel& m : m_models) // of files
        if (m.key != m.info->name)
            known.push_back(m);
    m_models = std::move(known);
    fillModels();
}

void TissuePanel::addModel(const std::string& key, const cell::ModelInfo* info)
{
    const auto known = std::find_if(m_models.begin(), m_models.end(),
                                    [&](const KnownModel& m) { return m.key == key; });
    if (known == m_models.end())
        m_models.push_back({key, info});
    else if (known->info != info)
        known->info = info;
    else
        return;
    fillModels();
}

std::vector<std::string> TissuePanel::unknownModels() const
{
    std::vector<std::string> out;
    for (const Region& r : m_regions)
        if (!r.inherits() && model(r.model) == nullptr)
            out.push_back(r.model);
    return out;
}

void TissuePanel::fillModels()
{
    const QSignalBlocker quiet(m_model);
    m_model->clear();
    for (const KnownModel& m : m_models) {
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
    fillDetails();
    fillDrugs();
}

void TissuePanel::offerBeneath(bool on)
{
    const bool offered =
        m_model->itemData(0).isValid() && m_model->itemData(0).toString().isEmpty();
    if (on && !offered)
        m_model->insertItem(0, tr("as beneath"), QString());
    else if (!on && offered)
        m_model->removeItem(0);
}

std::vector<const cell::ModelInfo*> TissuePanel::modelsBeneath(int region) const
{
    std::vector<const cell::ModelInfo*> out;
    for (const Region& r : std::span(m_regions).first(static_cast<std::size_t>(region)))
        if (!r.inherits() && std::find(out.begin(), out.end(), model(r.model)) == out.end())
            out.push_back(model(r.model));
    return out;
}

const cell::ModelInfo* TissuePanel::model(const std::string& key) const
{
    for (const KnownModel& m : m_models)
        if (m.key == key)
            return m.info;
    return nullptr;
}

void TissuePanel::setModel(int region, const std::string& key)
{
    if (m_filling || region < 0)
        return;
    // an epicardial region stays one where the model has that too
    std::vector<std::string> variants;
    if (const auto* info = model(key))
        for (const auto& v : info->variants)
            variants.push_back(v.name);
    Q_EMIT edited(tr("Change the cell model of a region"),
                  [region, key, variants](Session& s) {
                      if (static_cast<std::size_t>(region) >= s.regions.size())
                          return;
                      Region& r = s.regions[static_cast<std::size_t>(region)];
                      r.model = key;
                      if (std::find(variants.begin(), variants.end(), r.variant) == variants.end())
                          r.variant.clear();
                      r.parameters.clear();
                      r.initial.clear();
                  },
                  {});
}

void TissuePanel::setFibres(bool on)
{
    m_fibres = on;
    m_brush->setFibres(on);
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
        tr("Change the place of a region"),
        [kind, start = m_start](Region& r) {
            setPlaceKind(r, static_cast<PlaceKind>(kind), start);
        },
        false);
}

void TissuePanel::placeTextEdited()
{
    QString bad;
    const std::vector<int> numbers = numbersOf(m_where->text(), &bad);
    if (!bad.isEmpty()) { // what was given before stays
        fillDetails();
        const int i = chosen();
        if (i >= 0)
            m_where->setText(textOf(placeNumbers(m_regions[static_cast<std::size_t>(i)])));
        return noteAt(m_where,
                      tr("“%1” cannot be taken (numbers, e.g. 1-6, 7): still %2")
                          .arg(bad, m_where->text().isEmpty() ? tr("none") : m_where->text()));
    }
    change(tr("Change the place of a region"),
           [numbers](Region& r) { setPlaceNumbers(r, numbers); });
}

void TissuePanel::boxEdited(std::size_t k, double mm)
{
    const int i = chosen();
    if (m_filling || i < 0)
        return;
    const auto& where = m_regions[static_cast<std::size_t>(i)].where;
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

void TissuePanel::setSession(const Session& s)
{
    m_regions = s.regions;
    m_scheme = s.reaction;
    m_stepMs = s.dt_ms;
    m_brush->setRegions(s.regions);
    fillList();
    fillDetails();
    m_given = s.drugs;
    fillDrugs();
    m_prepacing->setSession(s);
}

void TissuePanel::setNotices(const Notices& notices)
{
    const auto said = std::find_if(notices.begin(), notices.end(), [](const Notice& n) {
        return n.kind == simulation::notice_kind::prepaced;
    });
    if (said == notices.end())
        return m_prepacing->setReached({}, false);
    QString text = QString::fromStdString(said->text);
    text[0] = text[0].toUpper();
    m_prepacing->setReached(text, said->level == Notice::Level::warning);
}

void TissuePanel::fillDrugs()
{
    std::map<std::string, QStringList> lacking;
    const bool known = !m_regions.empty() && unknownModels().empty();
    const QStringList titles = regionTitles(m_regions);
    for (const auto& drug : m_given)
        for (const auto& [name, factor] : drug.factors) {
            QStringList without;
            bool acts = !known;
            for (std::size_t i = 0; known && i < m_regions.size(); ++i) {
                if (m_regions[i].inherits())
                    continue;
                if (simulation::parameter_name(*model(m_regions[i].model), name).empty())
                    without << titles[static_cast<qsizetype>(i)];
                else
                    acts = true;
            }
            if (!without.isEmpty() || !acts)
                lacking[name] = acts ? without : QStringList();
        }
    m_drugs->setDrugs(m_given, lacking);
}

int TissuePanel::chosen() const
{
    return m_list->indexOfTopLevelItem(m_list->currentItem());
}

void TissuePanel::choose(int index)
{
    m_list->setCurrentItem(m_list->topLevelItem(index));
}

void TissuePanel::setPainting(bool on)
{
    m_brush->setVisible(on);
    if (!on)
        return;
    m_tabs->setCurrentIndex(0);
    m_brush->choose(chosen());
}

QJsonObject TissuePanel::look() const
{
    return {{"page", pages[std::clamp(m_tabs->currentIndex(), 0, before_page)]}};
}

void TissuePanel::setLook(const QJsonObject& o)
{
    for (int page = 0; page <= before_page; ++page)
        if (page == 0 || o["page"].toString() == QLatin1String(pages[page]))
            m_tabs->setCurrentIndex(page);
}

QString TissuePanel::warned(const QString& text) const
{
    return QStringLiteral("<span style='color:%1'>⚠ %2</span>")
        .arg(palette().color(QPalette::Window).lightness() < 128 ? "#f0b95a" : "#8a5600",
             text.toHtmlEscaped());
}

void TissuePanel::setVelocity(const QString& text, const QString& warning)
{
    QString html = text.toHtmlEscaped();
    if (!warning.isEmpty())
        html += QStringLiteral("<br>") + warned(warning);
    m_velocity->setText(html);
    m_velocity->setVisible(!html.isEmpty());
}

void TissuePanel::fillList()
{
    m_filling = true;
    const int before = chosen();
    m_list->clear();
    const QStringList titles = regionTitles(m_regions);
    for (std::size_t i = 0; i < m_regions.size(); ++i) {
        const Region& r = m_regions[i];
        const QString where = placeText(r, m_labels);
        auto* item = new QTreeWidgetItem(m_list, {titles[static_cast<qsizetype>(i)], where});
        item->setIcon(0, regionIcon(i));
        item->setToolTip(0, regionTitle(r) + QChar('\n') + regionTip(r));
        item->setToolTip(1, where);
        const auto numbers = placeNumbers(r);
        if (placeKind(r) == PlaceKind::labels)
            item->setToolTip(
                1, QString::fromStdString(mesh::text_of(
                       m_labels, std::vector<std::int32_t>(numbers.begin(), numbers.end()))));
    }
    const int n = static_cast<int>(m_regions.size());
    if (n > 0)
        m_list->setCurrentItem(m_list->topLevelItem(before < 0 ? 0 : std::min(before, n - 1)));
    fitList(m_list, n, height());
    m_filling = false;
}

void TissuePanel::setLabels(const std::vector<mesh::RegionName>& names)
{
    m_labels = names;
    fillList();
}

void TissuePanel::resizeEvent(QResizeEvent* e)
{
    QWidget::resizeEvent(e);
    fitList(m_list, static_cast<int>(m_regions.size()), height());
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
    offerBeneath(r.inherits() || !modelsBeneath(i).empty());
    fillCells(r);
    for (auto* b : {m_fibre, m_sheet, m_normal})
        b->setEnabled(!r.inherits() && !r.insulating);
    // what inherits has none of its own: the tissue beneath says them
    for (auto* b : {m_fibre, m_sheet, m_normal})
        b->setSpecialValueText(r.inherits() ? QStringLiteral("–") : QString());
    const auto& sigma = r.conductivity_S_per_m;
    m_fibre->put(r.inherits() ? m_fibre->minimum() : sigma.fibre);
    m_sheet->put(r.inherits() ? m_sheet->minimum() : sigma.sheet);
    m_normal->put(r.inherits() ? m_normal->minimum() : sigma.normal);
    const auto& scale = r.conductivity_scale;
    m_scale[0]->put(scale.fibre);
    m_scale[1]->put(scale.sheet);
    m_scale[2]->put(scale.normal);
    if (std::exchange(m_evenOf, i) != i || !scale.even())
        m_even->setChecked(scale.even());
    m_insulating->setChecked(r.insulating);
    for (QWidget* w : {static_cast<QWidget*>(m_scale[0]), static_cast<QWidget*>(m_scale[1]),
                       static_cast<QWidget*>(m_scale[2]), static_cast<QWidget*>(m_model),
                       static_cast<QWidget*>(m_parameters)})
        w->setEnabled(!r.insulating);
    fillParameters(r);
    m_filling = false;
}

void TissuePanel::fillCells(const Region& r)
{
    // a model that is not described yet is none of those that can be chosen
    m_model->setPlaceholderText(QString::fromStdString(cell::path_of(r.model)).section('/', -1));
    m_model->setCurrentIndex(m_model->findData(QString::fromStdString(r.model)));
    m_variant->clear();
    const auto* info = model(r.model);
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

std::vector<TissuePanel::ParameterRow>
TissuePanel::parameterRows(const Region& r,
                           const std::vector<const cell::ModelInfo*>& beneath) const
{
    std::vector<ParameterRow> rows;
    const auto number = [](double v) { return QString::number(v, 'g', 6); };
    const auto exact = [](const double* v) {
        return v != nullptr ? tr("\nGiven: %1").arg(*v, 0, 'g', QLocale::FloatingPointShortest)
                            : QString();
    };
    if (r.inherits()) { // it has factors in place of values
        const auto row = [&](const std::string& name, const QString& tip) {
            const double* own = given(r.scale, name);
            const QString n = QString::fromStdString(name);
            rows.push_back(
                {n,
                 {n, number(own != nullptr ? *own : 1), QStringLiteral("1")},
                 tip + tr("\nFactor on what the tissue beneath has. Bold: changed.") + exact(own),
                 own != nullptr});
        };
        const auto value = [&](const std::string& name, const QString& usual, const QString& unit,
                               const QString& tip) {
            const double* own = given(r.parameters, name);
            const QString n = QString::fromStdString(name);
            rows.push_back(
                {n,
                 {unit.isEmpty() ? tr("%1, value").arg(n) : tr("%1, value [%2]").arg(n, unit),
                  own != nullptr ? number(*own) : usual, usual},
                 tip +
                     tr("\nValue in place of what the tissue beneath has. Empty: as beneath. "
                        "Bold: changed.") +
                     exact(own),
                 own != nullptr,
                 true});
        };
        const auto known = [&](const std::string_view name) {
            return beneath.empty() ||
                   std::any_of(beneath.begin(), beneath.end(), [&](const cell::ModelInfo* m) {
                       return m == nullptr || !simulation::parameter_name(*m, name).empty();
                   });
        };
        for (const auto& p : simulation::canonical_parameters()) {
            if (!known(p.name))
                continue;
            const auto text = [](std::string_view t) {
                return QString::fromUtf8(t.data(), static_cast<qsizetype>(t.size()));
            };
            if (p.unit.empty())
                row(std::string(p.name), text(p.description));
            else
                value(std::string(p.name), QStringLiteral("0"), text(p.unit), text(p.description));
        }
        for (const auto& [name, factor] : r.scale)
            if (std::none_of(rows.begin(), rows.end(), [&n = name](const ParameterRow& shown) {
                    return shown.name == QString::fromStdString(n);
                }))
                row(name, QString::fromStdString(name));
        for (const auto& [name, x] : r.parameters)
            if (std::none_of(rows.begin(), rows.end(), [&n = name](const ParameterRow& shown) {
                    return shown.value && shown.name == QString::fromStdString(n);
                }))
                value(name, {}, {}, QString::fromStdString(name));
        return rows;
    }
    if (const auto* info = model(r.model))
        for (const auto& p : info->parameters) {
            const double* own = given(r.parameters, p.name);
            const double usual = variantValue(*info, r.variant, p);
            const QString n = QString::fromStdString(p.name);
            rows.push_back(
                {n,
                 {p.unit.empty() ? n : tr("%1 [%2]").arg(n, QString::fromStdString(p.unit)),
                  number(own != nullptr ? *own : usual), number(usual)},
                 QString::fromStdString(p.description.empty() ? p.name : p.description) +
                     tr("\nEmpty: back to the default. Bold: changed.") + exact(own),
                 own != nullptr});
        }
    return rows;
}

void TissuePanel::fillParameters(const Region& r)
{
    // hundreds of cells: written only when they change, and measured once
    static const decltype(Region::scale) no_factors;
    ShownParameters wanted{
        true, model(r.model), r.variant, r.parameters, r.inherits() ? r.scale : no_factors, {}};
    if (r.inherits())
        wanted.beneath = modelsBeneath(chosen());
    if (wanted == m_shown)
        return;
    const bool other = !m_shown.written || wanted.info != m_shown.info;
    m_shown = std::move(wanted);
    const auto rows = parameterRows(r, m_shown.beneath);
    m_parameters->setRowCount(static_cast<int>(rows.size()));
    m_parameters->horizontalHeaderItem(value_column)
        ->setText(r.inherits() ? tr("Factor") : tr("Value"));
    const QSignalBlocker quiet(m_parameters->model());
    for (int row = 0; row < m_parameters->rowCount(); ++row) {
        const auto& shown = rows[static_cast<std::size_t>(row)];
        for (int column = 0; column < m_parameters->columnCount(); ++column) {
            auto* item = m_parameters->item(row, column);
            if (item == nullptr)
                m_parameters->setItem(row, column, item = new QTableWidgetItem);
            item->setText(shown.texts[static_cast<std::size_t>(column)]);
            item->setFlags(column == value_column
                               ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsEditable
                               : Qt::ItemIsEnabled | Qt::ItemIsSelectable);
            QFont f = m_parameters->font();
            f.setBold(shown.changed && column == value_column);
            item->setFont(f);
            item->setToolTip(shown.tip);
            item->setData(Qt::UserRole, shown.name);
            item->setData(value_role, shown.value);
        }
        m_parameters->setRowHidden(row,
                                   !shown.name.contains(m_filter->text(), Qt::CaseInsensitive));
    }
    if (other)
        for (const int column : {value_column, default_column})
            m_parameters->resizeColumnToContents(column);
    m_parameters->viewport()->update();
}

} // namespace tawara
