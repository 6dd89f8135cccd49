// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>

class QLabel;
class QTimer;
class QToolButton;

namespace tawara {

/// One line above the heart that says what went wrong and what to do; stays until closed or
/// replaced. Notes go by themselves.
class MessageBar : public QFrame
{
    Q_OBJECT
  public:
    enum class Level { note, done, warning, error }; ///< done: what was asked for is there
    explicit MessageBar(QWidget* parent = nullptr);
    void showMessage(Level level, const QString& text, const QString& advice = {});
    QString text() const;
    /// Takes a message back that begins with this text; another one stays.
    void withdraw(const QString& text);
    Level level() const { return m_level; }

  private:
    Level m_level = Level::note;
    QLabel *m_icon, *m_text;
    QTimer* m_away;
};

} // namespace tawara
