// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/messages.hpp"

#include <QWidget>

class QFormLayout;
class QLabel;
class QVBoxLayout;

namespace tawara {

/// What is loaded: title, mesh, unknowns, time step, device, and what the engine remarked on loading.
class InfoPanel : public QWidget
{
    Q_OBJECT
  public:
    explicit InfoPanel(QWidget* parent = nullptr);
    void setScene(const simulation::Scene* scene);

  private:
    void row(const QString& label, const QString& text, const QString& tip = {});
    QVBoxLayout* m_column;
    QWidget* m_content = nullptr;
    QFormLayout* m_form = nullptr;
};

} // namespace tawara
