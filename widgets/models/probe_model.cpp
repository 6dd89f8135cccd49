// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/probe_model.hpp"

#include <algorithm>
#include <array>

namespace tawara {
namespace {

// Okabe and Ito's colours, lightened for a dark ground: told apart by colour-blind eyes too.
constexpr std::array<QRgb, 8> palette{0xff56b4e9, 0xffe69f00, 0xff2fc79a, 0xfff0e442,
                                      0xffe57fb6, 0xffff7a45, 0xff7d9bff, 0xffd9dee8};

} // namespace

const ProbeEntry& ProbeModel::add(quint64 id, const QString& name, const Vec3& position)
{
    QColor color = QColor::fromRgb(palette[m_entries.size() % palette.size()]);
    for (QRgb c : palette)
        if (std::none_of(m_entries.begin(), m_entries.end(),
                         [c](const ProbeEntry& e) { return e.color.rgb() == c; })) {
            color = QColor::fromRgb(c);
            break;
        }
    const int row = static_cast<int>(m_entries.size());
    beginInsertRows({}, row, row);
    m_entries.push_back({id, name, position, color, {}});
    endInsertRows();
    return m_entries.back();
}

void ProbeModel::remove(quint64 id)
{
    const auto at = std::find_if(m_entries.begin(), m_entries.end(),
                                 [id](const ProbeEntry& e) { return e.id == id; });
    if (at == m_entries.end())
        return;
    const int row = static_cast<int>(at - m_entries.begin());
    beginRemoveRows({}, row, row);
    m_entries.erase(at);
    endRemoveRows();
}

void ProbeModel::clear()
{
    beginResetModel();
    m_entries.clear();
    endResetModel();
}

void ProbeModel::setValue(quint64 id, float V)
{
    for (std::size_t row = 0; row < m_entries.size(); ++row)
        if (m_entries[row].id == id && m_entries[row].V != V) {
            m_entries[row].V = V;
            const auto at = index(static_cast<int>(row), ValueColumn);
            Q_EMIT dataChanged(at, at, {Qt::DisplayRole});
        }
}

void ProbeModel::clearValues()
{
    for (ProbeEntry& e : m_entries)
        e.V.reset();
    valuesChanged();
}

void ProbeModel::showInstead(const QString& title,
                             const std::function<std::optional<double>(quint64)>& of)
{
    const bool other = title != m_instead;
    m_instead = title;
    for (ProbeEntry& e : m_entries)
        e.instead = title.isEmpty() ? std::nullopt : of(e.id);
    valuesChanged();
    if (other)
        Q_EMIT headerDataChanged(Qt::Horizontal, ValueColumn, ValueColumn);
}

void ProbeModel::valuesChanged()
{
    if (!m_entries.empty())
        Q_EMIT dataChanged(index(0, ValueColumn), index(rowCount() - 1, ValueColumn),
                           {Qt::DisplayRole});
}

QString ProbeModel::freeName() const
{
    for (int n = 1;; ++n) {
        const QString name = tr("Probe %1").arg(n);
        if (std::none_of(m_entries.begin(), m_entries.end(),
                         [&](const ProbeEntry& e) { return e.name == name; }))
            return name;
    }
}

int ProbeModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_entries.size());
}

int ProbeModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ProbeModel::data(const QModelIndex& at, int role) const
{
    if (!at.isValid() || at.row() >= rowCount())
        return {};
    const ProbeEntry& e = m_entries[static_cast<std::size_t>(at.row())];
    switch (role) {
    case Qt::DisplayRole:
        if (at.column() == NameColumn)
            return e.name;
        if (at.column() == ValueColumn) {
            const std::optional<double> v =
                m_instead.isEmpty() ? std::optional<double>(e.V) : e.instead;
            return v ? tr("%1 mV").arg(*v, 0, 'f', 1) : QStringLiteral("–");
        }
        return {};
    case Qt::DecorationRole:
        return at.column() == NameColumn ? QVariant(e.color) : QVariant();
    case Qt::TextAlignmentRole:
        return at.column() == ValueColumn ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                          : QVariant();
    case Qt::ToolTipRole:
        return tr("%1 at (%2, %3, %4) mm")
            .arg(e.name)
            .arg(e.position[0], 0, 'f', 1)
            .arg(e.position[1], 0, 'f', 1)
            .arg(e.position[2], 0, 'f', 1);
    default:
        return {};
    }
}

QVariant ProbeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    if (section == ValueColumn)
        return m_instead.isEmpty() ? tr("V now") : m_instead;
    return section == NameColumn ? tr("Probe") : QString();
}

} // namespace tawara
