// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/transport_bar.hpp"

#include "widgets/panels/icons.hpp"
#include "widgets/panels/timeline.hpp"

#include <QApplication>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include <utility>

namespace tawara {

using State = simulation::Status::State;

namespace {

bool isLoaded(State s)
{
    return s != State::empty && s != State::loading;
}

constexpr double endless_ms = 100000; // a later end is no end to a viewer

} // namespace

QString ratioText(double msPerSecond)
{
    if (!(msPerSecond > 0))
        return {};
    const double slower = 1000 / msPerSecond;
    if (slower > 1.05)
        return QObject::tr("%1 × slower").arg(slower, 0, 'f', slower < 10 ? 1 : 0);
    if (slower < 0.95)
        return QObject::tr("%1 × faster").arg(1 / slower, 0, 'f', 1);
    return QObject::tr("real time");
}

QString speedText(double msPerSecond)
{
    if (!(msPerSecond > 0))
        return {};
    const QString rate = QObject::tr("%1 ms/s").arg(msPerSecond, 0, 'f', msPerSecond < 100 ? 1 : 0);
    const QString ratio = ratioText(msPerSecond);
    return ratio.contains(QChar(0xd7)) ? QObject::tr("%1  ·  %2 than real time").arg(rate, ratio)
                                       : QObject::tr("%1  ·  %2").arg(rate, ratio);
}

QToolButton* TransportBar::button(const QString& icon, const QString& text, const QString& name)
{
    auto* b = new QToolButton(this);
    b->setObjectName(name);
    b->setIcon(themedIcon(icon));
    if (icon != QLatin1String("play"))
        b->setProperty("themedIcon", icon);
    b->setIconSize({22, 22});
    b->setToolTip(text);
    b->setAccessibleName(text);
    b->setFocusPolicy(Qt::TabFocus);
    return b;
}

TransportBar::TransportBar(QWidget* parent) : QWidget(parent)
{
    setObjectName("transport");
    setAttribute(Qt::WA_StyledBackground);
    m_play = button("play", tr("Play (Space)"), "play");
    m_play->setIcon(themedIcon("play", Qt::white));
    m_step = button("step", tr("One time step (.)"), "step");
    m_reset = button("reset", tr("Back to the start (Ctrl+R)"), "reset");
    m_record = button(
        "record", tr("Record frames, to scrub through and to make movies of (Ctrl+E)"), "record");
    m_record->setCheckable(true);
    m_timeline = new Timeline(this);
    m_time = new QLabel("0.0 ms", this);
    m_time->setObjectName("time");
    m_time->setMinimumWidth(100);
    m_time->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_end = new QLabel(this);
    m_end->setObjectName("weak");
    // room for what it says of a replay, so that the timeline stays where it is under the mouse
    m_end->setMinimumWidth(
        m_end->fontMetrics().horizontalAdvance(tr("run at %1 ms").arg("8888.8")));
    m_speed = new QLabel(this);
    m_speed->setObjectName("speed");
    m_speed->setToolTip(tr("Simulated milliseconds per second of wall time. Where no graphics card "
                           "draws, Run > Compute first draws less and gets ahead faster"));
    m_limit = new QComboBox(this);
    m_limit->setObjectName("limit");
    m_limit->setToolTip(tr("The fastest that the simulation may go"));
    m_limit->addItem(tr("As fast as possible"), 0.0);
    m_limit->addItem(tr("Real time, 1 : 1"), 1000.0);
    m_limit->addItem(tr("1 : 10"), 100.0);
    m_limit->addItem(tr("1 : 100"), 10.0);
    m_limit->setFocusPolicy(Qt::TabFocus);

    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(10, 6, 12, 6);
    row->setSpacing(6);
    row->addWidget(m_play);
    row->addWidget(m_step);
    row->addWidget(m_reset);
    row->addWidget(m_record);
    row->addSpacing(4);
    row->addWidget(m_time);
    row->addWidget(m_end);
    row->addWidget(m_timeline, 1);
    row->addWidget(m_speed);
    row->addSpacing(6);
    row->addWidget(m_limit);

    connect(m_play, &QToolButton::clicked, this, [this] {
        if (m_state == State::running)
            Q_EMIT pauseRequested();
        else
            Q_EMIT playRequested();
    });
    connect(m_step, &QToolButton::clicked, this, [this] {
        Q_EMIT stepRequested(QApplication::keyboardModifiers() & Qt::ShiftModifier ? 50 : 1);
    });
    connect(m_reset, &QToolButton::clicked, this, &TransportBar::resetRequested);
    connect(m_record, &QToolButton::clicked, this, &TransportBar::recordRequested);
    connect(m_limit, &QComboBox::currentIndexChanged, this,
            [this] { Q_EMIT speedLimitChosen(speedLimit()); });
    setStatus({});
}

void TransportBar::setRecordingText(const QString& text)
{
    m_record->setToolTip(tr("Record frames, to scrub through and to make movies of (Ctrl+E)") +
                         (text.isEmpty() ? QString() : QStringLiteral("\n") + text));
}

double TransportBar::speedLimit() const
{
    return m_limit->currentData().toDouble();
}

void TransportBar::setSpeedLimit(double msPerSecond)
{
    const int at = m_limit->findData(msPerSecond);
    m_limit->setCurrentIndex(at < 0 ? 0 : at);
}

void TransportBar::setTime(double ms)
{
    m_runMs = ms;
    showTime();
}

void TransportBar::setReplay(std::optional<double> ms)
{
    m_replayMs = ms;
    m_timeline->setShown(ms);
    showTime();
}

void TransportBar::showTime()
{
    const auto text = [](double ms) { return QString::number(ms, 'f', 1); };
    m_time->setText(tr("%1 ms").arg(text(m_replayMs.value_or(m_runMs))));
    m_end->setText(m_replayMs ? tr("replay\nrun at %1 ms").arg(text(m_runMs)) : m_endText);
    m_time->setToolTip(m_replayMs ? tr("The recorded moment that is shown, and how far the run is; "
                                       "a double click on the timeline follows the run again")
                                  : tr("Simulated time"));
}

void TransportBar::setStatus(const simulation::Status& status)
{
    const bool running = status.state == State::running;
    if ((m_state == State::running) != running) {
        m_play->setIcon(themedIcon(running ? "pause" : "play", Qt::white));
        m_play->setToolTip(running ? tr("Pause (Space)") : tr("Play (Space)"));
        m_play->setAccessibleName(m_play->toolTip());
    }
    const bool was = isLoaded(std::exchange(m_state, status.state)), loaded = isLoaded(m_state);
    m_play->setEnabled(loaded);
    m_step->setEnabled(m_state == State::paused);
    m_reset->setEnabled(loaded);
    m_record->setEnabled(loaded);
    m_record->setChecked(status.recording);
    m_timeline->setEnabled(loaded);
    m_timeline->setRun(loaded ? status.time_ms : 0, status.end_ms);
    if (!loaded)
        m_time->setText(QStringLiteral("–"));
    else if (!was)
        setTime(status.time_ms);
    const QString end = loaded && status.end_ms > 0 && status.end_ms < endless_ms
                            ? tr("of %1 ms").arg(status.end_ms, 0, 'f', status.end_ms < 100 ? 1 : 0)
                            : QString();
    if (std::exchange(m_endText, end) != end && !m_replayMs)
        m_end->setText(end);
    // on two lines: the timeline has the room
    const QString speed = running ? speedText(status.ms_per_second).replace("  ·  ", "\n")
                          : m_state == State::paused   ? tr("paused")
                          : m_state == State::finished ? tr("reached its end")
                          : m_state == State::failed   ? tr("failed")
                                                       : QString();
    if (m_speed->text() != speed)
        m_speed->setText(speed);
}

} // namespace tawara
