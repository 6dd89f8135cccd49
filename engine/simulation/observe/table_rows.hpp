// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/observe/curves.hpp"
#include "engine/simulation/simulation.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tawara::simulation {

/// A table with a row every so many steps, made as the steps are taken. A derived class names the
/// columns and makes a row; `run/tables.cpp` lists the tables of a run.
class TableRows : public Observer
{
  public:
    /// @param columns  names; none: no row is ever due
    /// @param of  text of what the rows are of beside the columns' names, e.g. places: a run that
    ///            goes on from a checkpoint keeps its rows where names and text are the same
    TableRows(std::vector<std::string> columns, std::int64_t every_steps, std::string of = {});

    bool empty() const { return every_ == 0; }
    const std::string& of() const { return of_; }
    const ProbeTable& table() const { return table_; }
    /// Rows before that time stay; the run that goes on writes the others itself.
    /// @pre  of the same columns
    void go_on(ProbeTable rows, double before_ms);

    std::int64_t due_after(std::int64_t step) const final { return next_multiple(step, every_); }
    void observe(Moment& now) final;

  private:
    /// A value for each column.
    virtual std::vector<double> row(Moment& now) = 0;

    std::int64_t every_;
    std::string of_;
    ProbeTable table_;
};

/// Rows that a function makes.
class RowsByFunction final : public TableRows
{
  public:
    using Make = std::function<std::vector<double>(Moment&)>;
    /// @param make  a value for each column; what it refers to outlives the rows
    RowsByFunction(std::vector<std::string> columns, std::int64_t every_steps, Make make)
        : TableRows(std::move(columns), every_steps), make_(std::move(make))
    {
    }

  private:
    std::vector<double> row(Moment& now) override { return make_(now); }

    Make make_;
};

/// A place as `of` texts have it.
std::string place_text(const Vec3& position_mm);

} // namespace tawara::simulation
