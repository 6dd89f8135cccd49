// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view3d/view_texts.hpp"

#include "widgets/scene/scalar_bar.hpp"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {

using scene::NoteRoom;

// places and sizes as the scene has them where it writes itself
constexpr int left = static_cast<int>(NoteRoom::left), time_top = 12;
constexpr double bar_width = 14, bar_edge = 64, tallest_bar = 300, tick = 4;
constexpr double beside_tick = 7, after_number = 4;
constexpr double beside_bar = 6; // left of it that nothing is written on
constexpr int beside_marker = 10, axes_side = 92;
constexpr double highest_bar = 70; // its title below the time
constexpr int ticks = 6;
constexpr double row = 23, legend_edge = 14, widest_row = 0.36, least_row = 70;
constexpr int time_points = 15, note_points = 12, title_points = 13;

QColor colorOf(const std::array<double, 3>& c)
{
    return QColor::fromRgbF(static_cast<float>(c[0]), static_cast<float>(c[1]),
                            static_cast<float>(c[2]));
}

} // namespace

ViewTexts::ViewTexts(QWidget* parent) : QWidget(parent)
{
    setObjectName("viewTexts");
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    setFocusPolicy(Qt::NoFocus);
}

QFont ViewTexts::sized(int pixels) const
{
    QFont f = font();
    f.setPixelSize(pixels);
    return f;
}

QRect ViewTexts::timeRect() const
{
    return {left, time_top - 2, std::max(0, width() - left), 24};
}

QRect ViewTexts::lettersRect() const
{
    return {0, height() - axes_side, axes_side, axes_side};
}

bool ViewTexts::barHasRoom() const
{
    return m_shown.bar && !isSmall();
}

bool ViewTexts::isSmall() const
{
    return width() <= 260 || height() <= 180;
}

QString ViewTexts::caption() const
{
    if (!isSmall() || !m_shown.shown)
        return {};
    QStringList parts{rangeText(false), QString::fromStdString(m_shown.time)};
    parts.removeAll({});
    return parts.join(QStringLiteral(" · "));
}

QString ViewTexts::captionTip() const
{
    if (!isSmall() || !m_shown.shown)
        return {};
    QStringList lines{QString::fromStdString(m_shown.time), rangeText(),
                      QString::fromStdString(m_shown.note)};
    for (const auto& entry : m_shown.legend)
        lines << QString::fromStdString(entry.first);
    lines.removeAll({});
    return lines.join(QChar('\n'));
}

double ViewTexts::namesEnd() const
{
    double end = barHasRoom() ? width() - barEdge() - beside_bar : width();
    const QFontMetricsF m(sized(title_points));
    for (const auto& entry : m_shown.legend)
        end = std::min(end, width() - legend_edge - 8 - beside_bar -
                                m.horizontalAdvance(legendText(entry.first)));
    return end;
}

QString ViewTexts::legendText(const std::string& name) const
{
    // names often differ in their last word alone
    return QFontMetricsF(sized(title_points))
        .elidedText(QString::fromStdString(name), Qt::ElideMiddle,
                    std::max(widest_row * width(), least_row));
}

QMargins ViewTexts::sides()
{
    return {axes_side, 0, static_cast<int>(bar_edge + beside_bar), 0};
}

void ViewTexts::set(const scene::Annotations& a)
{
    if (a == m_shown)
        return;
    auto rest = a;
    rest.time = m_shown.time;
    rest.letters = m_shown.letters;
    const bool little = rest == m_shown; // every picture has another time, or is turned
    const bool turned = a.letters != m_shown.letters, later = a.time != m_shown.time;
    m_shown = a;
    if (!little)
        return update();
    if (later)
        update(timeRect());
    if (turned)
        update(lettersRect());
}

void ViewTexts::paintEvent(QPaintEvent*)
{
    if (!m_shown.shown)
        return;
    QPainter p(this);
    p.setRenderHint(QPainter::Antialiasing);
    const QColor ink = colorOf(m_shown.text);
    p.setPen(ink);
    if (!isSmall()) {
        paintTime(p);
        p.setFont(sized(note_points));
        write(p, QRectF(left, NoteRoom::top, width(), height()), Qt::AlignLeft | Qt::AlignTop,
              QString::fromStdString(noteLines().text));
    }
    if (barHasRoom())
        paintBar(p, ink);
    paintLegend(p);
    paintNames(p);
    if (!isSmall())
        paintLetters(p, ink);
}

