// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/beats_panel.hpp"

#include "widgets/panels/field_note.hpp"
#include "widgets/panels/form.hpp"
#include "widgets/panels/icons.hpp"
#include "widgets/plots/axes.hpp"
#include "widgets/plots/scatter_plot.hpp"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace tawara {

namespace {

constexpr int looked_at = 50; // rows beside the visible ones, for the widths of columns

} // namespace

BeatsPanel::BeatsPanel(QWidget* parent) : QWidget(parent)
{
    m_model = new BeatsModel(this);
    m_table = new QTableView;
    m_table->setObjectName("beats");
    m_table->setModel(m_model);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(23);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setResizeContentsPrecision(looked_at);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setIconSize({11, 11});
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    auto* header = m_table->horizontalHeader();
    header->moveSection(BeatsModel::paced_by, 2); // behind the time, where it is seen at any width
    header->setHighlightSections(false);          // all columns of a selected row
    header->setSectionsClickable(true);
    // a click sorts, and selects nothing
    disconnect(header, &QHeaderView::sectionPressed, m_table, nullptr);
    disconnect(header, &QHeaderView::sectionEntered, m_table, nullptr);
    connect(header, &QHeaderView::sectionClicked, this, &BeatsPanel::sortBy);
    m_none = hintLabel({});
    m_none->setObjectName("noBeats");
    m_none->setAlignment(Qt::AlignCenter);
    m_none->setContentsMargins(20, 10, 20, 10);
    m_restitution = new ScatterPlot(
        tr("diastolic interval (ms)"), tr("APD90 (ms)"),
        tr("Restitution: APD90 over the diastolic interval before it, from the second beat on."));
    m_restitution->setObjectName("restitution");
    m_restitution->setOpenMeaning(tr("earlier tissue"));
    m_restitution->setShortTitles(tr("DI (ms)"), tr("APD90"));
    m_unpaced = new QLabel;
    m_unpaced->setWordWrap(true);
    m_unpaced->setObjectName("unpaced");
    m_unpaced->setTextFormat(Qt::PlainText);
    m_unpaced->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_unpaced->setContentsMargins(8, 4, 8, 4);
    m_unpaced->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_unpaced);
    auto* row = new QHBoxLayout;
    column->addLayout(row, 1);
    row->setSpacing(0);
    row->addWidget(m_none, 4);
    row->addWidget(m_table, 10);
    row->addWidget(m_restitution, 3);
    addExports();
    setBeats({}, {});
}

void BeatsPanel::setUnpaced(const QString& text)
{
    m_unpaced->setText(text);
    m_unpaced->setVisible(!text.isEmpty());
}

void BeatsPanel::sortBy(int column)
{
    if (column != m_model->sortedBy())
        m_model->sort(column);
    else if (m_model->sortOrder() == Qt::AscendingOrder)
        m_model->sort(column, Qt::DescendingOrder);
    else
        m_model->sort(BeatsModel::as_they_came);
    m_table->clearSelection(); // other beats are in those rows
    span();
    m_table->scrollToTop();
}

void BeatsPanel::addExports()
{
    const auto add = [this](QWidget* to, const char* name, const QString& text, const char* kind) {
        auto* action = new QAction(text, to);
        action->setObjectName(name);
        connect(action, &QAction::triggered, this,
                [this, kind] { Q_EMIT exportRequested(QString::fromLatin1(kind)); });
        to->addAction(action);
        to->setContextMenuPolicy(Qt::ActionsContextMenu);
        return action;
    };
    auto* copy = new QAction(tr("&Copy"), m_table);
    copy->setObjectName("copyBeats");
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, &BeatsPanel::copySelected);
    m_table->addAction(copy);
    add(m_table, "exportBeats", tr("&Export the beats (CSV)…"), "beats-csv");
    m_exportPoints = add(m_restitution, "exportRestitution", tr("&Export these points (CSV)…"),
                         "restitution-csv");
    m_restitution->setToolTip(tr("APD90 over the diastolic interval (DI) before it. Right click: "
                                 "these points as a table"));
}

