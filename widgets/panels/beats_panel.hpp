// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/messages.hpp"

#include <QColor>
#include <QWidget>

class QTableWidget;
class QLabel;

namespace tawara {

class ScatterPlot;

/// Beats at the probes: a table of their measures, and APD90 over the diastolic interval before.
class BeatsPanel : public QWidget
{
    Q_OBJECT
  public:
    struct Entry
    {
        QString probe;
        QColor color;
        std::vector<simulation::Beat> beats;
        bool operator==(const Entry&) const = delete;
    };
    explicit BeatsPanel(QWidget* parent = nullptr);
    void setBeats(const std::vector<Entry>& entries);
    QTableWidget* table() { return m_table; }

  private:
    QTableWidget* m_table;
    QLabel* m_none;
    ScatterPlot* m_restitution;
};

} // namespace tawara
