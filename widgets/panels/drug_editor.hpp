// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/panels/form.hpp"

#include <QStringList>
#include <QWidget>

#include <map>

class QVBoxLayout;

namespace tawara {

/// Drugs as factors on conductances: presets with their sources, every factor a slider.
class DrugEditor : public QWidget
{
    Q_OBJECT
  public:
    explicit DrugEditor(QWidget* parent = nullptr);
    /// @param lacking  said on the cards: the regions whose model does not have the parameter of a
    ///                 factor; no regions: no model of the session has it
    void setDrugs(const std::vector<simulation::Drug>& drugs,
                  const std::map<std::string, QStringList>& lacking = {});

  Q_SIGNALS:
    void edited(const QString& what, const tawara::SessionChange& change, const QString& key);

  private:
    void rebuild();
    QWidget* card(std::size_t i);
    QWidget* factorRow(std::size_t drug, std::size_t factor);

    std::vector<simulation::Drug> m_drugs;
    std::map<std::string, QStringList> m_lacking;
    QVBoxLayout* m_cards;
    QLabel* m_none;
    bool m_moving = false; // a slider is held: its row must not be made anew
};

} // namespace tawara
