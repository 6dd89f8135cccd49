// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/beats_panel.hpp"

#include "widgets/panels/field_note.hpp"
#include "widgets/panels/form.hpp"
#include "widgets/panels/icons.hpp"
#include "widgets/plots/axes.hpp"
#include "widgets/plots/scatter_plot.hpp"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <span>

namespace tawara {

using simulation::TissueEdit;

namespace {

constexpr int columns = 9;

QString number(double v, int decimals)
{
    return std::isfinite(v) ? QString::number(v, 'f', decimals).replace('-', QChar(0x2212))
                            : QStringLiteral("–");
}

/// "Tissue changed at 1 240 ms, during the beat above: drug Dofetilide given"
QString changeText(std::span<const TissueEdit> edits, const simulation::Beat* before)
{
    const auto at = [](const TissueEdit& e) {
        return spacedNumber(std::round(10 * e.time_ms) / 10);
    };
    QString text = edits.size() == 1
                       ? BeatsPanel::tr("Tissue changed at %1 ms").arg(at(edits.front()))
                       : BeatsPanel::tr("Tissue changed %1 times, at %2 to %3 ms")
                             .arg(edits.size())
                             .arg(at(edits.front()), at(edits.back()));
    if (before != nullptr && before->holds(edits.front().time_ms))
        text += BeatsPanel::tr(", during the beat above");
    const QString what = QString::fromStdString(simulation::what_of(edits));
    return what.isEmpty() ? text : text + QStringLiteral(": ") + what;
}

} // namespace

BeatsPanel::BeatsPanel(QWidget* parent) : QWidget(parent)
{
    m_table = new QTableWidget(0, columns);
    m_table->setObjectName("beats");
    m_table->setHorizontalHeaderLabels(
        {tr("Probe"), tr("At\n(ms)"), tr("APD30\n(ms)"), tr("APD50\n(ms)"), tr("APD90\n(ms)"),
         tr("dV/dt max\n(mV/ms)"), tr("Amplitude\n(mV)"), tr("Diastole\n(ms)"), tr("Cycle\n(ms)")});
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(23);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setIconSize({11, 11});
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_none = hintLabel({});
    m_none->setObjectName("noBeats");
    m_none->setAlignment(Qt::AlignCenter);
    m_none->setContentsMargins(20, 10, 20, 10);
    m_restitution = new ScatterPlot(
        tr("diastolic interval (ms)"), tr("APD90 (ms)"),
        tr("Restitution: APD90 over the diastolic interval before it, from the second beat on."));
    m_restitution->setObjectName("restitution");
    m_restitution->setOpenMeaning(tr("earlier tissue"));
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
    add(m_table, "exportBeats", tr("&Export the beats (CSV)…"), "beats-csv");
    m_exportPoints = add(m_restitution, "exportRestitution", tr("&Export these points (CSV)…"),
                         "restitution-csv");
    m_restitution->setToolTip(tr("Right click: these points as a table"));
}

std::vector<BeatsPanel::Row> BeatsPanel::rowsOf(const Entry& e,
                                                const std::vector<TissueEdit>& edits)
{
    std::vector<Row> rows;
    std::size_t told = 0; // of the changes
    const auto tell = [&](std::size_t until, const simulation::Beat* before) {
        if (told < until)
            rows.push_back({{},
                            {},
                            nullptr,
                            changeText(std::span(edits).subspan(told, until - told), before)});
        told = until;
    };
    const simulation::Beat* before = nullptr;
    for (const auto& b : e.beats) {
        tell(simulation::edits_until(edits, b.activation_ms), before);
        rows.push_back({e.probe, e.color, &b, {}});
        before = &b;
    }
    if (before != nullptr)
        tell(edits.size(), before);
    return rows;
}

void BeatsPanel::setBeats(const std::vector<Entry>& entries, const std::vector<TissueEdit>& edits)
{
    std::vector<ScatterPlot::Series> series;
    std::vector<Row> rows;
    for (const auto& e : entries) {
        for (auto& r : rowsOf(e, edits))
            rows.push_back(std::move(r));
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
    // until then the table has its room
    m_restitution->setVisible(rows.empty() || points);
    m_exportPoints->setEnabled(points);
    m_restitution->setSeries(std::move(series));
    fill(rows);
    const QString how = entries.empty() ? tr("Place a probe (P) and let the simulation run")
                                        : tr("Let the simulation run until a wave reaches a probe");
    m_none->setText(tr("No beat was measured yet. %1: each beat's action potential duration, "
                       "upstroke and diastolic interval appear here.")
                        .arg(how));
    m_none->setVisible(rows.empty());
    m_table->setVisible(!rows.empty());
}

void BeatsPanel::fill(const std::vector<Row>& rows)
{
    std::vector<bool> changes;
    for (const auto& r : rows)
        changes.push_back(!r.change.isEmpty());
    const int count = static_cast<int>(rows.size());
    const bool atEnd = count != m_table->rowCount();
    // rows of beats keep their cells as long as they can
    const auto same =
        std::mismatch(changes.begin(), changes.end(), m_changes.begin(), m_changes.end()).first;
    if (const auto kept = static_cast<int>(same - changes.begin()); kept < m_table->rowCount())
        m_table->setRowCount(kept);
    m_changes = std::move(changes);
    m_table->setRowCount(count);
    for (int row = 0; row < count; ++row)
        if (const auto& r = rows[static_cast<std::size_t>(row)]; r.beat == nullptr)
            fillChange(row, r.change);
        else
            fillBeat(row, r);
    if (atEnd && count > 0)
        m_table->scrollToBottom();
}

void BeatsPanel::fillBeat(int row, const Row& r)
{
    const auto& b = *r.beat;
    const QString texts[columns] = {r.probe,
                                    number(b.activation_ms, 1),
                                    number(b.apd30_ms, 1),
                                    number(b.apd50_ms, 1),
                                    number(b.apd90_ms, 1),
                                    number(b.upstroke_mV_per_ms, 0),
                                    number(b.amplitude_mV, 1),
                                    number(b.diastolic_ms, 1),
                                    number(b.cycle_ms, 1)};
    constexpr int first_driven = 2, last_driven = 6; // APD30 to amplitude
    const QString driven =
        b.driven_by.empty()
            ? QString()
            : tr("* The current of %1 was flowing here when V rose: upstroke, amplitude and APDs, "
                 "APD30 above all, are of that current as well as of the cells. A probe outside "
                 "of what is stimulated shows the cells alone.")
                  .arg(b.driven_by == "click" ? tr("a click")
                                              : QString::fromStdString(b.driven_by));
    for (int column = 0; column < columns; ++column) {
        auto* item = m_table->item(row, column);
        if (item == nullptr)
            m_table->setItem(row, column, item = new QTableWidgetItem);
        const bool mark = !driven.isEmpty() && column >= first_driven && column <= last_driven;
        item->setText(mark ? texts[column] + QLatin1Char('*') : texts[column]);
        item->setToolTip(driven);
        item->setTextAlignment(column == 0 ? Qt::AlignLeft | Qt::AlignVCenter
                                           : Qt::AlignRight | Qt::AlignVCenter);
        if (column == 0)
            item->setIcon(swatchIcon(r.color));
    }
}

void BeatsPanel::fillChange(int row, const QString& text)
{
    auto* item = m_table->item(row, 0);
    if (item == nullptr) {
        m_table->setItem(row, 0, item = new QTableWidgetItem(swatchIcon(changeColor(), true), {}));
        QFont italic = m_table->font();
        italic.setItalic(true);
        item->setFont(italic);
        item->setSizeHint({1, 1}); // it goes over all columns and makes none of them wider
        m_table->setSpan(row, 0, 1, columns);
    }
    item->setText(text);
    item->setToolTip(text);
}

} // namespace tawara
