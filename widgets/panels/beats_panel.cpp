// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/beats_panel.hpp"

#include "widgets/panels/form.hpp"
#include "widgets/plots/scatter_plot.hpp"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {

QString number(double v, int decimals)
{
    return std::isfinite(v) ? QString::number(v, 'f', decimals).replace('-', QChar(0x2212))
                            : QStringLiteral("–");
}

} // namespace

BeatsPanel::BeatsPanel(QWidget* parent) : QWidget(parent)
{
    m_table = new QTableWidget(0, 9);
    m_table->setObjectName("beats");
    m_table->setHorizontalHeaderLabels(
        {tr("Probe"), tr("At\n(ms)"), tr("APD30\n(ms)"), tr("APD50\n(ms)"), tr("APD90\n(ms)"),
         tr("dV/dt max\n(mV/ms)"), tr("Amplitude\n(mV)"), tr("Diastole\n(ms)"), tr("Cycle\n(ms)")});
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(23);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_none = hintLabel(
        tr("No beat was measured yet. Place a probe (P) and let the simulation run: each beat's "
           "action potential duration, upstroke and diastolic interval appear here."));
    m_none->setAlignment(Qt::AlignCenter);
    m_none->setContentsMargins(20, 10, 20, 10);
    m_restitution = new ScatterPlot(
        tr("diastolic interval (ms)"), tr("APD90 (ms)"),
        tr("Restitution: APD90 over the diastolic interval before it, from the second beat on."));
    m_restitution->setObjectName("restitution");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_none, 3);
    row->addWidget(m_table, 5);
    row->addWidget(m_restitution, 2);
    setBeats({});
}

void BeatsPanel::setBeats(const std::vector<Entry>& entries)
{
    std::vector<ScatterPlot::Series> series;
    int rows = 0;
    for (const auto& e : entries)
        rows += static_cast<int>(e.beats.size());
    const bool atEnd = rows != m_table->rowCount();
    m_table->setRowCount(rows);
    int row = 0;
    for (const auto& e : entries) {
        ScatterPlot::Series s{e.probe, e.color, {}};
        for (const auto& b : e.beats) {
            const QString texts[] = {e.probe,
                                     number(b.activation_ms, 1),
                                     number(b.apd30_ms, 1),
                                     number(b.apd50_ms, 1),
                                     number(b.apd90_ms, 1),
                                     number(b.upstroke_mV_per_ms, 0),
                                     number(b.amplitude_mV, 1),
                                     number(b.diastolic_ms, 1),
                                     number(b.cycle_ms, 1)};
            for (int column = 0; column < 9; ++column) {
                auto* item = m_table->item(row, column);
                if (item == nullptr)
                    m_table->setItem(row, column, item = new QTableWidgetItem);
                item->setText(texts[column]);
                item->setTextAlignment(column == 0 ? Qt::AlignLeft | Qt::AlignVCenter
                                                   : Qt::AlignRight | Qt::AlignVCenter);
                if (column == 0)
                    item->setForeground(e.color);
            }
            if (std::isfinite(b.diastolic_ms) && std::isfinite(b.apd90_ms))
                s.points.emplace_back(b.diastolic_ms, b.apd90_ms);
            ++row;
        }
        series.push_back(std::move(s));
    }
    const bool points =
        std::any_of(series.begin(), series.end(), [](const auto& s) { return !s.points.empty(); });
    m_restitution->setVisible(rows == 0 || points); // until then the table has its room
    m_restitution->setSeries(std::move(series));
    m_none->setVisible(rows == 0);
    m_table->setVisible(rows > 0);
    if (atEnd && rows > 0)
        m_table->scrollToBottom();
}

} // namespace tawara
