// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/network_models.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tawara {

using simulation::JunctionState;

namespace {

constexpr const char* fascicle_words[cable::fascicles] = {
    QT_TRANSLATE_NOOP("Network", "Not named"),
    QT_TRANSLATE_NOOP("Network", "Bundle of His"),
    QT_TRANSLATE_NOOP("Network", "Left bundle"),
    QT_TRANSLATE_NOOP("Network", "Left anterior fascicle"),
    QT_TRANSLATE_NOOP("Network", "Left septal fascicle"),
    QT_TRANSLATE_NOOP("Network", "Left posterior fascicle"),
    QT_TRANSLATE_NOOP("Network", "Right bundle"),
    QT_TRANSLATE_NOOP("Network", "Moderator band"),
    QT_TRANSLATE_NOOP("Network", "Right septum"),
    QT_TRANSLATE_NOOP("Network", "Right free wall"),
};

struct StateWords
{
    const char *name, *meaning;
    QColor color;
};
const std::array<StateWords, simulation::junction_states>& stateWords()
{
    static const std::array<StateWords, simulation::junction_states> words{{
        {QT_TRANSLATE_NOOP("Network", "silent"),
         QT_TRANSLATE_NOOP("Network", "Neither the network's end nor the wall was excited so far"),
         QColor(138, 144, 153)},
        {QT_TRANSLATE_NOOP("Network", "waiting"),
         QT_TRANSLATE_NOOP("Network", "One of both was excited just now; the other may follow"),
         QColor(214, 200, 120)},
        {QT_TRANSLATE_NOOP("Network", "conducts"),
         QT_TRANSLATE_NOOP("Network", "The network's end excited first, then the wall"),
         QColor(92, 205, 138)},
        {QT_TRANSLATE_NOOP("Network", "backwards"),
         QT_TRANSLATE_NOOP("Network", "The wall was excited first, then the network's end"),
         QColor(187, 134, 252)},
        {QT_TRANSLATE_NOOP("Network", "blocked"),
         QT_TRANSLATE_NOOP("Network", "One of both was excited, and the other did not follow"),
         QColor(242, 92, 84)},
    }};
    return words;
}

QString number(double x, int decimals)
{
    return std::isfinite(x) ? QString::number(x, 'f', decimals) : QStringLiteral("–");
}

constexpr auto right_aligned = static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);

} // namespace

QString fascicleName(cable::Fascicle f)
{
    const auto k = static_cast<std::size_t>(f);
    return QCoreApplication::translate("Network",
                                       fascicle_words[k < std::size(fascicle_words) ? k : 0]);
}

QString junctionStateName(JunctionState s)
{
    return QCoreApplication::translate("Network", stateWords()[static_cast<std::size_t>(s)].name);
}

QString junctionStateMeaning(JunctionState s)
{
    return QCoreApplication::translate("Network",
                                       stateWords()[static_cast<std::size_t>(s)].meaning);
}

QColor junctionStateColor(JunctionState s)
{
    return stateWords()[static_cast<std::size_t>(s)].color;
}

void FascicleModel::setNetwork(const NetworkShapePtr& shape)
{
    beginResetModel();
    m_shape = shape;
    m_parts =
        shape ? simulation::fascicles_of(*shape->network) : std::vector<simulation::FasciclePart>();
    m_drawn.assign(m_parts.size(), {});
    m_activation.assign(m_parts.size(), std::numeric_limits<float>::quiet_NaN());
    if (shape) {
        std::vector<std::int32_t> part(shape->network->morphology.points(), 0);
        for (std::size_t k = 0; k < m_parts.size(); ++k)
            for (const auto p : m_parts[k].points)
                part[static_cast<std::size_t>(p)] = static_cast<std::int32_t>(k);
        for (std::size_t i = 0; i < shape->point.size(); ++i)
            m_drawn[static_cast<std::size_t>(part[static_cast<std::size_t>(shape->point[i])])]
                .push_back(static_cast<std::int32_t>(i));
    }
    endResetModel();
}

