// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/vec3.hpp"

#include <QAbstractTableModel>
#include <QColor>
#include <QString>

#include <functional>
#include <optional>
#include <vector>

namespace tawara {

/// One probe as the window knows it.
struct ProbeEntry
{
    quint64 id = 0;
    QString name;
    Vec3 position{}; ///< [mm]
    QColor color;
    std::optional<float> V;          ///< newest value [mV]
    std::optional<double> instead{}; ///< shown in place of V [mV]
};

/// The probes in the order in which they were placed: name with its colour, newest V or
/// another value in its place.
class ProbeModel : public QAbstractTableModel
{
    Q_OBJECT
  public:
    enum Column { NameColumn, ValueColumn, RemoveColumn, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;

    /// Adds a probe with the first colour that no other has; returns it.
    const ProbeEntry& add(quint64 id, const QString& name, const Vec3& position);
    void remove(quint64 id);
    void clear();
    void setValue(quint64 id, float V);
    /// Nothing is known of any of them any more: back at the start.
    void clearValues();
    /// Other values than the newest, until others or none are given.
    /// @param title  of their column, e.g. "V then"; empty: the newest
    /// @param of     value [mV] of a probe, where it is known
    void showInstead(const QString& title,
                     const std::function<std::optional<double>(quint64)>& of = {});
    const std::vector<ProbeEntry>& entries() const { return m_entries; }
    /// The first of "Probe 1", "Probe 2", ... that is free.
    QString freeName() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    void valuesChanged();
    std::vector<ProbeEntry> m_entries;
    QString m_instead; ///< title of what is shown in place of the newest values
};

} // namespace tawara
