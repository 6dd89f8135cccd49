// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/pulse_timeline.hpp"

#include "widgets/plots/axes.hpp"

#include <algorithm>

namespace tawara {
namespace {

constexpr double most_pulses_shown = 60, endless_shown = 8.5;

}

PulseTimeline::PulseTimeline(QWidget* parent) : QWidget(parent)
{
    setMinimumHeight(46);
    setToolTip(tr("When the pulses come [ms]"));
}

void PulseTimeline::setStimulus(const simulation::Stimulus& s, double endMs)
{
    // an endless train is drawn for as long as the run, at most some cycles
    double until = std::min(endMs, 1e7);
    const bool endless =
        s.protocol ? s.protocol->kind == simulation::Protocol::Kind::train && s.protocol->count == 0
                   : s.period_ms > 0 && s.count == 0;
    const double cycle = s.protocol ? s.protocol->cycle_ms : s.period_ms;
    if (endless)
        until = std::min(until, s.start_ms + endless_shown * cycle);
    else if (s.protocol && cycle > 0)
        until = std::min(until, s.start_ms + most_pulses_shown * (cycle + s.protocol->pause_ms));
    m_times = simulation::pulse_times(s, until);
    if (m_times.size() > 4 * most_pulses_shown)
        m_times.resize(static_cast<std::size_t>(4 * most_pulses_shown));
    m_endMs = m_times.empty() ? std::max(1.0, until) : std::max(100.0, m_times.back() * 1.08);
    update();
}

void PulseTimeline::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    const PlotColors c = PlotColors::of(this);
    const QFontMetricsF m(font());
    const QRectF a = QRectF(rect()).adjusted(8, 6, -8, -m.height() - 3);
    p.fillRect(rect(), c.ground);
    p.setPen(c.zero);
    p.drawLine(a.bottomLeft(), a.bottomRight());
    const double step = roundStep(m_endMs, a.width() / 60);
    p.setPen(c.text);
    for (double t = 0; t <= m_endMs; t += step) { // the last label stays inside
        const QString text = numberText(t);
        const double half = m.horizontalAdvance(text) / 2 + 1;
        const double x = std::min(a.left() + t / m_endMs * a.width(), width() - half);
        p.drawText(QRectF(x - half, a.bottom() + 1, 2 * half, m.height()), Qt::AlignCenter, text);
    }
    if (m_times.empty()) {
        p.drawText(a, Qt::AlignCenter, tr("no pulses"));
        return;
    }
    p.setPen(QPen(c.accent, 2));
    for (double t : m_times) {
        const double x = a.left() + t / m_endMs * a.width();
        p.drawLine(QPointF(x, a.top()), QPointF(x, a.bottom()));
    }
}

} // namespace tawara
