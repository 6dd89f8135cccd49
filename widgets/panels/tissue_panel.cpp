// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/tissue_panel.hpp"

#include "engine/simulation/session/notice_kinds.hpp"
#include "widgets/panels/brush_card.hpp"
#include "widgets/panels/cells_card.hpp"
#include "widgets/panels/drug_editor.hpp"
#include "widgets/panels/place_card.hpp"
#include "widgets/panels/prepacing_card.hpp"
#include "widgets/panels/region_place.hpp"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QTabWidget>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <map>
#include <utility>

namespace tawara {
namespace {

using simulation::Region;
using simulation::Session;

constexpr int drugs_page = 1, before_page = 2;
constexpr const char* pages[]{"regions", "drugs", "before"};

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
    buildDetails();

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

void TissuePanel::buildDetails()
{
    m_name = new QLineEdit;
    m_name->setObjectName("regionName");
    m_place = new PlaceCard;
    m_cells = new CellsCard(m_models);
    m_details = new QWidget;
    auto* details = new QVBoxLayout(m_details);
    details->setContentsMargins(0, 0, 0, 0);
    auto* form = new QFormLayout;
    form->addRow(tr("Name"), m_name);
    details->addLayout(form);
    details->addWidget(m_place);
    details->addWidget(m_cells, 1);
    connect(m_name, &QLineEdit::editingFinished, this, [this] {
        change(
            tr("Rename a region"), [t = m_name->text().toStdString()](Region& r) { r.name = t; },
            true);
    });
    connect(m_place, &PlaceCard::changed, this, &TissuePanel::change);
    connect(m_place, &PlaceCard::placeRequested, this, [this] { Q_EMIT placeRequested(chosen()); });
    connect(m_place, &PlaceCard::paintRequested, this, [this] { Q_EMIT paintRequested(chosen()); });
    connect(m_cells, &CellsCard::changed, this, &TissuePanel::change);
    connect(m_cells, &CellsCard::modelChosen, this,
            [this](const std::string& key) { setModel(chosen(), key); });
    connect(m_cells, &CellsCard::modelFileRequested, this,
            [this] { Q_EMIT modelFileRequested(chosen()); });
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
}

void TissuePanel::setModels(const std::vector<const cell::ModelInfo*>& models)
{
    m_models.setLibrary(models);
    fillModels();
}

void TissuePanel::addModel(const std::string& key, const cell::ModelInfo* info)
{
    if (m_models.add(key, info))
        fillModels();
}

std::vector<std::string> TissuePanel::unknownModels() const
{
    return m_models.unknownOf(m_regions);
}

void TissuePanel::fillModels()
{
    m_cells->offerModels();
    fillDetails();
    fillDrugs();
}

void TissuePanel::setModel(int region, const std::string& key)
{
    if (m_filling || region < 0)
        return;
    // an epicardial region stays one where the model has that too
    std::vector<std::string> variants;
    if (const auto* info = m_models.find(key))
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

void TissuePanel::setStart(const simulation::Sphere& ball)
{
    m_place->setStart(ball);
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

void TissuePanel::setSession(const Session& s)
{
    m_regions = s.regions;
    m_cells->setStep(s.reaction, s.dt_ms);
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
    const bool known = !m_regions.empty() && m_models.unknownOf(m_regions).empty();
    const QStringList titles = regionTitles(m_regions);
    for (const auto& drug : m_given)
        for (const auto& [name, factor] : drug.factors) {
            QStringList without;
            bool acts = !known;
            for (std::size_t i = 0; known && i < m_regions.size(); ++i) {
                if (m_regions[i].inherits())
                    continue;
                if (simulation::parameter_name(*m_models.find(m_regions[i].model), name).empty())
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

void TissuePanel::setTuned(const std::vector<simulation::TunedRegion>& tuned)
{
    m_tuned = tuned;
    fillDetails();
}

void TissuePanel::setVelocity(const QString& text, const QString& warning)
{
    m_cells->setVelocity(text, warning);
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
    const Region& r = m_regions[static_cast<std::size_t>(i)];
    if (!m_name->hasFocus())
        m_name->setText(QString::fromStdString(r.name));
    m_name->setPlaceholderText(regionTitle(r));
    m_place->setRegion(r);
    std::optional<diffusion::Conductivity> found;
    for (const auto& t : m_tuned)
        if (t.region == static_cast<std::size_t>(i) && r.velocity_m_per_s == t.found.wanted)
            found = t.found.conductivity_S_per_m;
    m_cells->setRegion(r, i, m_models.beneath(m_regions, i), found);
}

} // namespace tawara
