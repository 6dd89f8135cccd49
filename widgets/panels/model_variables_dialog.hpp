// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/special_variables.hpp"

#include <QDialog>

class QComboBox;
class QLabel;
class QPushButton;

namespace tawara {

/// Asks which variables of a model file are the membrane potential, the stimulus current and the
/// time, where the file leaves that open.
class ModelVariablesDialog : public QDialog
{
    Q_OBJECT
  public:
    ModelVariablesDialog(const QString& file, const cell::Candidates& candidates,
                         QWidget* parent = nullptr);
    cell::SpecialVariables variables() const;
    /// What was chosen cannot be used; it stays open.
    void refuse(const QString& reason);

  Q_SIGNALS:
    /// Use is pressed. Who listens closes the dialog, or refuses.
    void chosen(const tawara::cell::SpecialVariables& variables);

  private:
    QComboBox* combo(const char* name, const std::vector<cell::Candidate>& candidates,
                     const std::string& found, const QString& none);
    void describe(const QComboBox* box, QLabel* text) const;

    QComboBox *m_potential, *m_stimulus, *m_time;
    QLabel* m_error;
    QPushButton* m_use;
};

} // namespace tawara
