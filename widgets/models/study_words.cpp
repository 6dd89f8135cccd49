// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/study_words.hpp"

#include "engine/study/table_text.hpp"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace tawara {

using study::Keeper;
using study::Outcome;
using study::RunView;
using study::StudyView;

namespace {

/// What a run differs by but for its site, which comes last.
QString combinationOf(const RunView& r)
{
    QStringList out;
    for (std::size_t k = 0; k + 1 < r.values.size(); ++k)
        if (!r.values[k].empty())
            out << QString::fromStdString(study::plain(r.values[k]));
    return out.join(QStringLiteral(", "));
}

void keepWorst(std::optional<Outcome>& kept, Outcome o)
{
    if (!kept || *kept < o)
        kept = o;
}

} // namespace

QString studyWords(const char* text)
{
    return QCoreApplication::translate("Study", text);
}

/// The segment that a run's site is named by, from 0; nothing: none.
std::optional<std::size_t> namedSegment(const RunView& r)
{
    const QString site =
        r.values.empty() ? QString() : QString::fromStdString(study::plain(r.values.back()));
    bool is = false;
    const int n = site.startsWith(QLatin1String("AHA ")) ? site.mid(4).toInt(&is) : 0;
    return is && n >= 1 && n <= 17 ? std::optional(static_cast<std::size_t>(n - 1)) : std::nullopt;
}

bool sitesInSegments(const StudyView& v)
{
    return std::any_of(v.runs.begin(), v.runs.end(), [](const auto& r) {
        return namedSegment(r).has_value() || (r.site && r.site->segment > 0);
    });
}

QString runStateName(const RunView& r)
{
    switch (r.row.state) {
    case study::State::planned:
        return studyWords(QT_TRANSLATE_NOOP("Study", "planned"));
    case study::State::running:
        return r.keeper == Keeper::ended    ? studyWords(QT_TRANSLATE_NOOP("Study", "interrupted"))
               : r.keeper == Keeper::silent ? studyWords(QT_TRANSLATE_NOOP("Study", "silent"))
                                            : studyWords(QT_TRANSLATE_NOOP("Study", "running"));
    case study::State::done:
        return studyWords(QT_TRANSLATE_NOOP("Study", "done"));
    case study::State::failed:
        return studyWords(QT_TRANSLATE_NOOP("Study", "failed"));
    }
    return {};
}

QString runStateMeaning(const RunView& r)
{
    const QString owner = QString::fromStdString(study::owner_text(r.row.owner));
    switch (r.row.state) {
    case study::State::planned:
        return studyWords(QT_TRANSLATE_NOOP("Study", "Nobody has begun it"));
    case study::State::running:
        switch (r.keeper) {
        case Keeper::ended:
            return studyWords(QT_TRANSLATE_NOOP("Study",
                                                "It was computed by %1, which has ended; Go on "
                                                "takes it up where that left it"))
                .arg(owner);
        case Keeper::silent:
            return studyWords(QT_TRANSLATE_NOOP("Study",
                                                "It was computed by %1, which was not heard of "
                                                "for a minute; Go on takes it up"))
                .arg(owner);
        default:
            return studyWords(QT_TRANSLATE_NOOP("Study", "Computed by %1")).arg(owner);
        }
    case study::State::done:
        return studyWords(QT_TRANSLATE_NOOP("Study", "Done; a double click opens it"));
    case study::State::failed:
        return QString::fromStdString(r.row.reason);
    }
    return {};
}

QColor runStateColor(const RunView& r)
{
    switch (r.row.state) {
    case study::State::planned:
        return {138, 144, 153};
    case study::State::running:
        return r.keeper == Keeper::here || r.keeper == Keeper::elsewhere ? QColor(79, 157, 232)
                                                                         : QColor(214, 168, 60);
    case study::State::done:
        return {92, 190, 128};
    case study::State::failed:
        return {235, 92, 84};
    }
    return {};
}

QString outcomeName(Outcome o)
{
    return o == Outcome::sustained   ? studyWords(QT_TRANSLATE_NOOP("Study", "sustained"))
           : o == Outcome::transient ? studyWords(QT_TRANSLATE_NOOP("Study", "non-sustained"))
           : o == Outcome::focal     ? studyWords(QT_TRANSLATE_NOOP("Study", "focal"))
                                     : studyWords(QT_TRANSLATE_NOOP("Study", "none"));
}

QColor outcomeColor(Outcome o)
{
    return o == Outcome::sustained   ? QColor(214, 78, 46)
           : o == Outcome::transient ? QColor(240, 192, 96)
           : o == Outcome::focal     ? QColor(112, 152, 200)
                                     : QColor(122, 184, 148);
}

QString durationText(double seconds)
{
    const auto whole = [](double x) { return QString::number(x, 'f', 0); };
    if (seconds < 1)
        return studyWords(QT_TRANSLATE_NOOP("Study", "%1 s"))
            .arg(seconds, 0, 'f', seconds > 0 ? 1 : 0);
    if (seconds < 90)
        return studyWords(QT_TRANSLATE_NOOP("Study", "%1 s")).arg(whole(seconds));
    const double minutes = std::round(seconds / 60);
    if (minutes < 90)
        return studyWords(QT_TRANSLATE_NOOP("Study", "%1 min")).arg(whole(minutes));
    const double hours = std::floor(minutes / 60);
    constexpr double long_h = 48;
    if (hours >= long_h)
        return studyWords(QT_TRANSLATE_NOOP("Study", "%1 days")).arg(minutes / 60 / 24, 0, 'f', 1);
    return studyWords(QT_TRANSLATE_NOOP("Study", "%1 h %2 min"))
        .arg(whole(hours), whole(minutes - 60 * hours));
}

QString bytesText(double bytes)
{
    constexpr const char* units[] = {"kB", "MB", "GB", "TB"};
    double x = bytes / 1e3;
    std::size_t u = 0;
    while (x >= 999.5 && u + 1 < std::size(units))
        x /= 1e3, ++u;
    return QStringLiteral("%1 %2")
        .arg(x, 0, 'f', x < 9.95 && u > 0 ? 1 : 0)
        .arg(QLatin1String(units[u]));
}

std::vector<SegmentOutcomes> segmentOutcomes(const StudyView& v)
{
    std::vector<SegmentOutcomes> out;
    if (!v.searches_sites())
        return out;
    for (const auto& r : v.runs) {
        const QString combination = combinationOf(r);
        auto at = std::find_if(out.begin(), out.end(),
                               [&](const auto& s) { return s.combination == combination; });
        if (at == out.end())
            at = out.insert(out.end(), SegmentOutcomes{combination, {}, {}});
        if (r.row.state == study::State::running)
            if (const auto s = namedSegment(r))
                at->searched[*s] = true;
        if (!r.site || r.site->segment < 1 || r.site->segment > 17)
            continue;
        const auto k = static_cast<std::size_t>(r.site->segment - 1);
        keepWorst(at->before[k], r.site->before.worst.outcome);
        keepWorst(at->after[k], (r.site->after ? *r.site->after : r.site->before).worst.outcome);
        at->ablated = at->ablated || r.site->after.has_value();
    }
    return out;
}

} // namespace tawara