QString ViewTexts::rangeText(bool named) const
{
    if (!m_shown.bar || barHasRoom())
        return {};
    const double span = m_shown.high - m_shown.low;
    const int digits = span >= 20 ? 0 : span >= 2 ? 1 : 2;
    QString name = QString::fromStdString(m_shown.title), unit;
    if (const auto at = name.lastIndexOf(QLatin1String(" (")); at > 0 && name.endsWith(')')) {
        unit = QLatin1Char(' ') + name.mid(at + 2).chopped(1);
        name.truncate(at);
    }
    return tr("%1 %2 to %3%4")
        .arg(named ? name : QString())
        .arg(m_shown.low, 0, 'f', digits)
        .arg(m_shown.high, 0, 'f', digits)
        .arg(unit)
        .trimmed();
}

void ViewTexts::paintTime(QPainter& p) const
{
    p.setFont(sized(time_points));
    write(p, timeRect(), Qt::AlignLeft | Qt::AlignTop,
          QFontMetricsF(p.font(), this)
              .elidedText(QString::fromStdString(m_shown.time), Qt::ElideRight,
                          std::max(0.0, width() - 2.0 * left)));
}

void ViewTexts::write(QPainter& p, const QRectF& where, int flags, const QString& text) const
{
    if (text.isEmpty())
        return;
    const QPen ink = p.pen();
    const bool dark = ink.color().lightness() < 128;
    const QRectF box = QFontMetricsF(p.font(), this).boundingRect(where, flags, text);
    p.setPen(Qt::NoPen);
    p.setBrush(dark ? QColor(255, 255, 255, 150) : QColor(8, 10, 14, 130));
    p.drawRoundedRect(box.adjusted(-4, -1, 4, 1), 3, 3);
    p.setPen(ink);
    p.drawText(where, flags, text);
}

scene::NoteLines ViewTexts::noteLines() const
{
    const QFontMetricsF m(sized(note_points), this);
    double right = width();
    if (barHasRoom())
        right = std::min(barRect().left(), titleRect().left() - 4); // its ground
    if (!m_shown.legend.empty())
        right = std::min(right, namesEnd());
    return scene::note_lines(m_shown.note,
                             scene::note_room(width(), height(), right, m.lineSpacing()),
                             [&m](const std::string& text) {
                                 return m.horizontalAdvance(QString::fromStdString(text));
                             });
}

QRectF ViewTexts::noteRect() const
{
    return QFontMetricsF(sized(note_points), this)
        .boundingRect(QRectF(left, NoteRoom::top, width(), height()), Qt::AlignLeft | Qt::AlignTop,
                      QString::fromStdString(noteLines().text));
}

double ViewTexts::widestNumber() const
{
    const QFontMetricsF m(sized(note_points), this);
    double widest = 0;
    for (const auto& text : scene::tick_texts(scene::round_ticks(m_shown.low, m_shown.high, ticks)))
        widest = std::max(widest, m.horizontalAdvance(QString::fromStdString(text)));
    return widest;
}

double ViewTexts::barEdge() const
{
    return std::max(bar_edge,
                    std::ceil(bar_width + beside_tick + tick + widestNumber() + after_number));
}

double ViewTexts::numbersEnd() const
{
    return barRect().right() + beside_tick + tick + widestNumber();
}

QRectF ViewTexts::barRect(const QSize& view, double edge)
{
    const double tall = std::round(std::min(tallest_bar, 0.55 * view.height()));
    const double top = std::max(std::round((view.height() - tall) / 2), highest_bar);
    return {view.width() - edge, top, bar_width, tall};
}

int ViewTexts::barFoot(int height)
{
    constexpr int half_a_number = 10;
    return static_cast<int>(barRect(QSize(0, height), bar_edge).bottom()) + half_a_number;
}

QRectF ViewTexts::titleRect() const
{
    const QRectF bar = barRect();
    const double wide =
        QFontMetricsF(sized(title_points)).horizontalAdvance(QString::fromStdString(m_shown.title));
    // a long title stays within the view
    const double middle = std::min(bar.center().x() + 8, width() - wide / 2 - 8);
    return {middle - wide / 2 - 1, bar.top() - 32, wide + 2, 20};
}

void ViewTexts::paintBar(QPainter& p, const QColor& ink) const
{
    const QRectF bar = barRect();
    const double x0 = bar.left(), x1 = bar.right(), top = bar.top(), bottom = bar.bottom(),
                 tall = bar.height();
    p.setRenderHint(QPainter::Antialiasing, false);
    for (int y = 0; y < static_cast<int>(tall); ++y) {
        const auto& c = m_shown.map.colors[static_cast<std::size_t>(255 * (1 - (y + 0.5) / tall))];
        p.fillRect(QRectF(x0, top + y, bar_width, 1), QColor(c[0], c[1], c[2]));
    }
    p.setPen(ink);
    p.setFont(sized(note_points));
    const auto values = scene::round_ticks(m_shown.low, m_shown.high, ticks);
    const auto texts = scene::tick_texts(values);
    for (std::size_t k = 0; k < values.size(); ++k) {
        const double y = bottom - tall * (values[k] - m_shown.low) / (m_shown.high - m_shown.low);
        p.drawLine(QPointF(x1 + 1, y), QPointF(x1 + 1 + tick, y));
        p.drawText(QRectF(x1 + beside_tick + tick, y - 10, barEdge(), 20),
                   Qt::AlignLeft | Qt::AlignVCenter, QString::fromStdString(texts[k]));
    }
    p.setRenderHint(QPainter::Antialiasing);
    p.setFont(sized(title_points));
    write(p, titleRect(), Qt::AlignCenter, QString::fromStdString(m_shown.title));
}