void FascicleModel::setFrame(const NetworkFramePtr& frame)
{
    std::vector<float> fresh(m_parts.size(), std::numeric_limits<float>::quiet_NaN());
    if (frame && m_shape && frame->network == m_shape->network->made) {
        // the beat that came to it last: the earliest of those that belong together
        constexpr float one_beat_ms = 200;
        for (std::size_t k = 0; k < m_parts.size(); ++k) {
            float newest = -std::numeric_limits<float>::infinity();
            for (const auto i : m_drawn[k])
                if (const float ms = frame->newest_ms[static_cast<std::size_t>(i)]; ms > newest)
                    newest = ms;
            for (const auto i : m_drawn[k])
                if (const float ms = frame->newest_ms[static_cast<std::size_t>(i)];
                    ms > newest - one_beat_ms && !(ms >= fresh[k]))
                    fresh[k] = ms;
        }
    }
    const auto same = [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    if (std::equal(fresh.begin(), fresh.end(), m_activation.begin(), m_activation.end(), same))
        return;
    m_activation = std::move(fresh);
    if (!m_parts.empty())
        Q_EMIT dataChanged(index(0, ActivationColumn), index(rowCount() - 1, ActivationColumn));
}

Qt::CheckState FascicleModel::conducts(std::size_t row) const
{
    constexpr double hair_mm = 1e-6;
    const auto& p = m_parts[row];
    return p.cut_mm < hair_mm                 ? Qt::Checked
           : p.cut_mm > p.length_mm - hair_mm ? Qt::Unchecked
                                              : Qt::PartiallyChecked;
}

int FascicleModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_parts.size());
}

int FascicleModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant FascicleModel::data(const QModelIndex& at, int role) const
{
    if (!at.isValid() || at.row() >= rowCount())
        return {};
    const auto row = static_cast<std::size_t>(at.row());
    const auto& p = m_parts[row];
    if (role == Qt::TextAlignmentRole && at.column() != NameColumn)
        return right_aligned;
    if (role == Qt::CheckStateRole && at.column() == NameColumn)
        return conducts(row);
    if (role == Qt::ToolTipRole && at.column() == NameColumn)
        return conducts(row) == Qt::Checked ? tr("It conducts. Take the mark away to cut it.")
               : conducts(row) == Qt::Unchecked
                   ? tr("It is cut: it conducts nowhere. Mark it to join it again.")
                   : tr("%1 of %2 mm are cut.").arg(number(p.cut_mm, 0), number(p.length_mm, 0));
    if (role != Qt::DisplayRole)
        return {};
    switch (at.column()) {
    case NameColumn:
        return fascicleName(p.fascicle);
    case LengthColumn:
        return number(p.length_mm, 0);
    case NodesColumn:
        return QString::number(p.nodes);
    case JunctionsColumn:
        return QString::number(p.junctions.size());
    default:
        return number(static_cast<double>(m_activation[row]), 1);
    }
}

bool FascicleModel::setData(const QModelIndex& at, const QVariant& value, int role)
{
    if (!at.isValid() || role != Qt::CheckStateRole || at.column() != NameColumn)
        return false;
    Q_EMIT cutRequested(m_parts[static_cast<std::size_t>(at.row())].fascicle,
                        value.toInt() == Qt::Unchecked);
    return false; // the mark follows the network
}

Qt::ItemFlags FascicleModel::flags(const QModelIndex& at) const
{
    auto f = QAbstractTableModel::flags(at);
    const bool named = at.isValid() && m_parts[static_cast<std::size_t>(at.row())].fascicle !=
                                           cable::Fascicle::other;
    if (at.column() == NameColumn && named)
        f |= Qt::ItemIsUserCheckable;
    return f;
}

QVariant FascicleModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    static constexpr const char* titles[ColumnCount] = {
        QT_TR_NOOP("Fascicle"), QT_TR_NOOP("Length\n(mm)"), QT_TR_NOOP("Nodes"),
        QT_TR_NOOP("Junctions"), QT_TR_NOOP("Active\n(ms)")};
    static constexpr const char* tips[ColumnCount] = {
        QT_TR_NOOP("Marked: it conducts"), QT_TR_NOOP("Of all its branches"),
        QT_TR_NOOP("Of the cable that is computed"), QT_TR_NOOP("Ends that are joined to the wall"),
        QT_TR_NOOP("When the newest beat came to it first")};
    if (role == Qt::DisplayRole)
        return tr(titles[section]);
    if (role == Qt::ToolTipRole)
        return tr(tips[section]);
    return {};
}

void JunctionModel::setNetwork(const NetworkShapePtr& shape)
{
    beginResetModel();
    m_shape = shape;
    m_frame.reset();
    m_fascicle.clear();
    if (shape)
        for (const auto p : shape->network->junction_at) {
            const auto kind = shape->network->morphology.kind[static_cast<std::size_t>(p)];
            m_fascicle.push_back(kind >= 0 && kind < cable::fascicles
                                     ? static_cast<cable::Fascicle>(kind)
                                     : cable::Fascicle::other);
        }
    m_states.assign(m_fascicle.size(), JunctionState::silent);
    endResetModel();
}

