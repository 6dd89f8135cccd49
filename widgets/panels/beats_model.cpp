// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/beats_model.hpp"

#include "widgets/panels/field_note.hpp"
#include "widgets/panels/icons.hpp"
#include "widgets/plots/axes.hpp"

#include <QFont>
#include <QIcon>
#include <QSize>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <tuple>

namespace tawara {

using simulation::PacedBy;
using simulation::TissueEdit;

namespace {

QString decimal(double v, int decimals)
{
    return std::isfinite(v) ? QString::number(v, 'f', decimals).replace('-', QChar(0x2212))
                            : QStringLiteral("–");
}

/// @pre  a column of numbers
double valueOf(const simulation::Beat& b, int column)
{
    const double values[] = {b.activation_ms,      b.apd30_ms,     b.apd50_ms,     b.apd90_ms,
                             b.upstroke_mV_per_ms, b.amplitude_mV, b.diastolic_ms, b.cycle_ms};
    return values[column - 1];
}

QString measure(const simulation::Beat& b, int column)
{
    constexpr int upstroke = 5;
    return decimal(valueOf(b, column), column == upstroke ? 0 : 1);
}

QString tenths(double ms)
{
    return spacedNumber(std::round(10 * ms) / 10);
}

/// "Tissue changed at 1 240 ms, during the beat above: drug Dofetilide given"
QString changeText(std::span<const TissueEdit> edits, const simulation::Beat* before)
{
    const auto at = [](const TissueEdit& e) { return tenths(e.time_ms); };
    QString text = edits.size() == 1
                       ? BeatsModel::tr("Tissue changed at %1 ms").arg(at(edits.front()))
                       : BeatsModel::tr("Tissue changed %1 times, at %2 to %3 ms")
                             .arg(edits.size())
                             .arg(at(edits.front()), at(edits.back()));
    if (before != nullptr && before->holds(edits.front().time_ms))
        text += BeatsModel::tr(", during the beat above");
    const QString what = QString::fromStdString(simulation::what_of(edits));
    return what.isEmpty() ? text : text + QStringLiteral(": ") + what;
}

/// @param stimulus  as of BeatPulse
QString giverOf(const std::string& stimulus)
{
    return stimulus == "click" ? BeatsModel::tr("a click") : QString::fromStdString(stimulus);
}

QString drivenText(const std::string& by)
{
    return BeatsModel::tr("* The current of %1 was flowing here when V rose: upstroke, amplitude "
                          "and APDs, APD30 above all, are of that current as well as of the cells. "
                          "A probe outside of what is stimulated shows the cells alone.")
        .arg(giverOf(by));
}

/// 2 of S2; 0 of pulses that have no such number.
int numberOf(const PacedBy& p)
{
    return p.kind.starts_with('S') ? QString::fromStdString(p.kind).mid(1).toInt() : 0;
}

bool isExtra(const PacedBy& p)
{
    return numberOf(p) > 1;
}

/// "S1"; "S2, 320 ms"; "Apex: S2, 320 ms, not captured"; "Apex (?)"; "–"
QString makerText(const std::optional<PacedBy>& p)
{
    if (!p)
        return QStringLiteral("–");
    const QString kind = QString::fromStdString(p->kind),
                  stimulus = QString::fromStdString(p->stimulus);
    QString text = kind.isEmpty()  ? stimulus
                   : p->of_several ? BeatsModel::tr("%1: %2").arg(stimulus, kind)
                                   : kind;
    if (isExtra(*p))
        text += BeatsModel::tr(", %1 ms").arg(tenths(p->coupling_ms));
    if (!p->captured)
        text += QStringLiteral(" (?)");
    else if (!*p->captured)
        text += BeatsModel::tr(", not captured");
    return text;
}

QString makerTip(const std::optional<PacedBy>& p)
{
    if (!p)
        return BeatsModel::tr("No pulse of a site or a click made this beat: the wave came from "
                              "elsewhere, as in re-entry or from a Purkinje network.");
    const QString kind = QString::fromStdString(p->kind), giver = giverOf(p->stimulus),
                  at = tenths(p->time_ms);
    QString text = kind.isEmpty() ? BeatsModel::tr("Pulse of %1 at %2 ms").arg(giver, at)
                                  : BeatsModel::tr("%1 of %2 at %3 ms").arg(kind, giver, at);
    if (p->coupling_ms > 0)
        text += BeatsModel::tr(", %1 ms after the pulse before at this site")
                    .arg(tenths(p->coupling_ms));
    if (!p->captured)
        return text + BeatsModel::tr(". Whether the pulse captured is not known.");
    return text + (*p->captured ? BeatsModel::tr(". The pulse captured.")
                                : BeatsModel::tr(". The pulse did not capture: its current alone "
                                                 "lifted V here."));
}

/// The order of makers; a beat that no pulse made comes last either way.
bool madeBefore(const std::optional<PacedBy>& a, const std::optional<PacedBy>& b, bool down)
{
    if (!a || !b)
        return a && !b;
    const auto key = [](const PacedBy& p) {
        const int rank = p.kind.empty()    ? 0
                         : numberOf(p) > 0 ? numberOf(p)
                                           : std::numeric_limits<int>::max(); // at once
        return std::tuple(p.stimulus, rank, isExtra(p) ? p.coupling_ms : 0);
    };
    return down ? key(*b) < key(*a) : key(*a) < key(*b);
}

} // namespace

void BeatsModel::addRows(const Entry& e, const std::vector<TissueEdit>& edits,
                         std::vector<Row>& rows)
{
    std::size_t told = 0; // of the changes
    const auto tell = [&](std::size_t until, const simulation::Beat* before) {
        if (told < until)
            rows.push_back({&e, nullptr, before, told, until});
        told = until;
    };
    const simulation::Beat* before = nullptr;
    for (const auto& b : e.beats) {
        tell(simulation::edits_until(edits, b.activation_ms), before);
        rows.push_back({&e, &b, before});
        before = &b;
    }
    if (before != nullptr)
        tell(edits.size(), before);
}

std::vector<BeatsModel::Key> BeatsModel::keys() const
{
    std::vector<Key> out;
    for (const auto& r : m_rows)
        out.emplace_back(r.entry - m_entries.data(),
                         r.beat == nullptr ? -1 : r.beat->activation_ms);
    return out;
}

void BeatsModel::follow(const std::vector<Key>& were)
{
    std::map<Key, int> now;
    int place = 0;
    for (const auto& key : keys())
        now.emplace(key, place++);
    Q_EMIT layoutAboutToBeChanged();
    for (const auto& old : persistentIndexList()) {
        const auto row = static_cast<std::size_t>(old.row());
        const auto found = row < were.size() ? now.find(were[row]) : now.end();
        changePersistentIndex(old, found == now.end() ? QModelIndex()
                                                      : index(found->second, old.column()));
    }
    Q_EMIT layoutChanged();
}

void BeatsModel::setBeats(std::vector<Entry> entries, std::vector<TissueEdit> edits)
{
    const auto were = m_sortedBy != as_they_came ? keys() : std::vector<Key>();
    std::vector<Row> rows;
    for (const auto& e : entries)
        addRows(e, edits, rows);
    if (m_sortedBy != as_they_came)
        arrange(rows);
    const auto had = rowCount(), has = static_cast<int>(rows.size());
    if (has > had)
        beginInsertRows({}, had, has - 1);
    else if (has < had)
        beginRemoveRows({}, has, had - 1);
    m_entries = std::move(entries); // rows point to its entries, which keep their places
    m_edits = std::move(edits);
    m_rows = std::move(rows);
    if (has > had)
        endInsertRows();
    else if (has < had)
        endRemoveRows();
    if (const int kept = std::min(had, has); kept > 0)
        Q_EMIT dataChanged(index(0, 0), index(kept - 1, columns - 1));
    if (!were.empty())
        follow(were);
}

void BeatsModel::arrange(std::vector<Row>& rows) const
{
    std::erase_if(rows, [](const Row& r) { return r.beat == nullptr; });
    const bool down = m_order == Qt::DescendingOrder;
    std::stable_sort(rows.begin(), rows.end(), [this, down](const Row& a, const Row& b) {
        if (m_sortedBy == 0)
            return down ? b.entry < a.entry : a.entry < b.entry;
        if (m_sortedBy == paced_by)
            return madeBefore(a.beat->paced_by, b.beat->paced_by, down);
        const double x = valueOf(*a.beat, m_sortedBy), y = valueOf(*b.beat, m_sortedBy);
        if (!std::isfinite(x) || !std::isfinite(y))
            return std::isfinite(x) && !std::isfinite(y);
        return down ? y < x : x < y;
    });
}

void BeatsModel::sort(int column, Qt::SortOrder order)
{
    if (column < as_they_came || column >= columns)
        return;
    m_sortedBy = column;
    m_order = order;
    setBeats(m_entries, m_edits);
    Q_EMIT headerDataChanged(Qt::Horizontal, 0, columns - 1);
}

int BeatsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int BeatsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : columns;
}

