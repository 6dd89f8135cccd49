// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>

class QPushButton;
class QToolButton;

namespace tawara {

/// What a newcomer may try, beside the heart. Where there is no room beside it, a button in the
/// corner above, which shows the card.
class HintCard : public QFrame
{
    Q_OBJECT
  public:
    explicit HintCard(QWidget* parent);
    bool folded() const;
    void place();

  Q_SIGNALS:
    void seen();

  protected:
    bool eventFilter(QObject* watched, QEvent* e) override;

  private:
    QToolButton* m_unfold;
    QWidget* m_body;
    bool m_asked = false; ///< to be shown where there is no room beside the heart
};

} // namespace tawara
