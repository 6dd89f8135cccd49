// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/stepper.hpp"
#include "engine/simulation/tissue/velocity_tuning.hpp"

#include <nlohmann/json.hpp>

// Parts of report.json that say what was solved and how, for report.cpp alone.
namespace tawara::simulation::report {

using Json = nlohmann::ordered_json;

/// Unknowns that took long steps at rest.
Json rest_json(const device::TissueProblem& p, const device::Stepper& stepper);
/// What steps by Newton's method came to.
Json newton_json(const device::TissueProblem& p, const device::NewtonCounts& c);
/// How a step diffuses: in `substeps` of that kind, or by solving a linear system, of which an
/// explicit step with consistent mass has one in each of equal parts.
Json diffusion_json(const device::TissueProblem& p);
/// Conductivities that were found for wanted velocities.
Json tuning_json(const std::vector<TunedRegion>& tuned);
/// Groups of cells with dyads, and what their states take.
Json dyads_json(const device::TissueProblem& p, Precision precision, const device::Stepper& s);

} // namespace tawara::simulation::report