void JunctionModel::setFrame(const NetworkFramePtr& frame)
{
    const bool ours = frame && m_shape && frame->network == m_shape->network->made;
    if (!ours && !m_frame)
        return;
    const auto same = [](const std::vector<float>& a, const std::vector<float>& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](float x, float y) {
            return x == y || (std::isnan(x) && std::isnan(y));
        });
    };
    const bool others = !ours || !m_frame || !same(m_frame->junction_ms, frame->junction_ms) ||
                        !same(m_frame->junction_wall_ms, frame->junction_wall_ms);
    m_frame = ours ? frame : nullptr;
    std::vector<JunctionState> states(m_fascicle.size(), JunctionState::silent);
    for (std::size_t k = 0; ours && k < states.size(); ++k)
        states[k] = simulation::junction_state(static_cast<double>(frame->junction_ms[k]),
                                               static_cast<double>(frame->junction_wall_ms[k]),
                                               frame->time_ms);
    if (!others && states == m_states)
        return;
    m_states = std::move(states);
    if (!m_states.empty())
        Q_EMIT dataChanged(index(0, DelayColumn), index(rowCount() - 1, StateColumn));
}

double JunctionModel::delay(std::size_t row) const
{
    const auto s = m_states[row];
    if (!m_frame || (s != JunctionState::antegrade && s != JunctionState::retrograde))
        return std::numeric_limits<double>::quiet_NaN();
    return std::abs(static_cast<double>(m_frame->junction_wall_ms[row]) -
                    static_cast<double>(m_frame->junction_ms[row]));
}

std::array<int, simulation::junction_states> JunctionModel::counts() const
{
    std::array<int, simulation::junction_states> n{};
    for (const auto s : m_states)
        ++n[static_cast<std::size_t>(s)];
    return n;
}

QString JunctionModel::delaysText() const
{
    QStringList parts;
    for (const auto s : {JunctionState::antegrade, JunctionState::retrograde}) {
        std::vector<double> ms;
        for (std::size_t k = 0; k < m_states.size(); ++k)
            if (m_states[k] == s)
                ms.push_back(delay(k));
        if (ms.empty())
            continue;
        std::sort(ms.begin(), ms.end());
        const QString of =
            tr("%1 ms (%2 to %3)")
                .arg(number(ms[ms.size() / 2], 1), number(ms.front(), 1), number(ms.back(), 1));
        parts
            << (s == JunctionState::antegrade ? tr("to the wall %1") : tr("backwards %1")).arg(of);
    }
    return parts.isEmpty() ? QString() : tr("Delay %1").arg(parts.join(QStringLiteral(", ")));
}

int JunctionModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_fascicle.size());
}

int JunctionModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant JunctionModel::data(const QModelIndex& at, int role) const
{
    if (!at.isValid() || at.row() >= rowCount())
        return {};
    const auto row = static_cast<std::size_t>(at.row());
    const bool sort = role == SortRole;
    if (role == Qt::TextAlignmentRole && at.column() != FascicleColumn &&
        at.column() != StateColumn)
        return right_aligned;
    if (role == Qt::DecorationRole && at.column() == StateColumn)
        return junctionStateColor(m_states[row]);
    if (role == Qt::ToolTipRole && at.column() == StateColumn)
        return junctionStateMeaning(m_states[row]);
    if (role != Qt::DisplayRole && !sort)
        return {};
    switch (at.column()) {
    case NumberColumn:
        return sort ? QVariant(at.row()) : QString::number(row);
    case FascicleColumn:
        return fascicleName(m_fascicle[row]);
    case DelayColumn: {
        const double ms = delay(row);
        return sort ? QVariant(std::isfinite(ms) ? ms : -1.0) : number(ms, 2);
    }
    case ResistanceColumn: {
        const double kOhm = m_shape->network->description.junctions[row].resistance_kOhm;
        return sort ? QVariant(kOhm) : QString::number(kOhm, 'g', 4);
    }
    default:
        return sort ? QVariant(static_cast<int>(m_states[row]))
                    : QVariant(junctionStateName(m_states[row]));
    }
}

QVariant JunctionModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    static constexpr const char* titles[ColumnCount] = {QT_TR_NOOP("No."), QT_TR_NOOP("Fascicle"),
                                                        QT_TR_NOOP("Delay\n(ms)"),
                                                        QT_TR_NOOP("R\n(kΩ)"), QT_TR_NOOP("State")};
    static constexpr const char* tips[ColumnCount] = {
        QT_TR_NOOP("As junctions.csv numbers them"), QT_TR_NOOP("Whose end it is"),
        QT_TR_NOOP("From the end to the wall, or backwards, in the newest beat"),
        QT_TR_NOOP("Resistance between the end and the wall around it"),
        QT_TR_NOOP("What it did in the newest beat")};
    if (role == Qt::DisplayRole)
        return tr(titles[section]);
    if (role == Qt::ToolTipRole)
        return tr(tips[section]);
    return {};
}

} // namespace tawara
