// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/conduction_panel.hpp"

#include "widgets/panels/field_note.hpp"
#include "widgets/panels/form.hpp"
#include "widgets/panels/icons.hpp"
#include "widgets/panels/key_box.hpp"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace tawara {

using cable::Fascicle;
using simulation::JunctionState;

namespace {

constexpr int least_ms = 250; // between two looks at the tables
constexpr int least_px = 230;
constexpr int wide_px = 1100;  // a panel of this width has its parts side by side
constexpr int source_px = 262; // the width of the first part, beside the others
constexpr int table_px = 150;  // a table's height, below the others
constexpr double usual_delay_ms = 4;

QTreeView* table(const char* name, QAbstractItemModel* model)
{
    auto* t = new QTreeView;
    t->setObjectName(QLatin1String(name));
    t->setModel(model);
    t->setRootIsDecorated(false);
    t->setUniformRowHeights(true);
    t->setAlternatingRowColors(true);
    t->setEditTriggers(QAbstractItemView::NoEditTriggers);
    t->header()->setStretchLastSection(false);
    t->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    t->setMinimumHeight(table_px);
    return t;
}

QLabel* plainLabel(const char* name)
{
    auto* l = new QLabel;
    l->setObjectName(QLatin1String(name));
    l->setTextFormat(Qt::PlainText);
    l->setWordWrap(true);
    return l;
}

/// Whether a fascicle's every piece is cut; nothing where the network has none of it.
std::optional<bool> isCut(const FascicleModel& m, Fascicle f)
{
    for (std::size_t k = 0; k < m.parts().size(); ++k)
        if (m.parts()[k].fascicle == f)
            return m.conducts(k) == Qt::Unchecked;
    return std::nullopt;
}

} // namespace

ConductionPanel::ConductionPanel(QWidget* parent)
    : QWidget(parent), m_fascicles(new FascicleModel(this)), m_junctions(new JunctionModel(this)),
      m_sorted(new QSortFilterProxyModel(this)), m_pages(new QStackedWidget)
{
    m_sorted->setSourceModel(m_junctions);
    m_sorted->setSortRole(JunctionModel::SortRole);
    m_unit = new ChoiceBox;
    m_unit->setObjectName("networkUnit");
    m_unit->addItem(tr("auto"));
    for (const auto* u : {"µm", "mm", "cm", "m"})
        m_unit->addItem(QString::fromUtf8(u));
    m_unit->setToolTip(tr("Unit of length of a file that is imported. By itself it is what the "
                          "file says, or what fits the size of a heart"));
    auto* content = new QWidget;
    m_columns = new QBoxLayout(QBoxLayout::TopToBottom, content);
    m_columns->setContentsMargins(10, 6, 10, 6);
    m_columns->setSpacing(12);
    m_columns->addWidget(makeSource());
    m_columns->addWidget(makeFascicles(), 5);
    m_columns->addWidget(makeJunctions(), 5);
    m_pages->addWidget(makeEmpty());
    auto* area = scrolled(content);
    area->setMinimumWidth(least_px); // its parts stand one below the other then
    m_pages->addWidget(area);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeWork());
    column->addWidget(m_pages, 1);
    m_due.setSingleShot(true);
    m_due.setInterval(least_ms);
    connect(&m_due, &QTimer::timeout, this, &ConductionPanel::showNewest);
    connect(m_fascicles, &FascicleModel::cutRequested, this,
            [this](Fascicle f, bool cut) { Q_EMIT cutRequested({f}, cut); });
    setKeys({});
    setNetwork(nullptr);
}

