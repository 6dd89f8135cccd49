// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/equations/system.hpp"

#include <functional>
#include <memory>

namespace tawara::cell::compiler {

/// The reference solution of one cell by SUNDIALS CVODE: variable order BDF, Newton with a dense
/// Jacobian.
struct ReferenceOptions
{
    double relative_tolerance = 1e-8;
    double absolute_tolerance = 1e-10;
    double largest_step_ms = 1; ///< so that no stimulus is stepped over
    /// Stimulus from outside at a time [pA/pF]; null: none. Ignored by systems with their own.
    std::function<double(double t_ms)> stimulus;
    /// Times at which the stimulus jumps, ascending: the solver stops and starts there. Those of
    /// the file's protocol are known without being told.
    std::vector<double> jumps_ms{};
};

class Reference
{
  public:
    /// Compiles the rates. @throws Error
    explicit Reference(CellSystem system);
    ~Reference();
    Reference(const Reference&) = delete;
    Reference& operator=(const Reference&) = delete;
    double compile_ms() const; ///< what compiling took

    /// Calls `row` with the states (in CellSystem order) at t = 0, every, 2 every ... until; its
    /// result false ends the run. A system with its own stimulus follows its file's protocol.
    /// @throws NumericsError when CVODE cannot go on
    void run(std::span<const double> parameters, std::span<const double> initial, double until_ms,
             double every_ms, const ReferenceOptions& options,
             const std::function<bool(double t_ms, std::span<const double> states)>& row) const;

    /// States at t = 0, every, 2 every ... until, as rows in CellSystem order.
    /// @throws NumericsError when CVODE cannot go on
    std::vector<std::vector<double>> run(std::span<const double> parameters,
                                         std::span<const double> initial, double until_ms,
                                         double every_ms,
                                         const ReferenceOptions& options = {}) const;

  private:
    struct Compiled;
    std::unique_ptr<Compiled> compiled_;
};

} // namespace tawara::cell::compiler
