// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/model.hpp"
#include "engine/simulation/session/session.hpp"

#include <QWidget>

#include <optional>
#include <string>
#include <vector>

class QLineEdit;
class QTableWidget;

namespace tawara {

/// The parameters of a region's cells, to be found by name and changed: a model's own, or factors
/// on those of what lies beneath, and values in place of them.
class ParameterTable : public QWidget
{
    Q_OBJECT
  public:
    explicit ParameterTable(QWidget* parent = nullptr);
    /// @param info     the region's model; null: it has none, or nobody has described it yet
    /// @param beneath  models of the regions beneath: what none of them has is not offered
    void fill(const simulation::Region& r, const cell::ModelInfo* info,
              const std::vector<const cell::ModelInfo*>& beneath);
    void setEditable(bool on);

  Q_SIGNALS:
    /// What was typed; nothing: the region has none of its own.
    void valueChanged(const QString& name, std::optional<double> value);
    void factorChanged(const QString& name, std::optional<double> factor);

  private:
    enum Column { name_column, value_column, default_column };

    void connectTable();
    QString nameIn(int row) const; ///< of the parameter in a row

    QLineEdit* m_filter;
    QTableWidget* m_table;
    simulation::Region m_region;
    const cell::ModelInfo* m_info = nullptr;
    std::vector<const cell::ModelInfo*> m_beneath;
    /// What the table says.
    struct Shown
    {
        bool written = false;
        const cell::ModelInfo* info = nullptr;
        std::string variant;
        decltype(simulation::Region::parameters) values, factors;
        std::vector<const cell::ModelInfo*> beneath;
        bool operator==(const Shown&) const = default;
    } m_shown;
};

} // namespace tawara