QVariant BeatsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const Row& r = m_rows[static_cast<std::size_t>(index.row())];
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            (index.column() == 0 || index.column() == paced_by ? Qt::AlignLeft : Qt::AlignRight) |
            Qt::AlignVCenter);
    if (r.beat != nullptr)
        return beatData(r, index.column(), role);
    return index.column() == 0 ? changeData(r, role) : QVariant();
}

QVariant BeatsModel::beatData(const Row& r, int column, int role) const
{
    const bool driven = !r.beat->driven_by.empty();
    if (column == paced_by)
        return role == Qt::DisplayRole   ? makerText(r.beat->paced_by)
               : role == Qt::ToolTipRole ? makerTip(r.beat->paced_by)
                                         : QVariant();
    if (role == Qt::ToolTipRole)
        return driven ? drivenText(r.beat->driven_by) : QVariant();
    if (role == Qt::DecorationRole && column == 0)
        return swatchIcon(r.entry->color);
    if (role != Qt::DisplayRole)
        return {};
    if (column == 0)
        return r.entry->probe;
    constexpr int first_driven = 2, last_driven = 6; // APD30 to amplitude
    const QString text = measure(*r.beat, column);
    return driven && column >= first_driven && column <= last_driven ? text + QLatin1Char('*')
                                                                     : text;
}

