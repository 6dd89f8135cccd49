// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/region_names.hpp"
#include "engine/simulation/live/messages.hpp"

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
    /// What the labels of that mesh are called; forgotten with another mesh.
    void setLabels(const std::vector<mesh::RegionName>& names);

  protected:
    void changeEvent(QEvent* e) override;

  private:
    /// Sets the text in the colours of the theme.
    void fill();

    QString m_html; ///< with @weak and @warn for colours, and a place for the labels
    QString m_labels;
    const mesh::TetMesh* m_mesh = nullptr; ///< that the labels are of; not looked into
    QLabel* m_text;
};

} // namespace tawara
