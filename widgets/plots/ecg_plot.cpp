// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/ecg_plot.hpp"

#include "engine/analysis/lead_sheet.hpp"
#include "widgets/plots/axes.hpp"

#include <QEvent>

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {

constexpr std::size_t most_samples = 400000; // a few minutes at 1 kHz; older ones go
constexpr double longest_sheet_ms = 1200, name_margin_px = 6;
constexpr double large_ms = 200, large_mm = 5;   // a large square of ECG paper at 25 mm/s
constexpr double gains[] = {40, 20, 10, 5, 2.5}; // [mm/mV]
constexpr double paper_speed = 25, paper_gain = 10, smallest_paper_px = 3; // of a mm
constexpr double smallest_paper = 2.0 / 3, least_mV = 0.01, rim_px = 2;
constexpr double mm_per_inch = 25.4;
constexpr double least_square_px = 6, fine_gone_px = 2.5, fine_full_px = 4;

} // namespace

EcgPlot::EcgPlot(QWidget* parent) : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Electrocardiogram"));
    setToolTip(tr("Wheel: length of time shown. Drag: look back. Double click: follow the run.\n"
                  "Shift + click: cursors A and B, which show the time and mV between them; a drag "
                  "moves one, right click takes them away."));
    say();
}

void EcgPlot::setLeads(const QStringList& names)
{
    if (names != m_leads)
        m_own = 0;
    m_leads = names;
    m_end.reset();
    m_times.clear();
    m_values.assign(static_cast<std::size_t>(names.size()), {});
    m_most.assign(m_values.size(), 0);
    m_ends.clear();
    fitPaper();
    update();
    Q_EMIT changed();
}

void EcgPlot::setOwn(int count)
{
    m_own = count;
    fitPaper();
    update();
}

void EcgPlot::append(std::span<const double> times, const std::vector<std::vector<float>>& mV)
{
    if (mV.size() != m_values.size() || times.empty())
        return;
    m_times.insert(m_times.end(), times.begin(), times.end());
    for (std::size_t k = 0; k < mV.size(); ++k) {
        m_values[k].insert(m_values[k].end(), mV[k].begin(), mV[k].end());
        for (const float v : mV[k])
            m_most[k] = std::max(m_most[k], std::abs(v)); // NaN is no larger
    }
    if (m_times.size() > most_samples) {
        const auto drop = static_cast<std::ptrdiff_t>(m_times.size() / 4);
        m_times.erase(m_times.begin(), m_times.begin() + drop);
        for (auto& v : m_values)
            v.erase(v.begin(), v.begin() + drop);
    }
    fitPaper();
    update();
    Q_EMIT changed();
}

void EcgPlot::setLayout(Layout layout)
{
    m_layout = layout;
    fitPaper();
    update();
    Q_EMIT changed();
}

void EcgPlot::setShown(const QStringList& names)
{
    m_shown = names;
    fitPaper();
    update();
}

void EcgPlot::setWindowMs(double ms)
{
    m_windows = {ms, std::min(ms, longest_sheet_ms)};
    update();
}

void EcgPlot::setPaper(bool standard)
{
    m_paper = standard;
    fitPaper();
    update();
    Q_EMIT changed();
}

void EcgPlot::fitPaper()
{
    const Cells on = cells();
    if (on.shown.empty())
        return;
    const double whole = logicalDpiY() / mm_per_inch;
    double most = least_mV;
    for (const std::size_t lead : on.shown)
        if (!isOwn(lead))
            most = std::max(most, static_cast<double>(m_most[lead]));
    const QRectF first = cell(on, 0);
    const double room = std::max(1.0, first.height() / 2 - rim_px);
    m_paperPx = std::clamp(room / (most * paper_gain), std::min(smallest_paper_px, whole), whole);
    m_paperMs = std::max(1.0, first.width() - on.names) / m_paperPx / paper_speed * 1e3;
}

void EcgPlot::resizeEvent(QResizeEvent* e)
{
    QWidget::resizeEvent(e);
    fitPaper();
}

void EcgPlot::changeEvent(QEvent* e)
{
    QWidget::changeEvent(e);
    if (e->type() == QEvent::FontChange)
        fitPaper();
}

EcgPlot::Scale EcgPlot::paperScale(bool own) const
{
    Scale s{paper_gain, m_paperPx};
    if (!own)
        return s;
    constexpr double own_gains[] = {10, 5, 2.5, 1, 0.5, 0.25, 0.1, 0.05};
    const Cells on = cells();
    double most = least_mV;
    for (const std::size_t lead : on.shown)
        if (isOwn(lead))
            most = std::max(most, static_cast<double>(m_most[lead]));
    const double room = std::max(1.0, cell(on, 0).height() / 2 - rim_px);
    for (const double g : own_gains) {
        s.gain = g;
        if (most * g * s.pixelsPerMm <= room)
            break;
    }
    return s;
}