QWidget* ConductionPanel::makeEmpty()
{
    auto* w = new QWidget;
    auto* column = new QVBoxLayout(w);
    column->setContentsMargins(20, 8, 20, 8);
    auto* hint = hintLabel(
        tr("This session has no Purkinje network. One can be grown on the endocardia of a heart, "
           "or come from a file (SWC, VTK lines, a table). It carries the beat from the bundle of "
           "His to the wall, which its ends excite."));
    hint->setObjectName("noNetwork");
    hint->setMaximumWidth(560);
    auto* grow = new QPushButton(tr("Grow a network…"));
    grow->setObjectName("growFirst");
    connect(grow, &QPushButton::clicked, this, &ConductionPanel::growRequested);
    auto* import = new QPushButton(tr("Import…"));
    import->setObjectName("importFirst");
    connect(import, &QPushButton::clicked, this, &ConductionPanel::importRequested);
    auto* row = new QHBoxLayout;
    row->addStretch(1);
    row->addWidget(grow);
    row->addWidget(import);
    row->addStretch(1);
    column->addStretch(1);
    column->addWidget(hint, 0, Qt::AlignHCenter);
    column->addLayout(row);
    column->addStretch(1);
    return w;
}

QWidget* ConductionPanel::makeWork()
{
    m_working = new QWidget;
    m_working->setObjectName("networkWork");
    auto* row = new QHBoxLayout(m_working);
    row->setContentsMargins(10, 4, 10, 2);
    m_work = plainLabel("networkWorkText");
    m_work->setWordWrap(false);
    m_progress = new QProgressBar;
    m_progress->setObjectName("networkProgress");
    m_progress->setRange(0, 100);
    m_progress->setTextVisible(false);
    m_progress->setMaximumHeight(8);
    auto* cancel = smallButton({}, tr("Cancel"), "cancelNetworkWork",
                               tr("Ends this work: the network stays as it is"));
    connect(cancel, &QToolButton::clicked, this, &ConductionPanel::cancelRequested);
    row->addWidget(m_work);
    row->addWidget(m_progress, 1);
    row->addWidget(cancel);
    m_working->hide();
    return m_working;
}

QWidget* ConductionPanel::makeSource()
{
    auto* w = new QWidget;
    auto* column = new QVBoxLayout(w);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(5);
    m_summary = plainLabel("networkSummary");
    auto* grow = smallButton({}, tr("Grow…"), "growNetwork",
                             tr("Grows another network on this heart's endocardia"));
    auto* import = smallButton({}, tr("Import…"), "importNetwork",
                               tr("Takes a network from a file: SWC, VTK lines (VTU, VTP, legacy "
                                  "VTK), or a table of points"));
    auto* remove = smallButton("close", {}, "removeNetwork", tr("Removes the network"));
    connect(grow, &QToolButton::clicked, this, &ConductionPanel::growRequested);
    connect(import, &QToolButton::clicked, this, &ConductionPanel::importRequested);
    connect(remove, &QToolButton::clicked, this, &ConductionPanel::removeRequested);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(4);
    buttons->addWidget(grow);
    buttons->addWidget(import);
    buttons->addWidget(m_unit, 1);
    buttons->addWidget(remove);
    column->addWidget(groupLabel(tr("Network")));
    column->addWidget(m_summary);
    column->addLayout(buttons);
    makeHis(*column);
    column->addStretch(1);
    return w;
}

QWidget* ConductionPanel::makeFascicles()
{
    auto* w = new QWidget;
    auto* column = new QVBoxLayout(w);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    const auto block = [this](const QString& text, const char* name, const QString& tip,
                              Fascicle f) {
        auto* b = smallButton({}, text, name, tip);
        b->setCheckable(true);
        connect(b, &QToolButton::clicked, this,
                [this, f](bool on) { Q_EMIT cutRequested({f}, on); });
        return b;
    };
    m_left = block(tr("LBBB"), "cutLeft",
                   tr("Left bundle branch block: cuts the left bundle, or joins it again"),
                   Fascicle::left_bundle);
    m_right = block(tr("RBBB"), "cutRight",
                    tr("Right bundle branch block: cuts the right bundle, or joins it again"),
                    Fascicle::right_bundle);
    m_joinAll = smallButton({}, tr("Join all"), "joinAll", tr("Joins all that was cut"));
    connect(m_joinAll, &QToolButton::clicked, this, &ConductionPanel::joinAllRequested);
    m_cutting = smallButton("branch", {}, "cutTool",
                            tr("Clicks on the network cut a branch, or join it again (X)"));
    m_cutting->setCheckable(true);
    connect(m_cutting, &QToolButton::clicked, this, &ConductionPanel::cuttingChosen);
    auto* row = new QHBoxLayout;
    row->setSpacing(4);
    row->addWidget(groupLabel(tr("Fascicles")));
    row->addStretch(1);
    for (auto* b : {m_cutting, m_left, m_right, m_joinAll})
        row->addWidget(b);
    m_fascicleTable = table("fascicles", m_fascicles);
    m_fascicleTable->header()->setSectionResizeMode(FascicleModel::NameColumn,
                                                    QHeaderView::Stretch);
    column->addLayout(row);
    column->addWidget(m_fascicleTable, 1);
    return w;
}

