// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/system.hpp"

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
};

class Reference
{
  public:
    /// Compiles the rates. @throws Error
    explicit Reference(CellSystem system);
    ~Reference();
    Reference(const Reference&) = delete;
    Reference& operator=(const Reference&) = delete;

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
