// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/study_model.hpp"

#include "engine/study/table_text.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace tawara {

using study::Keeper;
using study::Outcome;
using study::RunView;
using study::StudyView;

namespace {

struct ShownResult
{
    const char *result, *title, *tip;
};
/// Results that have a column of their own, where runs have them.
constexpr ShownResult shown_results[] = {
    {"dose.concentration_nM", QT_TRANSLATE_NOOP("Study", "C (nM)"),
     QT_TRANSLATE_NOOP("Study", "Concentration of the drug")},
    {"last_activation_ms", QT_TRANSLATE_NOOP("Study", "Last act. (ms)"),
     QT_TRANSLATE_NOOP("Study", "When the last of the tissue was activated")},
    {"apd90_ms.median", QT_TRANSLATE_NOOP("Study", "APD90 (ms)"),
     QT_TRANSLATE_NOOP("Study", "Median over the tissue of the action potential's duration")},
    {"conduction_velocity_m_per_s.median", QT_TRANSLATE_NOOP("Study", "CV (m/s)"),
     QT_TRANSLATE_NOOP("Study", "Conduction velocity, median by volume")},
    {"ecg.beats.last.qrs_ms", QT_TRANSLATE_NOOP("Study", "QRS (ms)"),
     QT_TRANSLATE_NOOP("Study", "QRS of the last beat")},
    {"ecg.beats.last.qt_ms", QT_TRANSLATE_NOOP("Study", "QT (ms)"),
     QT_TRANSLATE_NOOP("Study", "QT of the last beat")}};

/// Columns of what a site's search came to, behind those of the shortest intervals.
enum SiteColumn : std::size_t { outcome, by, kind, cycle, exit_at, around, after, site_columns };
constexpr std::size_t first_interval = 100; ///< S2's column; S3's is the next

QString noValue()
{
    return QStringLiteral("–");
}

/// A path's last two parts, which mostly say what it is.
QString tailOf(const std::string& path)
{
    if (path == study::site_path)
        return studyWords(QT_TRANSLATE_NOOP("Study", "Site"));
    if (path == study::drug_path)
        return studyWords(QT_TRANSLATE_NOOP("Study", "Drug"));
    if (path == "doses.times_cmax")
        return studyWords(QT_TRANSLATE_NOOP("Study", "× C_max"));
    const auto parts = QString::fromStdString(path).split('.');
    return parts.mid(std::max<qsizetype>(0, parts.size() - 2)).join('.');
}

QString fiveDigits(double x)
{
    return std::isfinite(x) ? QString::number(x, 'g', 5).replace('-', QChar(0x2212)) : noValue();
}

} // namespace

StudyModel::StudyModel(QObject* parent) : QAbstractTableModel(parent) {}