QVariant BeatsModel::changeData(const Row& r, int role) const
{
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole)
        return changeText(std::span(m_edits).subspan(r.first, r.last - r.first), r.before);
    if (role == Qt::DecorationRole)
        return swatchIcon(changeColor(), true);
    if (role == Qt::SizeHintRole)
        return QSize(1, 1); // it goes over all columns and makes none of them wider
    if (role == Qt::FontRole) {
        QFont italic;
        italic.setItalic(true);
        return italic;
    }
    return {};
}

QVariant BeatsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && role == Qt::ToolTipRole) {
        const QString how = tr("Click to sort by this column, and again to reverse the order. A "
                               "third click shows the beats as they came, with rows that say what "
                               "was changed in the tissue.");
        return section != paced_by
                   ? how
                   : tr("The pulse that made the beat: S1, or S2 with its coupling interval, with "
                        "the site's name where several sites paced. (?): whether the pulse "
                        "captured is not known. –: no pulse made the beat.") +
                         QStringLiteral("\n\n") + how;
    }
    if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::EditRole))
        return QAbstractTableModel::headerData(section, orientation, role);
    const QString titles[columns] = {
        tr("Probe"),       tr("At\n(ms)"),           tr("APD30\n(ms)"),     tr("APD50\n(ms)"),
        tr("APD90\n(ms)"), tr("dV/dt max\n(mV/ms)"), tr("Amplitude\n(mV)"), tr("Diastole\n(ms)"),
        tr("Cycle\n(ms)"), tr("Paced\nby")};
    if (section < 0 || section >= columns)
        return {};
    QString title = titles[section];
    if (role == Qt::EditRole || section != m_sortedBy)
        return title;
    const qsizetype end = title.indexOf(QLatin1Char('\n'));
    return title.insert(end < 0 ? title.size() : end, m_order == Qt::AscendingOrder
                                                          ? QStringLiteral(" ▲")
                                                          : QStringLiteral(" ▼"));
}

} // namespace tawara
