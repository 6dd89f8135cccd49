// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/session.hpp"

#include <QDialog>

class QComboBox;
class QLabel;
class QPushButton;

namespace tawara {

class NumberBox;

/// Run > Numerics: by which schemes and in which steps a session is computed. What is known of such
/// steps for its cell models is said while values are chosen, and why a session cannot have them.
///
/// @thread GUI thread
class NumericsDialog : public QDialog
{
    Q_OBJECT
  public:
    /// @param current  the session that is open
    explicit NumericsDialog(simulation::Session current, QWidget* parent = nullptr);
    /// The session with what is chosen.
    simulation::Session session() const;
    /// What is said below the values; empty: nothing.
    QString said() const;

  private:
    void describe();

    simulation::Session m_current;
    QComboBox *m_reaction, *m_scheme, *m_mass, *m_currents, *m_stepping, *m_splitting, *m_precision;
    NumberBox *m_step, *m_longest, *m_rest;
    double m_stepShown = 0, m_longestShown = 0,
           m_restShown = 0; ///< as the boxes showed the session's
    QLabel* m_said;
    QPushButton* m_go;
};

} // namespace tawara
