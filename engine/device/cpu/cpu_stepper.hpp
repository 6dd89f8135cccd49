// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/halo.hpp"
#include "engine/device/stepper.hpp"

namespace tawara::device::cpu {

/// Steps a tissue on the cores of this machine, in Real.
///
/// Each step runs over blocks of slots small enough for the cache: the last diffusion sub-step of a
/// block, its reaction and the record of its activation follow each other before the next block.
/// @param threads  0: as many of the context's as the unknowns keep busy
/// @param halo  of a share (TissueProblem::elsewhere), lives as long as the stepper; null: all of
///              the tissue is stepped here
template <class Real>
std::unique_ptr<Stepper> make_cpu_stepper(const TissueProblem& problem, unsigned threads,
                                          const Progress& progress, Halo* halo = nullptr);
extern template std::unique_ptr<Stepper> make_cpu_stepper<double>(const TissueProblem&, unsigned,
                                                                  const Progress&, Halo*);
extern template std::unique_ptr<Stepper> make_cpu_stepper<float>(const TissueProblem&, unsigned,
                                                                 const Progress&, Halo*);

} // namespace tawara::device::cpu
