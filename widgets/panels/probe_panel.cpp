// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/probe_panel.hpp"

#include "widgets/panels/icons.hpp"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QShortcut>
#include <QStackedLayout>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace tawara {

ProbePanel::ProbePanel(ProbeModel* model, QWidget* parent)
    : QWidget(parent), m_model(model), m_table(new QTableView), m_stack(new QStackedLayout(this))
{
    auto* none = new QWidget;
    auto* column = new QVBoxLayout(none);
    column->setContentsMargins(12, 12, 12, 12);
    auto* text = new QLabel(tr("A probe records the action potential where you click."));
    text->setWordWrap(true);
    text->setProperty("weak", true);
    auto* place = new QPushButton(themedIcon("probe"), tr("Place a probe"));
    place->setObjectName("placeProbe");
    column->addWidget(text);
    column->addWidget(place, 0, Qt::AlignLeft);
    column->addStretch(1);
    connect(place, &QPushButton::clicked, this, &ProbePanel::placeRequested);

    m_table->setObjectName("probes");
    m_table->setModel(model);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(26);
    m_table->setShowGrid(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setIconSize({11, 11});
    auto* header = m_table->horizontalHeader();
    header->setMinimumSectionSize(28);
    header->setSectionResizeMode(ProbeModel::NameColumn, QHeaderView::Stretch);
    header->setSectionResizeMode(ProbeModel::ValueColumn, QHeaderView::Fixed);
    header->setSectionResizeMode(ProbeModel::RemoveColumn, QHeaderView::Fixed);
    header->resizeSection(ProbeModel::ValueColumn, 88);
    header->resizeSection(ProbeModel::RemoveColumn, 30);
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);

    constexpr int room_for_names = 196;
    setMinimumWidth(room_for_names);
    m_stack->addWidget(none);
    m_stack->addWidget(m_table);
    for (auto signal : {&ProbeModel::rowsInserted, &ProbeModel::rowsRemoved})
        connect(model, signal, this, &ProbePanel::dress);
    connect(model, &ProbeModel::modelReset, this, &ProbePanel::dress);
    auto* key = new QShortcut(QKeySequence::Delete, m_table);
    key->setContext(Qt::WidgetShortcut);
    connect(key, &QShortcut::activated, this, [this] {
        const auto row = static_cast<std::size_t>(std::max(0, m_table->currentIndex().row()));
        if (m_table->currentIndex().isValid() && row < m_model->entries().size())
            Q_EMIT removeRequested(m_model->entries()[row].id);
    });
    dress();
}

void ProbePanel::dress()
{
    m_stack->setCurrentIndex(m_model->entries().empty() ? 0 : 1);
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const auto at = m_model->index(row, ProbeModel::RemoveColumn);
        const ProbeEntry& e = m_model->entries()[static_cast<std::size_t>(row)];
        if (auto* old = m_table->indexWidget(at);
            old != nullptr && old->property("probe").toULongLong() == e.id)
            continue;
        auto* remove = new QToolButton;
        remove->setIcon(themedIcon("close", QColor(0x8d, 0x97, 0xa8)));
        remove->setIconSize({12, 12});
        remove->setToolTip(tr("Remove %1").arg(e.name));
        remove->setObjectName(QStringLiteral("removeProbe"));
        remove->setProperty("probe", e.id);
        remove->setStyleSheet("QToolButton { padding: 2px; }");
        const quint64 id = e.id;
        connect(remove, &QToolButton::clicked, this, [this, id] { Q_EMIT removeRequested(id); });
        m_table->setIndexWidget(at, remove);
    }
}

} // namespace tawara
