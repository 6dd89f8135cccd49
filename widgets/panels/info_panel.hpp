// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/messages.hpp"

#include <QWidget>

class QLabel;

namespace tawara {

/// What is loaded: title, mesh, unknowns, time step, device, and what the engine remarked on
/// loading.
class InfoPanel : public QWidget
{
    Q_OBJECT
  public:
    explicit InfoPanel(QWidget* parent = nullptr);
    void setScene(const simulation::Scene* scene);

  protected:
    void changeEvent(QEvent* e) override;

  private:
    /// Sets the text in the colours of the theme.
    void fill();

    QString m_html; ///< with @weak and @warn for colours
    QLabel* m_text;
};

} // namespace tawara
