// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>
#include <QRect>

#include <functional>
#include <vector>

class QGridLayout;
class QLabel;
class QTimer;
class QToolButton;

namespace tawara {

/// What went wrong and what to do, or what was done: a card at the foot of its parent, over what
/// lies there, so that nothing moves when it comes or goes. Warnings and errors stay until closed;
/// the newest is shown, with how many more there are and a button that closes them all. Warnings
/// that wait for nobody's answer fold into a small button at the side after a while, which shows
/// them again: they lie over the apex. Notes go by themselves or with a click, and cover no error.
class MessageBar : public QFrame
{
    Q_OBJECT
  public:
    enum class Level { note, done, warning, error }; ///< done: what was asked for is there
    /// What a message offers to do about it: a button, which also closes the message.
    struct Offer
    {
        QString text;
        std::function<void()> act; ///< empty: none
    };
    /// @param parent  what it lies over; without one it stands alone
    explicit MessageBar(QWidget* parent = nullptr);
    /// @param about  the action that it is of, e.g. "export": what was said of that before goes
    void showMessage(Level level, const QString& text, const QString& advice = {},
                     const QString& about = {}, Offer offer = {});
    /// What is shown now.
    QString text() const;
    Level level() const { return m_level; }
    /// Where in the parent it may lie; without, anywhere in it. A text that has no room there is
    /// shown in part, and whole in its tip.
    void setRoom(std::function<QRect()> room) { m_room = std::move(room); }
    /// Puts it there anew: the room is another one.
    void place();
    /// How long warnings stay unfolded [ms].
    void setPatience(int ms) { m_patience_ms = ms; }
    bool folded() const { return m_folded; }
    /// Warnings and errors that nobody has closed yet.
    int waiting() const { return static_cast<int>(m_open.size()); }
    /// That action has succeeded since: what was said of it goes.
    void settle(const QString& about);
    /// Takes all of them back.
    void clear();
    bool eventFilter(QObject* watched, QEvent* e) override;

  protected:
    void mousePressEvent(QMouseEvent* e) override;
    void changeEvent(QEvent* e) override;

  private:
    struct Message
    {
        Level level;
        QString text, about;
        Offer offer;
        bool folded = false; ///< it was read long enough
    };
    /// Closes what is shown.
    void closeShown();
    /// The newest that waits, or nothing.
    void showNext();
    void display(const Message& m);
    /// Folds what waits, if that is warnings without an offer alone and no pointer is over them.
    void fold();
    /// Shows the folded button alone, or all but that.
    void showFolded(bool folded);
    /// Shows as much of the text as a bar of that size has room for.
    void fitText(int width, int height);
    void drawIcon();

    Level m_level = Level::note;
    std::vector<Message> m_open; ///< warnings and errors, the newest last
    QString m_whole;             ///< text of the message that is shown
    std::function<QRect()> m_room;
    QLabel *m_icon, *m_text, *m_count;
    QWidget* m_others; ///< what is said of the messages beneath
    QToolButton *m_closeAll, *m_offer, *m_close, *m_unfold;
    QGridLayout* m_grid;
    QTimer *m_away, *m_fold;
    int m_patience_ms = 15000;
    bool m_folded = false;
};

} // namespace tawara
