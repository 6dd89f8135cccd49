// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/status_strip.hpp"

#include "widgets/models/speed_words.hpp"
#include "widgets/panels/form.hpp"
#include "widgets/panels/steady_label.hpp"

#include <QFile>
#include <QHBoxLayout>
#include <QStatusBar>
#include <QToolButton>

#include <cmath>
#include <unistd.h>
#include <vector>

namespace tawara {
namespace {

using State = simulation::Status::State;

void setTextIfNew(QLabel* label, const QString& text)
{
    if (label->text() != text)
        label->setText(text);
}

QString stateText(State s)
{
    switch (s) {
    case State::empty:
        return StatusStrip::tr("Nothing open");
    case State::loading:
        return StatusStrip::tr("Loading");
    case State::paused:
        return StatusStrip::tr("Paused");
    case State::running:
        return StatusStrip::tr("Running");
    case State::finished:
        return StatusStrip::tr("Finished");
    case State::failed:
        return StatusStrip::tr("Failed");
    }
    return {};
}

/// What may stand in that state's place without a file being opened or closed.
QStringList besides(State s)
{
    const bool open = s != State::empty && s != State::loading;
    QStringList out;
    for (State other :
         open ? std::vector{State::paused, State::running, State::finished, State::failed}
              : std::vector{State::empty, State::loading})
        out << QStringLiteral("●  ") + stateText(other);
    return out;
}

const char* stateColor(State s)
{
    switch (s) {
    case State::running:
        return "#4cc38a";
    case State::loading:
        return "#56b4e9";
    case State::failed:
        return "#ff6b57";
    default:
        return "#8d97a8";
    }
}

QString shortCount(double n)
{
    if (n >= 1e6)
        return QString::number(n / 1e6, 'f', 1) + QStringLiteral(" M");
    if (n >= 1e4)
        return QString::number(n / 1e3, 'f', 0) + QStringLiteral(" k");
    return QString::number(n, 'f', n < 10 ? 1 : 0);
}

QString filmedText(qint64 seconds)
{
    return StatusStrip::tr("● Filming the screen  %1:%2")
        .arg(seconds / 60)
        .arg(seconds % 60, 2, 10, QChar('0'));
}

QString framesText(double perSecond, double detail)
{
    const QString rate = StatusStrip::tr("%1 frames/s").arg(perSecond, 0, 'f', 0);
    return detail < 1 ? StatusStrip::tr("%1 at %2 %").arg(rate).arg(100 * detail, 0, 'f', 0) : rate;
}

/// Resident memory, from /proc; empty where there is no such thing.
QString memoryText()
{
    QFile f(QStringLiteral("/proc/self/statm"));
    if (!f.open(QIODevice::ReadOnly))
        return {};
    const double pages = f.readAll().split(' ').value(1).toDouble();
    const double mb = pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
    return mb < 10000 ? StatusStrip::tr("%1 MB").arg(mb, 0, 'f', 0)
                      : StatusStrip::tr("%1 GB").arg(mb / 1000, 0, 'f', 1);
}

/// @param atRest  part of the unknowns' steps that was taken at rest
QString stepsTip(double atRest)
{
    const QString tip = StatusStrip::tr("Time steps per second of wall time");
    return atRest > 0 ? tip + StatusStrip::tr(". Of the steps of all unknowns %1 % were taken at "
                                              "rest, several as one (reaction.rest_tolerance_mV)")
                                  .arg(std::lround(100 * atRest))
                      : tip;
}

} // namespace

StatusStrip::StatusStrip(QStatusBar* bar) : QObject(bar)
{
    const auto label = [](const char* name, const QString& tip, const QStringList& room) {
        auto* l = new SteadyLabel;
        l->setObjectName(QLatin1String(name));
        l->setToolTip(tip);
        l->setRoomFor(room);
        l->setLeastLetters(12);
        return l;
    };
    const auto right = [bar, &label](const char* name, const QString& tip,
                                     const QStringList& room) {
        auto* l = label(name, tip, room);
        l->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        bar->addPermanentWidget(l);
        return l;
    };
    bar->setSizeGripEnabled(false);
    m_state = label("state", tr("What the engine does"), {});
    m_state->setTextFormat(Qt::RichText);
    m_device = label("device", tr("Where it is computed, in what precision"), {});
    m_path = label("renderPath", tr("How values reach the picture"), {});
    for (QWidget* w : std::initializer_list<QWidget*>{m_state, m_device, m_path, buildFilming()})
        bar->addWidget(w);
    m_steps =
        right("steps", stepsTip(0), {tr("%1 steps/s").arg(8888), tr("%1 steps/s").arg("888 k")});
    m_slower = right("slower",
                     tr("Speed beside real time. Where no graphics card draws, Run > Compute first "
                        "draws less and gets ahead faster"),
                     {tr("%1 × slower").arg(88888)});
    m_frames = right("fps", tr("Pictures drawn per second"), {framesText(88, 0.88)});
    m_memory = right("memory", tr("Memory of this program in the machine"),
                     {tr("%1 MB").arg(8888), tr("%1 GB").arg("888.8")});
    setStatus({}, 0);
}

void StatusStrip::setStatus(const simulation::Status& s, double framesPerSecond, double detail)
{
    m_state->setRoomFor(besides(s.state));
    setTextIfNew(m_state, QStringLiteral("<span style='color:%1'>●</span>&nbsp; %2")
                              .arg(QLatin1String(stateColor(s.state)), stateText(s.state)));
    const bool running = s.state == State::running;
    setTextIfNew(m_steps,
                 running ? tr("%1 steps/s").arg(shortCount(s.steps_per_second)) : QString());
    m_steps->setToolTip(stepsTip(s.share_quiescent));
    setTextIfNew(m_slower, running ? ratioText(s.ms_per_second) : QString());
    if (m_polls++ % 10 == 0)
        setTextIfNew(m_memory, memoryText());
    setTextIfNew(m_frames, running ? framesText(framesPerSecond, detail) : QString());
    m_frames->setToolTip(
        detail < 1
            ? tr("Software OpenGL draws moving pictures with fewer pixels (%1 % along a side), so "
                 "that the window answers at once; a picture at rest has all of them. Run > "
                 "Compute first leaves the processor to the computation")
                  .arg(100 * detail)
        : s.frames_dropped > 0
            ? tr("Pictures drawn per second; %1 display frames were skipped, the "
                 "computation is complete")
                  .arg(s.frames_dropped)
            : tr("Pictures drawn per second"));
}

QWidget* StatusStrip::buildFilming()
{
    m_filming = new QWidget;
    m_filming->setObjectName("filming");
    m_filmed = new SteadyLabel;
    m_filmed->setObjectName("filmed");
    m_filmed->setProperty("level", "error");
    m_filmed->setRoomFor({filmedText(8888)});
    m_filmed->setToolTip(tr("What is on screen is written to a movie"));
    auto* end = smallButton({}, tr("End"), "endFilm", tr("End the film of the screen"));
    end->setFocusPolicy(Qt::NoFocus);
    auto* row = new QHBoxLayout(m_filming);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(2);
    row->addWidget(m_filmed);
    row->addWidget(end);
    m_filmTick.setInterval(200); // of a second: none is left out where a tick comes late
    connect(&m_filmTick, &QTimer::timeout, this, &StatusStrip::showFilmed);
    connect(end, &QToolButton::clicked, this, &StatusStrip::endFilmRequested);
    m_filming->hide();
    return m_filming;
}

void StatusStrip::setFilming(bool on)
{
    m_filming->setVisible(on);
    if (!on)
        return m_filmTick.stop();
    m_filmingSince.start();
    m_filmTick.start();
    showFilmed();
}

void StatusStrip::showFilmed()
{
    m_filmed->setText(filmedText(m_filmingSince.elapsed() / 1000));
}

void StatusStrip::setDevice(const QString& text)
{
    m_device->setText(text);
}

void StatusStrip::setRenderPath(const QString& text, const QString& tip)
{
    m_path->setText(text);
    m_path->setToolTip(tip);
}

} // namespace tawara
