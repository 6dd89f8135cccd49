// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/observe/network_frame.hpp"

#include <QAbstractTableModel>
#include <QColor>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace tawara {

using NetworkShapePtr = std::shared_ptr<const simulation::NetworkShape>;
using NetworkFramePtr = std::shared_ptr<const simulation::NetworkFrame>;

/// "Left bundle", as people say it; a fascicle that nobody named is "Not named".
QString fascicleName(cable::Fascicle f);
/// "conducts", "blocked"; and what that means.
QString junctionStateName(simulation::JunctionState s);
QString junctionStateMeaning(simulation::JunctionState s);
QColor junctionStateColor(simulation::JunctionState s);

/// A network's fascicles: whether each conducts (a check mark that can be changed), its length,
/// nodes, junctions and newest activation.
class FascicleModel : public QAbstractTableModel
{
    Q_OBJECT
  public:
    enum Column {
        NameColumn,
        LengthColumn,
        NodesColumn,
        JunctionsColumn,
        ActivationColumn,
        ColumnCount
    };
    using QAbstractTableModel::QAbstractTableModel;

    /// Another network, or one that is cut in another way; null: none.
    void setNetwork(const NetworkShapePtr& shape);
    /// When each was activated; null: that is not known.
    void setFrame(const NetworkFramePtr& frame);
    const std::vector<simulation::FasciclePart>& parts() const { return m_parts; }
    /// Whether all of it is cut, none, or a part.
    Qt::CheckState conducts(std::size_t row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  Q_SIGNALS:
    /// Somebody wants the fascicle cut, or joined again.
    void cutRequested(cable::Fascicle fascicle, bool cut);

  private:
    NetworkShapePtr m_shape;
    std::vector<simulation::FasciclePart> m_parts;
    std::vector<std::vector<std::int32_t>> m_drawn; ///< [parts] points that are drawn
    std::vector<float> m_activation;                ///< [parts] newest first activation; NaN: none
};

/// A network's junctions: fascicle, delay, resistance, state. Sorting is a proxy's, by SortRole.
class JunctionModel : public QAbstractTableModel
{
    Q_OBJECT
  public:
    enum Column {
        NumberColumn,
        FascicleColumn,
        DelayColumn,
        ResistanceColumn,
        StateColumn,
        ColumnCount
    };
    static constexpr int SortRole = Qt::UserRole;
    using QAbstractTableModel::QAbstractTableModel;

    void setNetwork(const NetworkShapePtr& shape);
    void setFrame(const NetworkFramePtr& frame);
    const std::vector<simulation::JunctionState>& states() const { return m_states; }
    /// From the end to the wall, or of a junction that is passed backwards from the wall to the
    /// end [ms]; NaN: neither.
    double delay(std::size_t row) const;
    /// How many are in each state.
    std::array<int, simulation::junction_states> counts() const;
    /// "Delay from end to wall 4.1 ms (2.9 to 6.3), 930 junctions"; empty where none conducts.
    QString delaysText() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    NetworkShapePtr m_shape;
    NetworkFramePtr m_frame;
    std::vector<cable::Fascicle> m_fascicle;         ///< [junctions]
    std::vector<simulation::JunctionState> m_states; ///< [junctions]
};

} // namespace tawara