void ViewTexts::paintLegend(QPainter& p) const
{
    const QFont font = sized(title_points);
    const QFontMetricsF m(font);
    p.setFont(font);
    double y = (height() - row * static_cast<double>(m_shown.legend.size())) / 2;
    if (isSmall() && y < 0)
        return; // the caption's tool tip has it
    for (const auto& [name, rgb] : m_shown.legend) {
        const QColor ground(rgb[0], rgb[1], rgb[2]);
        const QString text = legendText(name);
        const double wide = m.horizontalAdvance(text) + 8;
        const QRectF box(width() - legend_edge - wide, y, wide, row - 5);
        p.fillRect(box, ground);
        const double light = 0.3 * ground.redF() + 0.59 * ground.greenF() + 0.11 * ground.blueF();
        p.setPen(light < 0.45 ? QColor(0xf7, 0xfa, 0xff) : QColor(0x12, 0x14, 0x1a));
        p.drawText(box, Qt::AlignCenter, text);
        y += row;
    }
}

std::vector<QRectF> ViewTexts::taken() const
{
    constexpr double ground = 4; // of a text, at either side
    const QFontMetricsF small(sized(note_points), this), large(sized(time_points), this);
    std::vector<QRectF> out;
    if (isSmall())
        return out;
    const double time = large.horizontalAdvance(QString::fromStdString(m_shown.time));
    if (time > 0)
        out.emplace_back(0, 0, left + time + ground, timeRect().bottom());
    if (!m_shown.note.empty())
        out.push_back(noteRect().adjusted(-ground, -1, ground, 1));
    if (barHasRoom()) {
        const double half_a_number = small.height() / 2;
        out.push_back(titleRect().adjusted(-ground, -1, ground, 1));
        out.emplace_back(QPointF(barRect().left() - beside_bar, barRect().top() - half_a_number),
                         QPointF(width(), barRect().bottom() + half_a_number));
    }
    if (!m_shown.letters.empty())
        out.emplace_back(lettersRect());
    return out;
}

std::vector<ViewTexts::PlacedName> ViewTexts::placedNames() const
{
    QFont font = sized(note_points);
    font.setBold(true);
    const QFontMetricsF m(font, this);
    const double high = m.height(), end = namesEnd();
    std::vector<QRectF> full = taken();
    std::vector<PlacedName> out;
    for (const auto& n : m_shown.names) {
        const QString text = m.elidedText(QString::fromStdString(n.text), Qt::ElideMiddle,
                                          std::max(widest_row * width(), least_row));
        const double wide = m.horizontalAdvance(text) + 4;
        const double x = std::round(n.x * width()), y = std::round(n.y * height());
        const double other_side = x - 2 * beside_marker - wide;
        const QPointF corners[] = {{x, y - high},
                                   {other_side, y - high},
                                   {x, y + beside_marker},
                                   {other_side, y + beside_marker}};
        const auto* at = std::find_if(std::begin(corners), std::end(corners), [&](QPointF c) {
            const QRectF box(c, QSizeF(wide, high));
            return box.left() >= 0 && box.right() <= end && box.top() >= 0 &&
                   box.bottom() <= height() &&
                   std::none_of(full.begin(), full.end(),
                                [&](const QRectF& r) { return r.intersects(box); });
        });
        if (at == std::end(corners))
            continue;
        out.push_back({QRectF(*at, QSizeF(wide, high)), text});
        full.push_back(out.back().box);
    }
    return out;
}

void ViewTexts::paintNames(QPainter& p) const
{
    QFont font = sized(note_points);
    font.setBold(true);
    p.setFont(font);
    for (const auto& [box, text] : placedNames()) {
        p.fillRect(box, QColor(13, 15, 20, 140));
        p.setPen(Qt::white);
        p.drawText(box, Qt::AlignCenter, text);
    }
}

void ViewTexts::paintLetters(QPainter& p, const QColor& ink) const
{
    const QFont font = sized(note_points);
    const QFontMetricsF m(font);
    p.setFont(font);
    p.setPen(ink);
    for (const auto& l : m_shown.letters) {
        const double half = m.height() / 2;
        p.drawText(QRectF(std::round(l.x * width() - half), std::round(l.y * height() - half),
                          2 * half, 2 * half),
                   Qt::AlignCenter, QString::fromStdString(l.text));
    }
}

} // namespace tawara