void BeatsPanel::copySelected() const
{
    QModelIndexList rows = m_table->selectionModel()->selectedRows();
    if (rows.isEmpty())
        return;
    std::sort(rows.begin(), rows.end());
    constexpr QChar between(0x202f), below(0x2212); // spaces and minus of numbers that are shown
    QStringList lines, cells;
    for (int column = 0; column < m_model->columnCount(); ++column)
        cells << m_model->headerData(column, Qt::Horizontal, Qt::EditRole)
                     .toString()
                     .replace(QLatin1Char('\n'), QLatin1Char(' '));
    lines << cells.join('\t');
    for (const auto& row : rows) {
        cells.clear();
        for (int column = 0; column < m_model->columnCount(); ++column)
            cells << row.siblingAtColumn(column).data().toString().remove(between).replace(
                below, QLatin1Char('-'));
        lines << cells.join('\t');
    }
    QGuiApplication::clipboard()->setText(lines.join('\n') + '\n');
}

void BeatsPanel::setBeats(const std::vector<Entry>& entries,
                          const std::vector<simulation::TissueEdit>& edits)
{
    std::vector<ScatterPlot::Series> series;
    for (const auto& e : entries) {
        std::size_t tissue = 0;
        for (const auto& b : e.beats) {
            const auto of = simulation::edits_until(edits, b.activation_ms);
            if (series.empty() || of != tissue || &b == &e.beats.front())
                series.push_back({e.probe, e.color, {}, of < edits.size()});
            tissue = of;
            if (std::isfinite(b.diastolic_ms) && std::isfinite(b.apd90_ms))
                series.back().points.emplace_back(b.diastolic_ms, b.apd90_ms);
        }
    }
    const bool points =
        std::any_of(series.begin(), series.end(), [](const auto& s) { return !s.points.empty(); });
    const int had = m_model->rowCount();
    m_model->setBeats(entries, edits);
    const int rows = m_model->rowCount();
    span();
    if (rows != had && rows > 0 && m_model->sortedBy() == BeatsModel::as_they_came)
        m_table->scrollToBottom();
    m_restitution->setVisible(rows == 0 || points); // without points the table has its room
    m_exportPoints->setEnabled(points);
    m_restitution->setSeries(std::move(series));
    m_hasProbes = !entries.empty();
    sayNone();
    m_none->setVisible(rows == 0);
    m_table->setVisible(rows > 0);
}

void BeatsPanel::setEnded(bool ended)
{
    if (std::exchange(m_ended, ended) != ended)
        sayNone();
}

void BeatsPanel::sayNone()
{
    const QString what =
        tr("each beat's action potential duration, upstroke and diastolic interval appear here.");
    QString text;
    if (!m_ended)
        text = tr("No beat was measured yet. %1: %2")
                   .arg(m_hasProbes ? tr("Let the simulation run until a wave reaches a probe")
                                    : tr("Place a probe (P) and let the simulation run"),
                        what);
    else if (m_hasProbes)
        text = tr("The run has ended, and no beat was found at the probes. Play it from the start "
                  "(Ctrl+R), or make it longer (Run > "
                  "Length of the run…).");
    else
        text = tr("The run has ended, and there is no probe. Place one (P) and play the run from "
                  "the start (Ctrl+R): %1")
                   .arg(what);
    m_none->setText(text);
}

void BeatsPanel::span()
{
    std::vector<bool> changes;
    for (int row = 0; row < m_model->rowCount(); ++row)
        changes.push_back(m_model->isChange(row));
    if (changes == m_changes)
        return;
    m_changes = std::move(changes);
    m_table->clearSpans();
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (m_changes[static_cast<std::size_t>(row)])
            m_table->setSpan(row, 0, 1, BeatsModel::columns);
}

} // namespace tawara