void EcgPlot::setMoment(std::optional<double> timeMs)
{
    if (timeMs == m_moment)
        return;
    m_moment = timeMs;
    update();
    Q_EMIT changed();
}

bool EcgPlot::isOwn(std::size_t lead) const
{
    return static_cast<qsizetype>(lead) >= m_leads.size() - m_own;
}

double EcgPlot::largest(double from, double to, bool own) const
{
    const auto first = static_cast<std::size_t>(
        std::lower_bound(m_times.begin(), m_times.end(), from) - m_times.begin());
    float most = 0;
    for (const std::size_t lead : cells().shown)
        for (std::size_t i = first;
             isOwn(lead) == own && i < m_values[lead].size() && m_times[i] <= to; ++i)
            most = std::max(most, std::abs(m_values[lead][i]));
    return static_cast<double>(most);
}

void EcgPlot::paintPaper(QPainter& p, const QRectF& r, double msPerPixel, double pixelsPerMm) const
{
    const bool dark = isDark(this);
    const QColor fine = dark ? QColor(0x2a, 0x1d, 0x20) : QColor(0xfb, 0xe3, 0xe0);
    const QColor bold = dark ? QColor(0x40, 0x28, 0x2b) : QColor(0xf2, 0xbd, 0xb8);
    p.fillRect(r, dark ? QColor(0x14, 0x13, 0x17) : QColor(0xff, 0xf8, 0xf6));
    const auto lines = [&](double step, QColor color, double strength, bool vertical) {
        if (!(strength > 0) || !(step > 0))
            return;
        color.setAlphaF(static_cast<float>(std::min(1.0, strength)));
        p.setPen(color);
        // the baseline is on a line
        const double first = vertical ? 0 : std::fmod(r.height() / 2, step);
        for (double at = first; at <= (vertical ? r.width() : r.height()); at += step)
            if (vertical)
                p.drawLine(QPointF(r.left() + std::round(at) + 0.5, r.top()),
                           QPointF(r.left() + std::round(at) + 0.5, r.bottom()));
            else
                p.drawLine(QPointF(r.left(), r.top() + std::round(at) + 0.5),
                           QPointF(r.right(), r.top() + std::round(at) + 0.5));
    };
    // five small squares to a large one; where they grow narrow the small ones fade, never the
    // large
    const double across = large_ms / msPerPixel, down = large_mm * pixelsPerMm;
    const auto squares = [&](double large_px, bool vertical, bool large) {
        const double step = squareStep(large_px) * large_px;
        if (large)
            lines(step, bold, 1, vertical);
        else
            lines(step / 5, fine, (step / 5 - fine_gone_px) / (fine_full_px - fine_gone_px),
                  vertical);
    };
    for (const bool large : {false, true}) { // above the small ones
        squares(across, true, large);
        squares(down, false, large);
    }
}

int EcgPlot::squareStep(double pixels)
{
    for (int step : {1, 2, 4, 10, 20, 40, 100, 200, 400})
        if (step * pixels >= least_square_px)
            return step;
    return 1000;
}

void EcgPlot::paintLead(QPainter& p, const QRectF& r, std::size_t lead, double from, double to,
                        double mVPerPixel) const
{
    const bool dark = isDark(this);
    const QColor color = dark ? QColor(0x6f, 0xe3, 0xa5) : QColor(0x1c, 0x24, 0x30);
    if (const auto kept = m_kept.leads.indexOf(m_leads[static_cast<qsizetype>(lead)]); kept >= 0) {
        p.setPen(QPen(dark ? QColor(0xf0, 0xb9, 0x5a) : QColor(0x8a, 0x56, 0), 1.1, Qt::DashLine));
        paintTrace(p, r, m_kept.times, m_kept.values[static_cast<std::size_t>(kept)], from, to,
                   mVPerPixel);
    }
    p.setPen(QPen(color, 1.5));
    const auto beam = paintTrace(p, r, m_times, m_values[lead], from, to, mVPerPixel);
    if (!sweeps() || !beam)
        return;
    // the gap that runs ahead of the beam
    QLinearGradient g(*beam, 0, *beam + 36, 0);
    QColor ground = dark ? QColor(0x14, 0x13, 0x17) : QColor(0xff, 0xf8, 0xf6);
    g.setColorAt(0, ground);
    ground.setAlpha(0);
    g.setColorAt(1, ground);
    p.fillRect(
        QRectF(*beam + 1, r.top() + 1, std::min(36.0, r.right() - *beam - 1), r.height() - 2), g);
}

