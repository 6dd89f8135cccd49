// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"

/// Kinds of the notices of a simulation.
namespace tawara::simulation::notice_kind {

inline constexpr Notice::Kind tissue{1};   ///< from making the tissue's problem of the regions
inline constexpr Notice::Kind prepaced{2}; ///< what pacing the cells before the run has reached
inline constexpr Notice::Kind tissue_changed{3}; ///< the tissue was changed during the run
inline constexpr Notice::Kind state_lost{4};     ///< the run's state is not what it was
inline constexpr Notice::Kind event_lost{5};     ///< an event could not be delivered
inline constexpr Notice::Kind work_lost{6};      ///< work beside the run was lost
inline constexpr Notice::Kind samples_lost{7};   ///< maps, phase and ECG lack samples
inline constexpr Notice::Kind fault{8};          ///< an error that nobody expected
inline constexpr Notice::Kind network{9};        ///< from making the Purkinje network
inline constexpr Notice::Kind unexcited{10};     ///< the run has ended and nothing was activated
inline constexpr Notice::Kind maps_begin{11};    ///< maps begin later than the run

} // namespace tawara::simulation::notice_kind
