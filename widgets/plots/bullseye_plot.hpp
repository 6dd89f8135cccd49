// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFont>
#include <QImage>
#include <QPainterPath>
#include <QWidget>

#include <array>
#include <functional>
#include <vector>

namespace tawara {

/// The American Heart Association's bull's-eye: 17 segments of the left ventricle, base outside,
/// apex in the middle, anterior up, in the colours of a map; or divided as the tissue of each
/// segment is, with what the colours mean beneath. A segment without a value stays grey.
class BullseyePlot : public QWidget
{
    Q_OBJECT
  public:
    using Values = std::array<double, 17>; ///< NaN: none
    using ToColor = std::function<QColor(double)>;
    explicit BullseyePlot(QWidget* parent = nullptr);
    /// @param shares  of each segment the part that the value is of, 0 to 1. Below 0.95 the segment
    /// is
    ///                hatched and its number has a "~"; below 0.1 no number stands for it.
    void setValues(const Values& values, const QString& title, int decimals, ToColor color,
                   const Values& shares);
    /// The same of whole segments.
    void setValues(const Values& values, const QString& title, int decimals, ToColor color);
    const Values& values() const { return m_values; }
    /// A kind of tissue.
    struct Part
    {
        QString name;
        QColor color;
        bool operator==(const Part&) const = default;
    };
    using Shares = std::array<std::vector<double>, 17>; ///< of each part; empty: unknown
    /// Shows what each segment consists of, in place of values. Parts that no segment has are left
    /// out of the legend.
    void setParts(const Shares& shares, const QString& title, const std::vector<Part>& parts);
    /// Whether parts have their segments' numbers on them.
    void setNumbered(bool on);
    /// Says why there is nothing to show, in place of the segments; empty: they are shown.
    void setReason(const QString& reason);
    const QString& reason() const { return m_reason; }
    /// A segment's outline, and where its number stands, within the plot.
    QPainterPath outline(int segment) const;
    QRectF numberArea(int segment) const;
    QString numberOf(int segment) const;     ///< as it stands there
    static QString segmentName(int segment); ///< 1 to 17
    QSize sizeHint() const override { return {240, 240}; }
    QSize minimumSizeHint() const override { return {150, 150}; }

  Q_SIGNALS:
    void segmentClicked(int segment); ///< 1 to 17

  protected:
    void paintEvent(QPaintEvent* e) override;
    void mousePressEvent(QMouseEvent* e) override;
    bool event(QEvent* e) override;

  private:
    struct Number
    {
        QString text;
        QFont font;
        QRectF area;
    };
    int segmentAt(QPointF p) const;
    bool partial(std::size_t k) const;
    bool anyPartial() const;
    QString fullNumber(int segment, int decimals) const;
    /// The same with fewer and fewer decimals, as long as they say the value, then without "~".
    QStringList numbersToTry(int segment) const;
    bool numbered() const; ///< no segment has a value: their own numbers stand there
    /// The number as large as it fits its segment, at most so large [px], with as many digits as
    /// that takes; in narrower letters where that is what makes it fit.
    Number number(int segment, int most_px) const;
    /// Of all segments, those in wide ones hardly larger than those in narrow ones.
    std::array<Number, 17> allNumbers() const;
    QPainterPath slice(int segment, double from, double to) const; ///< parts of its span
    void paintSegment(QPainter& p, int segment, const Number& n) const;
    void paintNumber(QPainter& p, const Number& n, const QColor& ink) const;
    void paintLegend(QPainter& p) const;
    /// Whether any segment has some of a part.
    bool anyOf(std::size_t part) const;
    /// "−12.5", "62 % Endo, 38 % Scar": what a segment's tool tip says of it.
    QString textOf(int segment) const;
    double legendHeight() const;
    /// Two where numbers stand on parts and all names are short, so that the plot keeps its room.
    std::size_t legendColumns() const;
    QPointF centre() const;
    double radius() const;

    Values m_values, m_valueShares;
    QString m_title, m_reason;
    int m_decimals = 0;
    ToColor m_color;
    Shares m_shares;
    std::vector<Part> m_parts; ///< not empty: they are shown
    bool m_numbersOnParts = false;
};

} // namespace tawara