std::optional<double> EcgPlot::paintTrace(QPainter& p, const QRectF& r,
                                          const std::vector<double>& times,
                                          const std::vector<float>& v, double from, double to,
                                          double mVPerPixel) const
{
    const auto first = std::lower_bound(times.begin(), times.end(), from) - times.begin();
    const auto last = std::upper_bound(times.begin(), times.end(), to) - times.begin();
    const double mid = r.center().y();
    QPolygonF line;
    double before = -1;
    const auto stride = std::max<std::ptrdiff_t>(
        1, (last - first) / static_cast<std::ptrdiff_t>(std::max(1.0, 3 * r.width())));
    for (auto i = first; i < last; i += stride) {
        const auto k = static_cast<std::size_t>(i);
        if (!std::isfinite(v[k])) { // the lead came later
            p.drawPolyline(line);
            line.clear();
            continue;
        }
        const double x = toX(r, times[k]);
        if (x < before) { // the sweep begins again at the left
            p.drawPolyline(line);
            line.clear();
        }
        before = x;
        line << QPointF(x, mid - static_cast<double>(v[k]) / mVPerPixel);
    }
    p.drawPolyline(line);
    return last > 0 ? std::optional(toX(r, times[static_cast<std::size_t>(last - 1)]))
                    : std::nullopt;
}

bool EcgPlot::keep(bool on)
{
    m_kept = on && !m_times.empty() ? Kept{m_leads, m_times, m_values} : Kept{};
    update();
    return keeps();
}

void EcgPlot::paintMoment(QPainter& p, const QRectF& r) const
{
    const auto [from, to] = range();
    if (m_moment && *m_moment >= from && *m_moment <= to)
        paintMomentLine(p, PlotColors::of(this), toX(r, *m_moment), r.top(), r.bottom());
}

EcgPlot::Cells EcgPlot::cells() const
{
    Cells c;
    const bool sheet = m_layout == Layout::sheet;
    QFont bold = font();
    bold.setBold(true);
    const QFontMetricsF m(bold);
    for (qsizetype k = 0; k < m_leads.size(); ++k)
        if (sheet || m_shown.isEmpty() || m_shown.contains(m_leads[k])) {
            c.shown.push_back(static_cast<std::size_t>(k));
            c.names = std::max(c.names, m.horizontalAdvance(m_leads[k]) + 2 * name_margin_px);
        }
    const LeadSheet places(c.shown.size());
    c.columns = sheet ? static_cast<int>(places.columns) : 1;
    c.rows = sheet ? static_cast<int>(places.rows) : std::max(1, static_cast<int>(c.shown.size()));
    // a long name must not take the trace's place
    c.names = std::min(c.names, 0.3 * width() / c.columns);
    return c;
}

QRectF EcgPlot::cell(const Cells& c, std::size_t k) const
{
    const QRectF whole = QRectF(rect()).adjusted(2, 2, -2, -2 - captionArea().height());
    const double w = whole.width() / c.columns, h = whole.height() / c.rows;
    const auto place =
        m_layout == Layout::sheet ? LeadSheet(c.shown.size()).at(k) : LeadSheet::Place{0, k};
    return {whole.left() + static_cast<double>(place.column) * w + 1,
            whole.top() + static_cast<double>(place.row) * h + 1, w - 2, h - 2};
}

QRectF EcgPlot::captionArea() const
{
    const double tall = QFontMetricsF(font()).height() + 2;
    return QRectF(0, height() - tall - 1, width() - 8, tall);
}

EcgPlot::Scale EcgPlot::scale(bool own) const
{
    if (m_paper)
        return paperScale(own);
    const auto [from, to] = range();
    const double most = std::max(largest(from, to, own), least_mV);
    // many leads in a low strip leave less than the edges take
    const double room = std::max(1.0, cell(cells(), 0).height() / 2 - rim_px);
    const double whole = logicalDpiY() / mm_per_inch;
    Scale s;
    for (const double g : gains) {
        s = {g, std::min(whole, room / (most * g))};
        if (s.pixelsPerMm >= smallest_paper * whole)
            break;
    }
    return s;
}

QRectF EcgPlot::traceArea(int lead) const
{
    const Cells c = cells();
    for (std::size_t k = 0; k < c.shown.size(); ++k)
        if (c.shown[k] == static_cast<std::size_t>(lead))
            return cell(c, k).adjusted(c.names, 0, 0, 0);
    return {};
}

double EcgPlot::newest() const
{
    const double last = m_times.empty() ? 0 : m_times.back();
    const double window = windowMs();
    if (m_end)
        return *m_end;
    return m_moment && *m_moment < last - window ? std::max(window, *m_moment + window / 2) : last;
}

