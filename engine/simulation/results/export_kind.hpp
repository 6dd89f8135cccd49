// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <span>
#include <string_view>

namespace tawara::simulation {

/// What can be taken out of a run.
enum class ExportKind {
    potential_vtu,      ///< V now, on the mesh
    potential_dat,      ///< V now, one value per mesh vertex (CARP .dat)
    maps_csv,           ///< activation, repolarisation, APD90, period of a beat, per mesh vertex
    maps_vtu,           ///< the same on the mesh; the fields' names say which beat
    activation_dat,     ///< its activation per mesh vertex; -1 where it never happened (CARP)
    repolarisation_dat, ///< its repolarisation per mesh vertex, likewise
    apd90_dat,          ///< APD90 per mesh vertex, likewise
    traces_csv,         ///< V over time at the probes
    beats_csv,          ///< each probe's beats: activation, upstroke, APD, diastolic interval
    restitution_csv,    ///< APD90 over the diastolic interval before it, a row a beat that has both
    ecg_csv,            ///< the leads over time
    frames_pvd,         ///< recorded frames: FILE.pvd and a folder FILE_frames/ of surfaces (.vtp)
    frames_igb, ///< recorded frames as CARP .igb on the surface's vertices, with FILE.pts beside it
    report_html ///< one page: settings, figures, kernels; without pictures
};

struct ExportChoice
{
    ExportKind kind;
    std::string_view name;      ///< for scripts, e.g. "maps-vtu"
    std::string_view extension; ///< with its dot
    std::string_view text;      ///< for people, e.g. "Activation and APD on the mesh"
};
/// All of them, in the order of the enumeration.
std::span<const ExportChoice> export_choices();
/// The kind of a name, e.g. "maps-vtu".
std::optional<ExportKind> export_kind(std::string_view name);

} // namespace tawara::simulation
