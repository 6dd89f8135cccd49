// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>

class QLabel;
class QProgressBar;
class QPushButton;

namespace tawara {

/// A card over the heart: progress of loading with a cancel button, or what to do while nothing is
/// open.
class Overlay : public QFrame
{
    Q_OBJECT
  public:
    explicit Overlay(QWidget* parent);
    void showLoading(const QString& title);
    QString title() const;
    void setProgress(double fraction, const QString& stage);
    void showEmpty();
    bool loading() const;
    /// Keeps the card in the middle of the parent.
    bool eventFilter(QObject* watched, QEvent* e) override;

  Q_SIGNALS:
    void cancelRequested();
    void openRequested();
    void heartRequested(); ///< the built-in heart

  private:
    void centre();
    QLabel *m_title, *m_text;
    QProgressBar* m_bar;
    QPushButton *m_cancel, *m_open, *m_heart;
};

} // namespace tawara