void StudyModel::setStudy(const StudyViewPtr& view)
{
    auto columns = view ? columnsOf(*view) : std::vector<Column>();
    const bool same = view && m_view && view->folder == m_view->folder &&
                      view->runs.size() == m_view->runs.size() && columns == m_columns;
    if (!same) {
        beginResetModel();
        m_view = view;
        m_columns = std::move(columns);
        endResetModel();
        return;
    }
    m_view = view;
    if (!m_view->runs.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void StudyModel::setProgress(const RunProgress& progress)
{
    if (progress == m_progress)
        return;
    m_progress = progress;
    if (!m_view)
        return;
    for (std::size_t c = 0; c < m_columns.size(); ++c)
        if (m_columns[c].kind == Kind::state && rowCount() > 0)
            Q_EMIT dataChanged(index(0, static_cast<int>(c)),
                               index(rowCount() - 1, static_cast<int>(c)));
}

void StudyModel::setAllResults(bool on)
{
    if (on == m_all)
        return;
    beginResetModel();
    m_all = on;
    if (m_view)
        m_columns = columnsOf(*m_view);
    endResetModel();
}

const RunView* StudyModel::run(int row) const
{
    return m_view && row >= 0 && static_cast<std::size_t>(row) < m_view->runs.size()
               ? &m_view->runs[static_cast<std::size_t>(row)]
               : nullptr;
}

int StudyModel::columnOf(const std::string& result) const
{
    for (std::size_t c = 0; c < m_columns.size(); ++c)
        if (m_columns[c].kind == Kind::result && m_columns[c].result == result)
            return static_cast<int>(c);
    return -1;
}

void StudyModel::addSiteColumns(const StudyView& v, std::vector<Column>& to) const
{
    std::size_t intervals = 1;
    bool ablated = false;
    for (const auto& r : v.runs)
        if (r.site) {
            intervals = std::max({intervals, r.site->before.shortest_ms.size()});
            ablated = ablated || r.site->after;
        }
    const auto add = [&](std::size_t index, const QString& title, const QString& tip) {
        to.push_back({Kind::site, title, tip, index});
    };
    add(outcome, tr("Re-entry"),
        tr("What the worst of all trials came to: sustained, non-sustained or none"));
    add(by, tr("By (ms)"), tr("The coupling intervals that induced it, S2 first"));
    add(cycle, tr("Cycle (ms)"), tr("Median time between two activations of a place"));
    add(kind, tr("Class"), tr("Of sustained re-entry: monomorphic or polymorphic"));
    add(exit_at, tr("Exit"), tr("AHA segment where each turn leaves the circuit"));
    add(around, tr("Around"), tr("What the wave turns around: an obstacle, or functional"));
    if (ablated)
        add(after, tr("After ablation"), tr("What the same search came to with the lesion"));
    for (std::size_t k = 0; k < intervals; ++k)
        add(first_interval + k, tr("S%1 (ms)").arg(k + 2),
            tr("The shortest S%1 that captured: the effective refractory period and a step")
                .arg(k + 2));
}

void StudyModel::addResults(const StudyView& v, std::vector<Column>& to) const
{
    const auto there = [&](const std::string& name) {
        return std::binary_search(v.result_names.begin(), v.result_names.end(), name);
    };
    for (const auto& s : shown_results)
        if (there(s.result))
            to.push_back({Kind::result, studyWords(s.title), studyWords(s.tip), 0, s.result});
    if (!m_all)
        return;
    for (const auto& name : v.result_names)
        if (std::none_of(std::begin(shown_results), std::end(shown_results),
                         [&](const ShownResult& s) { return name == s.result; }))
            to.push_back({Kind::result, QString::fromStdString(name), {}, 0, name});
}

std::vector<StudyModel::Column> StudyModel::columnsOf(const StudyView& v) const
{
    std::vector<Column> out{{Kind::name, tr("Run"), tr("Its folder in the study's folder")}};
    out.push_back({Kind::state, tr("State"), {}});
    for (std::size_t k = 0; k < v.paths.size(); ++k)
        out.push_back({Kind::path, tailOf(v.paths[k]), QString::fromStdString(v.paths[k]), k});
    out.push_back({Kind::time, tr("Time"), tr("Wall time that the run took, or has taken so far")});
    if (v.searches_sites())
        addSiteColumns(v, out);
    if (!v.searches_sites() || m_all)
        addResults(v, out);
    if (v.counts[static_cast<std::size_t>(study::State::failed)] > 0)
        out.push_back({Kind::reason, tr("Reason"), tr("Why it failed")});
    return out;
}

int StudyModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_view ? 0 : static_cast<int>(m_view->runs.size());
}

int StudyModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant StudyModel::stateText(const RunView& r) const
{
    const auto at = m_progress.find(r.row.number);
    if (r.keeper != Keeper::here || at == m_progress.end())
        return runStateName(r);
    const auto& [fraction, stage] = at->second;
    const int percent = static_cast<int>(std::floor(100 * std::clamp(fraction, 0.0, 1.0)));
    // of a search the stage is the site, which has a column
    return stage.isEmpty() || m_view->searches_sites() ? tr("running, %1 %").arg(percent)
                                                       : tr("%1, %2 %").arg(stage).arg(percent);
}

/// As numbers where they are some, so that they are sorted as such.
QVariant StudyModel::value(const RunView& r, const Column& c) const
{
    switch (c.kind) {
    case Kind::name:
        return static_cast<qlonglong>(r.row.number);
    case Kind::path: {
        const QString text = QString::fromStdString(r.values.at(c.index));
        bool is = false;
        const double x = text.toDouble(&is);
        if (is)
            return x;
        if (const auto s = namedSegment(r); s && c.index + 1 == r.values.size())
            return static_cast<double>(*s);
        return QString::fromStdString(study::plain(r.values[c.index]));
    }
    case Kind::state:
        return static_cast<int>(r.row.state);
    case Kind::time:
        return r.row.state == study::State::running ? r.elapsed_s : r.row.seconds;
    case Kind::result:
        if (const auto at = r.row.results.find(c.result); at != r.row.results.end())
            return at->second;
        return {};
    case Kind::site:
        if (!r.site)
            return {};
        if (c.index >= first_interval) {
            const auto& shortest = r.site->before.shortest_ms;
            const auto k = c.index - first_interval;
            return k < shortest.size() ? QVariant(shortest[k]) : QVariant();
        }
        if (c.index == outcome)
            return static_cast<int>(r.site->before.worst.outcome);
        if (c.index == cycle)
            return r.site->before.worst.reentry.cycle_length_ms;
        return text(r, c);
    case Kind::reason:
        return QString::fromStdString(r.row.reason);
    }
    return {};
}

QString StudyModel::text(const RunView& r, const Column& c) const
{
    switch (c.kind) {
    case Kind::name:
        return QString::fromStdString(r.row.name);
    case Kind::path:
        return r.values.at(c.index).empty()
                   ? noValue()
                   : QString::fromStdString(study::plain(r.values[c.index]));
    case Kind::state:
        return stateText(r).toString();
    case Kind::time: {
        const double s = r.row.state == study::State::running ? r.elapsed_s : r.row.seconds;
        return s > 0 ? durationText(s) : QString();
    }
    case Kind::result: {
        const auto v = value(r, c);
        return v.isValid() ? fiveDigits(v.toDouble()) : QString();
    }
    case Kind::reason:
        return QString::fromStdString(r.row.reason);
    case Kind::site:
        break;
    }
    if (!r.site)
        return {};
    const auto& w = r.site->before.worst;
    const bool sustained = w.outcome == Outcome::sustained;
    switch (c.index) {
    case outcome:
        return outcomeName(w.outcome);
    case by:
        return w.active() ? QString::fromStdString(study::couplings_text(w.couplings_ms))
                                .replace('-', QChar(0x2013))
                          : QString();
    case kind:
        return !sustained              ? QString()
               : w.reentry.monomorphic ? tr("monomorphic")
                                       : tr("polymorphic");
    case cycle:
        return w.active() && w.reentry.cycle_length_ms > 0 ? fiveDigits(w.reentry.cycle_length_ms)
                                                           : QString();
    case exit_at:
        return sustained && r.site->exit_segment > 0 ? tr("AHA %1").arg(r.site->exit_segment)
                                                     : QString();
    case around:
        return sustained ? QString::fromStdString(w.core.kind) : QString();
    case after:
        return r.site->after ? outcomeName(r.site->after->worst.outcome) : QString();
    default: {
        const auto v = value(r, c);
        return v.isValid() ? fiveDigits(v.toDouble()) : QString();
    }
    }
}

bool StudyModel::isNumber(const Column& c)
{
    return c.kind == Kind::result || c.kind == Kind::time ||
           (c.kind == Kind::site && (c.index == cycle || c.index >= first_interval));
}

QVariant StudyModel::data(const QModelIndex& index, int role) const
{
    const auto* r = index.isValid() ? run(index.row()) : nullptr;
    if (r == nullptr)
        return {};
    const auto& c = m_columns[static_cast<std::size_t>(index.column())];
    switch (role) {
    case Qt::DisplayRole:
        return text(*r, c);
    case SortRole:
    case ValueRole:
        return value(*r, c);
    case Qt::ToolTipRole:
        return c.kind == Kind::state || c.kind == Kind::reason ? runStateMeaning(*r) : QVariant();
    case Qt::ForegroundRole:
        if (c.kind == Kind::reason)
            return runStateColor(*r);
        return {};
    case Qt::TextAlignmentRole:
        return QVariant((isNumber(c) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::DecorationRole:
        if (c.kind == Kind::state)
            return runStateColor(*r);
        if (c.kind == Kind::site && r->site && c.index == outcome)
            return outcomeColor(r->site->before.worst.outcome);
        if (c.kind == Kind::site && r->site && r->site->after && c.index == after)
            return outcomeColor(r->site->after->worst.outcome);
        return {};
    default:
        return {};
    }
}

QVariant StudyModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 ||
        static_cast<std::size_t>(section) >= m_columns.size())
        return {};
    const auto& c = m_columns[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole)
        return c.title;
    if (role == Qt::ToolTipRole && !c.tip.isEmpty())
        return c.tip;
    if (role == Qt::TextAlignmentRole)
        return QVariant((isNumber(c) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

} // namespace tawara
