// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/device/stepper.hpp"
#include "engine/simulation/observe/curves.hpp"
#include "engine/simulation/observe/kernel_figure.hpp"
#include "engine/simulation/observe/maps.hpp"
#include "engine/simulation/observe/recording.hpp"
#include "engine/simulation/observe/scene.hpp"
#include "engine/simulation/pacing/pulse_log.hpp"
#include "engine/simulation/results/export_kind.hpp"
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/results/provenance.hpp"
#include "engine/simulation/session/model_switch_times.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tawara::cable {
struct NetworkTimes; // cable/network/part.hpp
}

namespace tawara::simulation {

/// What exports are made of: values, so that a run may go on while they are written. Fill what is
/// there; each kind says what it lacks.
struct ExportSource
{
    std::shared_ptr<const Scene> scene; ///< mesh, surface, session, device, notices
    bool on_vertices = true;            ///< where the unknowns are (p1), or on tetrahedra (fvm)
    double time_ms = 0;
    std::vector<double> potential; ///< V [mV] per unknown (Stepper::potential())
    device::Maps maps;             ///< Stepper::maps()
    double maps_from_ms = 0;       ///< they are of what came then
    CellMap cells;                 ///< of each unknown; empty: nobody says
    /// The beat that maps and the report are of, at the mesh's vertices, and its beat_label();
    /// without a label maps are of the first activation of each unknown, at the vertices too, and
    /// have no period.
    VolumeMaps beat;
    BeatSpan beat_span;
    std::string beat_label;
    std::vector<Trace> traces;
    ModelSwitchTimes switched_ms; ///< under their probes
    std::vector<Pulse> pulses;    ///< given before time_ms (PulseLog)
    Ecg ecg;
    ProbeTable calcium;                                       ///< as calcium.csv has it
    std::shared_ptr<const PurkinjeNetwork> network;           ///< null: there is none
    std::shared_ptr<const cable::NetworkTimes> network_times; ///< of that one
    std::shared_ptr<const Recording> recording;
    std::vector<KernelFigure> kernels;
    double wall_s = 0; ///< of stepping; 0: unknown
    std::int64_t steps = 0;
    std::optional<device::NewtonCounts> newton; ///< Stepper::newton_counts()
    std::optional<Provenance> by;               ///< nothing: provenance_of() the scene
};

/// What the source's files say of it.
Provenance provenance_of(const ExportSource& s);

/// Writes one kind of result; every file appears whole or not at all. Files say what made them;
/// beside those that have no place for that (CSV, .dat) lies a FILE.provenance.json.
/// @return the files written, the named one first
/// @throws InputError  naming what is missing ("nothing was recorded; ...") or what cannot be
/// written;
///                     Cancelled
/// @thread any
std::vector<std::filesystem::path> export_results(const ExportSource& source, ExportKind kind,
                                                  const std::filesystem::path& file,
                                                  const Progress& progress = {});

/// Values per unknown carried to the mesh's vertices: themselves for p1, the inverse-distance mean
/// of the tetrahedra around a vertex for fvm. NaN in, NaN out, unless a neighbour has a value.
std::vector<float> at_vertices(const mesh::TetMesh& m, bool on_vertices,
                               std::span<const double> values);

/// One value per line, as CARP's tools read it; `missing` where it is not finite.
void write_dat(std::span<const float> values, double missing, const std::filesystem::path& file);

/// Probes' curves as one table: a row per time at which any has a sample, empty where one has none.
void write_traces_csv(std::span<const Trace> traces, const std::filesystem::path& file);

/// Probes' beats as one table, as beats.csv of a run: probe, number of the beat, activation,
/// upstroke, rest, peak, amplitude, APD30, APD50, APD90, diastolic interval before it, cycle; units
/// in the header, empty where a beat has none. Then the tissue that it ran with, and the pulse that
/// made it (beats_csv_rows()).
void write_beats_csv(const ExportSource& source, const std::filesystem::path& file);

/// What the restitution plot shows, as a table (restitution_csv_rows()).
/// @throws InputError  where there is no point of it yet
void write_restitution_csv(const ExportSource& source, const std::filesystem::path& file);

} // namespace tawara::simulation
