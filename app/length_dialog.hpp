// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>

class QLabel;
class QLineEdit;
class QPushButton;
class QRadioButton;

namespace tawara {

/// Run > Length of the run: when it ends, or that it goes on until somebody pauses it. Why an end
/// cannot be taken is said while it is typed.
///
/// @thread GUI thread
class LengthDialog : public QDialog
{
    Q_OBJECT
  public:
    /// An end that nobody waits for, the one of the built-in heart's session [ms].
    static constexpr double no_end_ms = 1e6;

    /// @param endMs   of the session that is open
    /// @param nowMs   how far the run is
    /// @param stepMs  its time step: the least length
    LengthDialog(double endMs, double nowMs, double stepMs, QWidget* parent = nullptr);
    /// The end that is chosen [ms]: the present one where nothing was changed, and never less than
    /// that for no end. @pre fault() is empty
    double end() const;
    /// Why what is chosen cannot be taken; empty: it can.
    QString fault() const;
    /// The run has gone on.
    void setNow(double ms);

  private:
    void describe();

    double m_endMs, m_nowMs, m_stepMs;
    QRadioButton *m_ends, *m_goesOn;
    QLineEdit* m_number;
    QLabel* m_note;
    QPushButton* m_ok;
};

} // namespace tawara
