// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLabel>
#include <QStringList>

namespace tawara {

/// A label of one or more lines whose width does not follow its text, so that nothing beside it
/// moves when that changes: it has room for the widest that it is to say. A line that does not fit
/// ends in "…", and the whole text is in the tool tip then. text() is always the whole text.
///
/// @thread GUI thread
class SteadyLabel : public QLabel
{
    Q_OBJECT
  public:
    explicit SteadyLabel(const QString& text = {}, QWidget* parent = nullptr);
    /// As wide as the widest of these, lines taken singly, whatever it says; not for texts that
    /// change.
    void setRoomFor(const QStringList& texts);
    /// Without such texts: as wide as its text where there is room, and down to so many letters of
    /// mean width.
    void setLeastLetters(int letters);
    /// As on screen; of a rich text that does not fit, "…".
    QString shownText() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  protected:
    bool event(QEvent* e) override;
    void paintEvent(QPaintEvent* e) override;

  private:
    bool rich() const;
    QSize sized(int mostWide) const; ///< of its text or its room, at most so wide

    QStringList m_room;
    int m_leastLetters = 0;
};

} // namespace tawara
