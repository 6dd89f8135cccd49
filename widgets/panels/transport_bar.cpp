// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/transport_bar.hpp"

#include "widgets/models/speed_words.hpp"
#include "widgets/panels/folding_row.hpp"
#include "widgets/panels/form.hpp"
#include "widgets/panels/icons.hpp"
#include "widgets/panels/steady_label.hpp"
#include "widgets/panels/timeline.hpp"

#include <QApplication>
#include <QComboBox>
#include <QHBoxLayout>
#include <QStylePainter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace tawara {

using State = simulation::Status::State;

namespace {

bool isLoaded(State s)
{
    return s != State::empty && s != State::loading;
}

constexpr double endless_ms = 100000; // a later end is no end to a viewer
constexpr int short_role = Qt::UserRole + 1;

QString msText(double ms)
{
    return QString::number(ms, 'f', ms < endless_ms ? 1 : 0); // the room is the same
}

/// Shows a short word for what its list and its tool tip say in full, and is as wide as the widest
/// of those words.
class ShortChoice : public ChoiceBox
{
  public:
    using ChoiceBox::ChoiceBox;
    void add(const QString& whole, const QString& word, const QVariant& value)
    {
        addItem(whole, value);
        setItemData(count() - 1, word, short_role);
    }
    QSize sizeHint() const override
    {
        int wide = 0;
        for (int k = 0; k < count(); ++k)
            wide = std::max(wide, fontMetrics().horizontalAdvance(
                                      itemData(k, short_role).toString() + QChar(' ')));
        QStyleOptionComboBox o;
        initStyleOption(&o);
        const int high = ChoiceBox::sizeHint().height();
        return {style()->sizeFromContents(QStyle::CT_ComboBox, &o, {wide, high}, this).width(),
                high};
    }
    QSize minimumSizeHint() const override { return sizeHint(); }

  protected:
    void paintEvent(QPaintEvent*) override
    {
        QStylePainter p(this);
        QStyleOptionComboBox o;
        initStyleOption(&o);
        o.currentText = currentData(short_role).toString();
        p.drawComplexControl(QStyle::CC_ComboBox, o);
        p.drawControl(QStyle::CE_ComboBoxLabel, o);
    }
};

} // namespace

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

    auto* run = new QHBoxLayout;
    run->setSpacing(4);
    for (auto* b : {m_play, m_step, m_reset, m_record})
        run->addWidget(b);
    run->addStretch(1);
    run->addLayout(buildTimes());
    auto* reach = new QHBoxLayout;
    reach->setSpacing(8);
    reach->addWidget(m_timeline, 1);
    reach->addLayout(buildSpeeds());
    auto* row = new FoldingRow(this);
    row->setContentsMargins(10, 4, 12, 4);
    row->setSpacing(8);
    row->addLayout(run);
    row->addLayout(reach, 1);

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

QLayout* TransportBar::buildTimes()
{
    m_time = new SteadyLabel("0.0 ms", this);
    m_time->setObjectName("time");
    m_time->setRoomFor({tr("%1 ms").arg("88888.8")});
    m_end = new SteadyLabel({}, this);
    m_end->setObjectName("weak");
    m_end->setRoomFor({tr("replay of %1 ms").arg("88888.8"), tr("replay of run before")});
    auto* column = new QVBoxLayout;
    column->setSpacing(0);
    for (auto* label : {m_time, m_end}) {
        label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        column->addWidget(label);
    }
    return column;
}

QLayout* TransportBar::buildSpeeds()
{
    m_speed = new SteadyLabel({}, this);
    m_speed->setObjectName("speed");
    m_speed->setProperty("weak", true);
    m_speed->setRoomFor({tr("%1 ms/s").arg(88888), tr("reached its end")});
    auto* box = new ShortChoice(this);
    box->setObjectName("limit");
    box->setToolTip(tr("The fastest that the simulation may go"));
    box->setAccessibleName(box->toolTip());
    box->add(tr("As fast as possible"), tr("Fastest"), 0.0);
    box->add(tr("Real time, 1 : 1"), tr("Real time"), 1000.0);
    box->add(tr("1 : 10, ten times slower than real time"), tr("1 : 10"), 100.0);
    box->add(tr("1 : 100, a hundred times slower"), tr("1 : 100"), 10.0);
    box->setFocusPolicy(Qt::TabFocus);
    m_limit = box;
    auto* column = new QVBoxLayout;
    column->setSpacing(2);
    column->addWidget(m_limit);
    column->addWidget(m_speed);
    return column;
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

void TransportBar::setReplay(std::optional<double> ms, bool ofBefore)
{
    m_replayMs = ms;
    m_ofBefore = ofBefore;
    m_timeline->setShown(ms);
    showTime();
}

void TransportBar::showTime()
{
    m_time->setText(tr("%1 ms").arg(msText(m_replayMs.value_or(m_runMs))));
    m_end->setText(!m_replayMs  ? m_endText
                   : m_ofBefore ? tr("replay of run before")
                                : tr("replay of %1 ms").arg(msText(m_runMs)));
    m_time->setToolTip(!m_replayMs ? tr("Simulated time")
                       : m_ofBefore
                           ? tr("The recorded moment of the run before, which was set back to the "
                                "start; the run is at %1 ms now, and a double click on the "
                                "timeline follows it again")
                                 .arg(msText(m_runMs))
                           : tr("The recorded moment that is shown, and how far the run is; "
                                "a double click on the timeline follows the run again"));
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
    const bool ends = status.end_ms > 0 && status.end_ms < endless_ms;
    const QString end = !loaded ? QString()
                        : ends
                            ? tr("of %1 ms").arg(status.end_ms, 0, 'f', status.end_ms < 100 ? 1 : 0)
                            : tr("no end set");
    if (std::exchange(m_endText, end) != end && !m_replayMs)
        m_end->setText(end);
    showSpeed(status);
}

void TransportBar::showSpeed(const simulation::Status& status)
{
    const bool runs = status.state == State::running && status.ms_per_second > 0;
    const QString said = runs                         ? rateText(status.ms_per_second)
                         : m_state == State::paused   ? tr("paused")
                         : m_state == State::finished ? tr("reached its end")
                         : m_state == State::failed   ? tr("failed")
                                                      : QString();
    if (m_speed->text() != said)
        m_speed->setText(said);
    const QString what =
        tr("Simulated milliseconds per second of wall time. Where no graphics card draws, Run > "
           "Compute first draws less and gets ahead faster");
    const QString tip = runs ? speedText(status.ms_per_second) + '\n' + what : what;
    if (m_speed->toolTip() != tip)
        m_speed->setToolTip(tip);
}

} // namespace tawara