QWidget* ConductionPanel::makeJunctions()
{
    auto* w = new QWidget;
    auto* column = new QVBoxLayout(w);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    m_resistance = keyBox("junctionResistance", "/purkinje/junctions/resistance_kOhm",
                          tr("Resistance of every junction. The larger it is, the later the wall "
                             "is excited, up to a block"));
    m_resistance->setDecimals(4);
    m_delay = keyBox("junctionDelay", "/purkinje/junctions/antegrade_ms",
                     tr("The delay from an end to the wall that is wanted"));
    m_delay->put(usual_delay_ms);
    m_search = new QPushButton(tr("Find R"));
    m_search->setObjectName("searchResistance");
    m_search->setToolTip(tr("Searches for the resistance that gives this delay around some of the "
                            "junctions; it takes a minute or so"));
    auto* row = new QHBoxLayout;
    row->setSpacing(4);
    row->addWidget(groupLabel(tr("Junctions")));
    row->addStretch(1);
    row->addWidget(new QLabel(tr("R")));
    row->addWidget(m_resistance);
    row->addWidget(new QLabel(tr("delay")));
    row->addWidget(m_delay);
    row->addWidget(m_search);
    connect(m_resistance, &QDoubleSpinBox::valueChanged, this, [this](double kOhm) {
        m_keys.resistance_kOhm = kOhm;
        Q_EMIT resistanceChanged(kOhm);
    });
    connect(m_search, &QPushButton::clicked, this,
            [this] { Q_EMIT searchRequested(m_delay->value()); });
    m_counts = plainLabel("junctionCounts");
    m_counts->setTextFormat(Qt::RichText);
    m_delays = plainLabel("junctionDelays");
    m_moment = hintLabel({});
    m_moment->setObjectName("networkMoment");
    m_junctionTable = table("junctions", m_sorted);
    m_junctionTable->header()->setSectionResizeMode(JunctionModel::FascicleColumn,
                                                    QHeaderView::Stretch);
    m_junctionTable->setSortingEnabled(true);
    m_junctionTable->sortByColumn(JunctionModel::NumberColumn, Qt::AscendingOrder);
    column->addLayout(row);
    column->addWidget(m_moment);
    column->addWidget(m_counts);
    column->addWidget(m_delays);
    column->addWidget(m_junctionTable, 1);
    return w;
}

std::optional<LengthUnit> ConductionPanel::unit() const
{
    constexpr LengthUnit units[]{LengthUnit::um, LengthUnit::mm, LengthUnit::cm, LengthUnit::m};
    const int i = m_unit->currentIndex();
    return i > 0 ? std::optional(units[i - 1]) : std::nullopt;
}

void ConductionPanel::setKeys(const simulation::PurkinjeKeys& keys)
{
    m_keys = keys;
    if (!(keys.antegrade_ms > 0))
        m_resistance->put(keys.resistance_kOhm);
    else
        m_delay->put(keys.antegrade_ms);
    showHis();
    showSummary();
    showButtons(); // a click has pressed one: it follows the network
}

void ConductionPanel::setNetwork(const NetworkShapePtr& shape)
{
    const bool other = !shape || !m_shape || shape->network->made != m_shape->network->made;
    m_shape = shape;
    m_fascicles->setNetwork(shape);
    if (other)
        m_frame.reset();
    m_junctions->setNetwork(shape);
    m_fascicles->setFrame(m_frame);
    m_junctions->setFrame(m_frame);
    m_pages->setCurrentIndex(shape ? 1 : 0);
    if (shape) { // of a search, too
        m_keys.resistance_kOhm = shape->network->description.junctions.front().resistance_kOhm;
        m_resistance->put(m_keys.resistance_kOhm);
    }
    showSummary();
    showButtons();
    showNewest();
}

