// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/site_words.hpp"

#include "engine/simulation/pacing/capture.hpp"
#include "engine/simulation/session/late_pulses.hpp"
#include "widgets/models/capture_state.hpp"
#include "widgets/panels/field_note.hpp"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tawara {

using simulation::Protocol;
using simulation::Stimulus;

namespace {

struct SiteWords
{
    Q_DECLARE_TR_FUNCTIONS(SiteWords)
};

constexpr double hair_ms = 1e-3; // times of pulses that are the same

/// "S2 at 640 ms"; of other protocols, whose pulses are all alike, "the pulse at 640 ms".
QString named(const Stimulus& s, const simulation::NamedPulse& p)
{
    if (protocolOf(s).kind != Protocol::Kind::s1s2)
        return SiteWords::tr("the pulse at %1 ms").arg(spacedNumber(p.at_ms));
    return SiteWords::tr("%1 at %2 ms").arg(QString::fromStdString(p.name), spacedNumber(p.at_ms));
}

QString capital(QString text)
{
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

/// The next pulse that the run reaches.
std::optional<simulation::NamedPulse> nextOf(const Stimulus& s, double nowMs, double endMs)
{
    const auto next = simulation::pulse_from(s, nowMs);
    return next && next->at_ms < endMs ? next : std::nullopt;
}

QString ms(double interval)
{
    return spacedNumber(std::round(10 * interval) / 10);
}

/// What makes a site's pulse stronger: a ball can be larger.
QString strongerText(const Stimulus& s)
{
    return std::holds_alternative<simulation::Sphere>(s.region)
               ? SiteWords::tr("Raise the amplitude or the radius")
               : SiteWords::tr("Raise the amplitude or the duration");
}

QString failedText(const Stimulus& s, bool overtaken)
{
    if (overtaken)
        return SiteWords::tr("The last pulse did not capture: a wave from elsewhere activated "
                             "the tissue there. %1, or pace at another time.")
            .arg(strongerText(s));
    const bool early = s.protocol && s.protocol->kind == Protocol::Kind::s1s2;
    return SiteWords::tr("The last pulse did not capture: the tissue was refractory, or the "
                         "pulse is too weak. %1, or %2.")
        .arg(strongerText(s),
             early ? SiteWords::tr("lengthen S2's interval") : SiteWords::tr("lengthen the cycle"));
}

/// "all tissue in a box, x 0 to 1.5, y −7 to 7, z 0 to 20 mm"
QString boxExtentText(const simulation::Box& box)
{
    const auto side = [&box](std::size_t axis) {
        const auto mm = [axis](const Vec3& corner) {
            return spacedNumber(std::round(100 * corner[axis]) / 100 + 0.0); // no -0
        };
        return SiteWords::tr("%1 to %2").arg(mm(box.low), mm(box.high));
    };
    return SiteWords::tr("all tissue in a box, x %1, y %2, z %3 mm").arg(side(0), side(1), side(2));
}

/// Where no pulse of the site was judged.
QString unfollowedText(const Stimulus& s, const CaptureState& known, double nowMs)
{
    const auto last = simulation::pulse_before(s, nowMs);
    if (!last || last->at_ms < known.sinceMs - hair_ms)
        return known.formerPulses > 0
                   ? SiteWords::tr("No pulse of the site as it is now was given yet.")
                   : SiteWords::tr("No pulse was given yet.");
    if (known.surrounded)
        return SiteWords::tr("No pulse of the site as it is now has been followed yet.");
    return SiteWords::tr("%1 was given. Capture cannot be judged: no tissue lies outside the site.")
        .arg(capital(named(s, *last)));
}

QString formerText(const CaptureState& known)
{
    return SiteWords::tr("Before the change: %1 of %2 pulses captured.")
        .arg(known.formerCaptured)
        .arg(known.formerPulses);
}

/// S2 comes earlier by 10 ms in each repeat: an S1-S2 protocol finds the refractory period by
/// itself. Extra pulses that it has stay.
void searchByDefault(Protocol& p)
{
    constexpr double first_part = 0.55, decrement_ms = 10;
    constexpr int repeats = 10;
    if (p.extra_ms.empty())
        p.extra_ms = {std::round(first_part * p.cycle_ms)};
    p.decrement_ms = std::min(decrement_ms, p.extra_ms.back() / (repeats + 1));
    p.repeats = repeats;
}

} // namespace

Protocol protocolOf(const Stimulus& s)
{
    if (s.protocol)
        return *s.protocol;
    Protocol p;
    p.kind = s.period_ms > 0 ? Protocol::Kind::train : Protocol::Kind::single;
    if (s.period_ms > 0)
        p.cycle_ms = s.period_ms, p.count = s.count;
    return p;
}

void turnInto(Protocol& p, Protocol::Kind kind)
{
    using Kind = Protocol::Kind;
    constexpr double slow_cycle_ms = 500, burst_cycle_ms = 200;
    const Kind before = std::exchange(p.kind, kind);
    if (kind == before)
        return;
    if (before == Kind::burst || kind == Kind::burst)
        p.decrement_ms = 0, p.repeats = 1;
    if (kind == Kind::s1s2 && (before == Kind::burst || p.extra_ms.empty()))
        searchByDefault(p);
    // the cycle of a resting rhythm makes no burst
    if (kind == Kind::burst && p.cycle_ms >= slow_cycle_ms)
        p.cycle_ms = burst_cycle_ms;
}

QString protocolText(const Stimulus& s)
{
    const Protocol p = protocolOf(s);
    switch (p.kind) {
    case Protocol::Kind::single:
        return SiteWords::tr("single");
    case Protocol::Kind::train:
        return p.count == 0 ? SiteWords::tr("%1 ms").arg(p.cycle_ms)
                            : SiteWords::tr("%1 × %2 ms").arg(p.count).arg(p.cycle_ms);
    case Protocol::Kind::s1s2:
        return SiteWords::tr("S1-S%1, %2 ms").arg(p.extra_ms.size() + 1).arg(p.cycle_ms);
    case Protocol::Kind::burst:
        return SiteWords::tr("burst %1 ms").arg(p.cycle_ms);
    }
    return {};
}

std::optional<std::vector<double>> intervalsOf(const QString& text, QString* notTaken)
{
    static const QRegularExpression apart(QStringLiteral("[,;\\s]+"));
    std::vector<double> ms;
    for (const QString& part : text.split(apart, Qt::SkipEmptyParts)) {
        bool number = false;
        const double v = part.toDouble(&number);
        if (!number || !std::isfinite(v) || v <= 0) {
            if (notTaken != nullptr)
                *notTaken = part;
            return {};
        }
        ms.push_back(v);
    }
    return ms.empty() ? std::nullopt : std::optional(ms);
}

QString intervalsText(const std::vector<double>& ms)
{
    QStringList text;
    for (double v : ms)
        text << QString::number(v);
    return text.join(QStringLiteral(", "));
}

QString lateText(const Stimulus& s, double endMs)
{
    const auto late = simulation::first_late_pulse(s, endMs);
    if (!late)
        return {};
    const QString name = capital(QString::fromStdString(late->name));
    const QString at = spacedNumber(late->at_ms), end = spacedNumber(endMs);
    return late->more > 0
               ? SiteWords::tr("%1 at %2 ms and %3 after it come after the end of the run (%4 "
                               "ms).")
                     .arg(name, at)
                     .arg(late->more)
                     .arg(end)
               : SiteWords::tr("%1 at %2 ms comes after the end of the run (%3 ms).")
                     .arg(name, at, end);
}

QString pendingText(const Stimulus& s, const CaptureState& known, double nowMs, double endMs)
{
    // an edit may have come too late for a pulse, and a site may have no tissue around it: what is
    // not decided when it should have been is not waited for
    const auto last = simulation::pulse_before(s, nowMs);
    if (!last || !known.surrounded || last->at_ms < known.sinceMs ||
        last->at_ms <= known.decidedMs + hair_ms ||
        nowMs > last->at_ms + simulation::CaptureWatch::window_ms)
        return {};
    const QString pulse = capital(named(s, *last));
    return nowMs < endMs
               ? SiteWords::tr("%1: whether it captures shows by %2 ms.")
                     .arg(pulse, spacedNumber(last->at_ms + simulation::CaptureWatch::window_ms))
               : SiteWords::tr("%1: the run ended before it showed whether it captures.")
                     .arg(pulse);
}

QString refractoryText(const Stimulus& s, const simulation::Refractory& known)
{
    const QString kind = QString::fromStdString(known.kind), captured = ms(known.captured_ms),
                  failed = ms(known.failed_ms);
    const Protocol p = protocolOf(s);
    const QString drive = p.count > 1 ? SiteWords::tr("S1 every %1 ms").arg(ms(p.cycle_ms))
                                      : SiteWords::tr("after one S1");
    if (known.contradicts())
        return SiteWords::tr("%1 captured at %2 ms, but not at %3 ms: the refractory period at "
                             "this site is not the same each time (%4).")
            .arg(kind, captured, failed, drive);
    if (known.effective_ms())
        return SiteWords::tr("%1 at %2 ms captured, at %3 ms not: effective refractory period "
                             "at this site %3 ms (between %3 and %2 ms, %4).")
            .arg(kind, captured, failed, drive);
    if (known.captured_ms > 0)
        return SiteWords::tr("%1 at %2 ms captured: effective refractory period at this site "
                             "below %2 ms (%3).")
            .arg(kind, captured, drive);
    if (known.failed_ms > 0)
        return SiteWords::tr("%1 at %2 ms did not capture: effective refractory period at this "
                             "site %2 ms or longer (%3).")
            .arg(kind, failed, drive);
    return {};
}

bool searchEnded(const Stimulus& s, const CaptureState& known, double nowMs)
{
    const auto& r = known.refractory;
    if (!s.on || known.refractoryBefore || !r.effective_ms())
        return false;
    // by the protocol as it is now; what was given and is not decided yet may still tell
    const double from =
        std::max(known.decidedMs + hair_ms, nowMs - simulation::CaptureWatch::window_ms);
    return !simulation::searches_between(s, from, r.failed_ms, r.captured_ms);
}

QString siteStateText(const Stimulus& s, const CaptureState& known, double nowMs, double endMs)
{
    const QString pending = pendingText(s, known, nowMs, endMs), next = nextText(s, nowMs, endMs);
    QString text, then = pending.isEmpty() ? next : pending;
    if (known.last == CaptureState::Last::failed && !known.answers()) {
        text = failedText(s, known.overtaken);
    } else if (known.pulses > 0) { // a failure that was looked for wants no advice
        text = SiteWords::tr("%1 of %2 pulses captured.").arg(known.captured).arg(known.pulses);
    } else if (!s.on) {
        text = SiteWords::tr("Switched off: no pulses.");
    } else if (!pending.isEmpty()) {
        text = pending;
        then = next;
    } else { // a line from the start on: what is below does not move when the first pulse comes
        text = unfollowedText(s, known, nowMs);
    }
    if (known.formerPulses > 0)
        text += QChar('\n') + formerText(known);
    // a pulse as strong as one that captured failed for another reason: no threshold is known then
    if (known.highestFailed > 0 && known.highestFailed < known.lowestCaptured)
        text += SiteWords::tr(" Threshold between %1 and %2 pA/pF.")
                    .arg(known.highestFailed)
                    .arg(known.lowestCaptured);
    QString found = refractoryText(s, known.refractory);
    if (known.refractoryBefore && !found.isEmpty())
        found = SiteWords::tr("In the run before: %1").arg(found);
    if (searchEnded(s, known, nowMs) && nextOf(s, nowMs, endMs))
        then = SiteWords::tr("The search has ended: pulses to come tell no more of it. Untick the "
                             "site to stop them.");
    for (const QString& more : {found, then, extentText(s)})
        text += more.isEmpty() ? more : QChar('\n') + more;
    return text;
}

QString extentText(const Stimulus& s)
{
    if (std::holds_alternative<simulation::Sphere>(s.region))
        return {};
    QString what = SiteWords::tr("a set of vertices of the mesh");
    if (const auto* part = std::get_if<simulation::SurfaceRegion>(&s.region))
        what = part->wall == mesh::Wall::endo_lv   ? SiteWords::tr("the whole left endocardium")
               : part->wall == mesh::Wall::endo_rv ? SiteWords::tr("the whole right endocardium")
               : part->wall == mesh::Wall::epi     ? SiteWords::tr("the whole epicardium")
                                                   : SiteWords::tr("a whole part of the wall");
    else if (const auto* box = std::get_if<simulation::Box>(&s.region))
        what = boxExtentText(*box);
    else if (std::holds_alternative<simulation::Label>(s.region))
        what = SiteWords::tr("whole regions of the mesh");
    return SiteWords::tr("It paces %1. Such a site has no radius and takes no pulse at once. To "
                         "pace now, add a site at one place (Place, Suggested) or click on the "
                         "heart (S).")
        .arg(what);
}

QString paceNowTip(const Stimulus& s)
{
    const QString without = extentText(s);
    return without.isEmpty()
               ? SiteWords::tr("One pulse at this site at once, beside those of its protocol")
               : without;
}

QString radiusTip(const Stimulus& s, const QString& range)
{
    const QString without = extentText(s);
    return without.isEmpty()
               ? SiteWords::tr("Tissue within this distance of the site is stimulated: %1")
                     .arg(range)
               : without;
}

QString nextTime(const Stimulus& s, double nowMs, double endMs)
{
    const auto next = nextOf(s, nowMs, endMs);
    return next ? SiteWords::tr("%1 ms").arg(spacedNumber(next->at_ms)) : QStringLiteral("–");
}

QString nextText(const Stimulus& s, double nowMs, double endMs)
{
    if (!s.on)
        return {};
    const auto next = nextOf(s, nowMs, endMs);
    if (!next)
        return SiteWords::tr("No more pulses in this run.");
    return next->at_ms <= nowMs
               ? SiteWords::tr("Next: %1, as soon as the run goes on.").arg(named(s, *next))
               : SiteWords::tr("Next: %1.").arg(named(s, *next));
}

QString scheduleText(const Stimulus& s, const QString& as, double nowMs, double endMs)
{
    const Protocol p = protocolOf(s);
    const QString name = QString::fromStdString(s.name);
    QString what;
    switch (p.kind) {
    case Protocol::Kind::single:
        what = SiteWords::tr("gives a single pulse");
        break;
    case Protocol::Kind::train:
        what = p.count == 0
                   ? SiteWords::tr("paces every %1 ms").arg(p.cycle_ms)
                   : SiteWords::tr("gives %1 pulses, %2 ms apart").arg(p.count).arg(p.cycle_ms);
        break;
    case Protocol::Kind::s1s2:
        what = SiteWords::tr("gives S1-S%1, S1 every %2 ms")
                   .arg(p.extra_ms.size() + 1)
                   .arg(p.cycle_ms);
        break;
    case Protocol::Kind::burst:
        what = SiteWords::tr("gives bursts, %1 ms apart").arg(p.cycle_ms);
        break;
    }
    const QString whose = as.isEmpty() ? QString() : SiteWords::tr(", as %1 does").arg(as);
    const auto next = simulation::pulse_from(s, nowMs);
    if (!next)
        return SiteWords::tr("%1 %2%3; no pulse of that is left.").arg(name, what, whose);
    const QString at = spacedNumber(next->at_ms);
    return next->at_ms < endMs
               ? SiteWords::tr("%1 %2%3: its next pulse comes at %4 ms.").arg(name, what, whose, at)
               : SiteWords::tr("%1 %2%3: its next pulse, at %4 ms, comes after the end of the "
                               "run (%5 ms).")
                     .arg(name, what, whose, at, spacedNumber(endMs));
}

} // namespace tawara
