// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/panels/form.hpp"

#include <QWidget>

class QCheckBox;

namespace tawara {

/// Whether and how cells are paced alone before the tissue starts, and what they reached.
class PrepacingCard : public QWidget
{
    Q_OBJECT
  public:
    explicit PrepacingCard(QWidget* parent = nullptr);
    void setSession(const simulation::Session& s);
    /// What the engine says of it (Tissue::prepaced); empty: nothing yet.
    void setReached(const QString& text, bool warning);

  Q_SIGNALS:
    void edited(const QString& what, const tawara::SessionChange& change, const QString& key);

  private:
    void set(const simulation::Prepacing& p, const QString& key);
    void show_();

    simulation::Prepacing m_prepacing;
    double m_usualMs = 1000; ///< cycle length that is proposed: that of the first site that goes on
    QCheckBox *m_on, *m_untilSteady;
    QWidget* m_rows;
    NumberBox *m_beats, *m_cycle;
    QLabel* m_reached;
    QString m_text;
    bool m_warning = false;
};

} // namespace tawara