void ConductionPanel::showSummary()
{
    if (!m_shape)
        return m_summary->clear();
    const auto& n = *m_shape->network;
    double mm = 0;
    for (const auto& p : m_fascicles->parts())
        mm += p.length_mm;
    const QString from = m_keys.files.empty()
                             ? tr("Grown on this heart, seed %1").arg(m_keys.grow.seed)
                         : m_keys.files.size() == 1
                             ? tr("From %1").arg(QString::fromStdString(
                                   std::filesystem::path(m_keys.files.front()).filename().string()))
                             : tr("From %1 files").arg(m_keys.files.size());
    QString text = tr("%1: %2 m, %3 nodes, %4 junctions.")
                       .arg(from, QString::number(mm / 1e3, 'f', 2),
                            spacedNumber(double(n.description.cables.compartments.nodes())),
                            spacedNumber(double(n.junction_at.size())));
    if (!n.unjoined.empty())
        text += tr(" %1 ends are too far from the wall to have one.").arg(n.unjoined.size());
    m_summary->setText(text);
}

void ConductionPanel::showButtons()
{
    const std::pair<QToolButton*, Fascicle> blocks[]{{m_left, Fascicle::left_bundle},
                                                     {m_right, Fascicle::right_bundle}};
    for (const auto& [button, fascicle] : blocks) {
        const auto cut = isCut(*m_fascicles, fascicle);
        button->setEnabled(cut.has_value());
        button->setChecked(cut.value_or(false));
    }
    m_joinAll->setEnabled(m_shape &&
                          std::any_of(m_shape->network->cut.begin(), m_shape->network->cut.end(),
                                      [](char c) { return c != 0; }));
}

void ConductionPanel::setFrame(const NetworkFramePtr& frame)
{
    m_frame = frame;
    if (isVisible() && !m_due.isActive())
        m_due.start();
}

void ConductionPanel::showNewest()
{
    if (!m_shape)
        return;
    m_fascicles->setFrame(m_frame);
    m_junctions->setFrame(m_frame);
    const auto counts = m_junctions->counts();
    QStringList parts;
    for (int s = 0; s < simulation::junction_states; ++s)
        if (const int n = counts[static_cast<std::size_t>(s)]; n > 0)
            parts << QStringLiteral("<span style='color:%1'>■</span> %2 %3")
                         .arg(junctionStateColor(static_cast<JunctionState>(s)).name())
                         .arg(n)
                         .arg(junctionStateName(static_cast<JunctionState>(s)));
    m_counts->setText(parts.join(QStringLiteral("&nbsp;&nbsp; ")));
    const QString delays = m_junctions->delaysText();
    m_delays->setText(delays);
    m_delays->setVisible(!delays.isEmpty());
}

void ConductionPanel::setMoment(const QString& line)
{
    m_moment->setText(line);
    m_moment->setVisible(!line.isEmpty());
}

void ConductionPanel::setWork(const QString& what, double fraction)
{
    m_working->setVisible(!what.isEmpty());
    m_work->setText(what);
    m_progress->setValue(static_cast<int>(std::lround(100 * std::clamp(fraction, 0.0, 1.0))));
    m_search->setEnabled(what.isEmpty());
}

void ConductionPanel::setCutting(bool on)
{
    m_cutting->setChecked(on);
}

void ConductionPanel::arrange()
{
    const bool wide = width() >= wide_px;
    const auto d = wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom;
    if (d != m_columns->direction())
        m_columns->setDirection(d);
    auto* first = m_columns->itemAt(0)->widget();
    first->setMaximumWidth(wide ? source_px : QWIDGETSIZE_MAX);
    for (auto* t : {m_fascicleTable, m_junctionTable})
        t->setMinimumHeight(wide ? 60 : table_px);
}

void ConductionPanel::resizeEvent(QResizeEvent* e)
{
    QWidget::resizeEvent(e);
    arrange();
}

void ConductionPanel::showEvent(QShowEvent* e)
{
    QWidget::showEvent(e);
    arrange();
    showNewest();
}

} // namespace tawara
