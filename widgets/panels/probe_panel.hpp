// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/models/probe_model.hpp"

#include <QWidget>

class QStackedLayout;
class QTableView;

namespace tawara {

/// The probes: colour, name, V (ProbeModel says which), a button that removes each.
class ProbePanel : public QWidget
{
    Q_OBJECT
  public:
    explicit ProbePanel(ProbeModel* model, QWidget* parent = nullptr);

  Q_SIGNALS:
    void removeRequested(quint64 id);
    void placeRequested(); ///< the user wants to place one: choose the tool

  private:
    void dress();
    ProbeModel* m_model;
    QTableView* m_table;
    QStackedLayout* m_stack;
};

} // namespace tawara
