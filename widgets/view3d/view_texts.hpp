// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/scene/annotations.hpp"
#include "widgets/scene/note_lines.hpp"

#include <QMargins>
#include <QWidget>

#include <vector>

namespace tawara {

/// Time, remark, colour bar, legend and names of markers over a view, in the screen's own pixels
/// however few the picture beneath is drawn with. A small view has no room beside its heart: time,
/// range and remark are a caption then, which stands above the view. It lets the mouse through.
///
/// @thread GUI thread
class ViewTexts : public QWidget
{
    Q_OBJECT
  public:
    explicit ViewTexts(QWidget* parent);
    /// Of the picture that is shown next.
    void set(const scene::Annotations& a);
    const scene::Annotations& shown() const { return m_shown; }
    /// Widths at the left and right foot of a view that its axes and its bar take.
    static QMargins sides();
    /// From where on nothing of the bar is written, in a view of that height.
    static int barFoot(int height);
    /// The remark as it is written.
    scene::NoteLines noteLines() const;
    /// Where it stands.
    QRectF noteRect() const;
    bool barHasRoom() const;
    bool isSmall() const;
    /// What is to stand above a small view, and all of it in lines; empty for another view.
    QString caption() const;
    QString captionTip() const;
    /// What a bar without room would say: "APD90 180 to 330 ms", or without its name; empty where
    /// there is a bar, or none is wanted.
    QString rangeText(bool named = true) const;
    /// The colours of the bar.
    QRectF barRect() const { return barRect(size(), barEdge()); }
    /// Right end of what is written beside it.
    double numbersEnd() const;
    struct PlacedName
    {
        QRectF box;
        QString text;
    };
    /// The markers' names as they are written, each at a corner of its marker; one that would lie
    /// on another text at all four of them is left out.
    std::vector<PlacedName> placedNames() const;

  protected:
    void paintEvent(QPaintEvent* e) override;

  private:
    void paintBar(QPainter& p, const QColor& ink) const;
    void paintLegend(QPainter& p) const;
    void paintNames(QPainter& p) const;
    void paintLetters(QPainter& p, const QColor& ink) const;
    static QRectF barRect(const QSize& view, double edge);
    /// Its left side's distance from the view's right edge: its numbers have room.
    double barEdge() const;
    double widestNumber() const;
    QRectF titleRect() const; ///< above the bar
    /// From where on the bar or the legend has the view to itself.
    double namesEnd() const;
    QString legendText(const std::string& name) const;
    QFont sized(int pixels) const;
    /// Text that can be read over the heart as well.
    void write(QPainter& p, const QRectF& where, int flags, const QString& text) const;
    QRect timeRect() const;
    void paintTime(QPainter& p) const;
    QRect lettersRect() const; ///< the corner with the axes
    /// Where names are not written: on the time, the remark, the bar and the axes.
    std::vector<QRectF> taken() const;

    scene::Annotations m_shown;
};

} // namespace tawara