void EcgPlot::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    const PlotColors c = PlotColors::of(this);
    p.fillRect(rect(), c.ground);
    if (m_leads.isEmpty()) {
        p.setPen(c.text);
        p.drawText(QRectF(rect()).adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap,
                   tr("No electrodes yet. Choose \"12 leads\" or place an electrode: the "
                      "electrocardiogram runs here."));
        return;
    }
    const Cells on = cells();
    const auto [from, to] = range();
    const Scale papers[] = {scale(), scale(true)};
    QFont bold = font();
    bold.setBold(true);
    constexpr int name_flags = Qt::AlignRight | Qt::AlignVCenter;
    const QRectF waits = waitingArea();
    p.setFont(bold);
    for (std::size_t k = 0; k < on.shown.size(); ++k) {
        const QRectF whole = cell(on, k), r = whole.adjusted(on.names, 0, 0, 0);
        const Scale& paper = papers[isOwn(on.shown[k]) ? 1 : 0];
        const QRectF name(whole.left(), whole.top(), on.names - name_margin_px, whole.height());
        const QString& lead = m_leads[static_cast<qsizetype>(on.shown[k])];
        p.setPen(c.strong);
        if (!waits.intersects(p.boundingRect(name, name_flags, lead)))
            p.drawText(name, name_flags, lead);
        p.setRenderHint(QPainter::Antialiasing, false);
        paintPaper(p, r, windowMs() / r.width(), paper.pixelsPerMm);
    }
    p.setRenderHint(QPainter::Antialiasing);
    for (std::size_t k = 0; k < on.shown.size(); ++k) {
        const QRectF r = cell(on, k).adjusted(on.names, 0, 0, 0);
        const Scale& paper = papers[isOwn(on.shown[k]) ? 1 : 0];
        const double mVPerPixel = 1 / (paper.gain * paper.pixelsPerMm);
        p.save();
        p.setClipRect(m_paper ? QRectF(r.left(), 0, r.width(), captionArea().top()) : r);
        paintLead(p, r, on.shown[k], from, to, mVPerPixel);
        paintMoment(p, r);
        p.restore();
    }
    p.setFont(font());
    paintWaiting(p);
    paintEnds(p);
    paintMarks(p);
    paintFoot(p);
    paintReading(p);
}

QRectF EcgPlot::waitingArea() const
{
    const QString text = waiting();
    if (text.isEmpty())
        return {};
    // beside the names, of which the sheet has more between
    const QRectF room = QRectF(rect()).adjusted(16 + cells().names, 8, -16, -8);
    return QFontMetricsF(font())
        .boundingRect(room, Qt::AlignCenter | Qt::TextWordWrap, text)
        .adjusted(-8, -4, 8, 4);
}

void EcgPlot::paintWaiting(QPainter& p) const
{
    const QRectF area = waitingArea();
    if (area.isEmpty())
        return;
    const PlotColors c = PlotColors::of(this);
    p.fillRect(area, c.ground);
    p.setPen(c.text);
    p.drawText(area, Qt::AlignCenter | Qt::TextWordWrap, waiting());
}

void EcgPlot::setWaiting(const QString& text)
{
    if (text == m_waiting)
        return;
    m_waiting = text;
    update();
}

QString EcgPlot::caption() const
{
    const Cells on = cells();
    if (on.shown.empty())
        return {};
    const double across = cell(on, 0).width() - on.names;
    // of squares that are drawn, 5 mm each: where the large ones are too narrow, several in one
    const auto square = [](const Scale& s) {
        return large_mm / s.gain * squareStep(large_mm * s.pixelsPerMm);
    };
    const bool mixed = isOwn(on.shown.front()) != isOwn(on.shown.back());
    const Scale first = scale(isOwn(on.shown.front()));
    QString text = m_paper ? tr("%1 mm/s · %2 mm/mV · large squares: %3 ms, %4 mV")
                           : tr("%1 mm/s · %2 mm/mV · squares: %3 ms, %4 mV");
    text = text.arg(paperSpeed(), 0, 'g', 3)
               .arg(large_mm / square(first), 0, 'g', 3)
               .arg(large_ms * squareStep(large_ms * across / windowMs()))
               .arg(square(first), 0, 'g', 3);
    if (m_paper)
        text += tr(" · small ones: 40 ms, %1 mV").arg(square(first) / 5, 0, 'g', 3);
    if (mixed)
        text += tr(" · own leads: %1 mm/mV, %2 mV")
                    .arg(large_mm / square(scale(true)), 0, 'g', 3)
                    .arg(square(scale(true)), 0, 'g', 3);
    if (keeps())
        text += tr(" · dashed: kept");
    return text;
}

} // namespace tawara
