// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/problem.hpp"
#include "engine/mesh/tet_mesh.hpp"
#include "engine/simulation/pacing/known_pulses.hpp"
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/session/tissue_edit.hpp"

#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>

namespace tawara::simulation {

/// The potential at probes after every step: V_mV[probe][k] after step first_step + k.
struct StepTraces
{
    std::int64_t first_step = 1;
    std::vector<std::vector<float>> V_mV;
    std::int64_t steps() const
    {
        return V_mV.empty() ? 0 : static_cast<std::int64_t>(V_mV.front().size());
    }
    /// Of each sample.
    std::vector<double> times_ms(double dt_ms) const;
};

/// Rows of a table so far.
struct KeptRows
{
    ProbeTable rows;
    std::string of; ///< TableRows::of()
};
/// By the tables' names (run/tables.cpp).
using KeptTables = std::map<std::string, KeptRows>;

/// Everything that a run needs to go on as if it had not been interrupted.
struct Checkpoint
{
    std::string fingerprint; ///< of what must be the same: mesh, operator, cells, dt, precision
    device::Snapshot state;
    ProbeTable probes;     ///< samples so far
    std::string probes_of; ///< text of their places; of other ones the samples are others
    KeptTables tables;     ///< that are not empty
    StepTraces traces;     ///< at the probes
    /// That the maps so far were recorded with [mV]; NaN: not known, of an earlier version.
    double threshold_mV = std::numeric_limits<double>::quiet_NaN();
    std::vector<KnownPulses> pulses;  ///< of the session's stimuli
    std::vector<double> layout;       ///< layout_print(); empty of an earlier version
    std::vector<TissueEdit> branches; ///< where the run and those before it branched off
    double maps_from_ms = 0;          ///< the maps so far are of what came after it
    std::string provenance;           ///< Provenance::text; empty: nobody said it
    std::uint32_t version = 0;        ///< of the file that it was read from; 1 had no checksum
};

/// That a run branched off, as a change of its tissue.
TissueEdit branch_at(double time_ms);

/// Numbers that two runs share exactly when one can branch off from the other's checkpoint: the
/// same unknowns of the same mesh with the same cell models, and the same time step. Parameters,
/// variants, drugs, conductivities, reaction schemes, stepping and precision may be others.
std::vector<double> layout_print(const device::TissueProblem& p, const mesh::TetMesh& m);

/// Text that two runs share exactly when one can resume from the other's checkpoint. What acts
/// outside of the problem's operator, cells and steps is in it by the table of session keys
/// (Key::Fixed).
std::string fingerprint(const device::TissueProblem& p, const Session& s, Precision precision);

/// What tells two fingerprints apart, in words, e.g. "its time step is 0.02 ms, here 0.04 ms".
/// @param same_mesh  it is known that the meshes are the same: they are not among what may differ
std::string difference(const std::string& of_checkpoint, const std::string& here,
                       bool same_mesh = false);

/// Places that samples of the probes are of.
std::string probes_print(std::span<const Probe> probes);

/// Whether the tissue here, or how it is stepped, is another than the checkpoint's.
/// @param here    with this run's fingerprint and layout
/// @param branch  such differences are wanted, where the layout is the same
/// @throws InputError  at the file, what cannot be another and is
bool differs(const Checkpoint& c, const Checkpoint& here, bool branch,
             const std::filesystem::path& file);

/// A run that branches off would replace what the checkpoint's own run has written.
/// @throws InputError  at --out, where the checkpoint lies in the folder of the outputs
void need_other_folder(const std::filesystem::path& out, const std::filesystem::path& checkpoint);

/// What a run can go on from at most: no more is taken into memory, however much a file unpacks to.
/// Rows are as many as there were steps, at most.
struct CheckpointBounds
{
    std::size_t unknowns = std::numeric_limits<std::size_t>::max();
    std::size_t states = std::numeric_limits<std::size_t>::max(); ///< beside V
    std::function<void(std::int64_t step)> step = {}; ///< called with its step, may throw
    /// Of each unknown, no_cells where it has no potential; empty: all have one.
    std::span<const std::uint8_t> group = {};
    /// Columns of the probes' samples, and traces; where there are more, they are of other probes:
    /// of the samples the names alone are kept, of the traces nothing.
    std::size_t probes = std::numeric_limits<std::size_t>::max();
    /// Columns of each table, by the tables' names. Of a table with more columns the names alone
    /// are kept, of one that is not here nothing. No value: all is kept.
    std::optional<std::map<std::string, std::size_t>> tables = {};
    /// Numbers of all that is joined to the tissue; 0: of such parts the count alone is kept.
    std::size_t parts = std::numeric_limits<std::size_t>::max();
};

/// Writes a checkpoint (.tcp), whole or not at all. Binary, little endian, zlib-compressed, with a
/// version and a checksum (checkpoint_stream.hpp). Holds no second copy of it in memory.
void write_checkpoint(const Checkpoint& c, const std::filesystem::path& file);

/// Reads one and checks that all in it fits together and can have been computed; whether it is of
/// this tissue Stepper::restore() checks. Those of version 1 lack the checksum, and may lack
/// tables, traces, pulses, layout and branches.
/// @param begun  called with the fingerprint, the version and, from version 2 on, the layout,
/// before
///               anything else is read; may throw; what it returns bounds what is taken into memory
/// @throws InputError when the file is not one, is damaged, was cut short or cannot be
Checkpoint
read_checkpoint(const std::filesystem::path& file,
                const std::function<CheckpointBounds(const Checkpoint& begun)>& begun = {});

/// Checkpoint::provenance of one, of which nothing else is checked or kept in memory. Empty in
/// version 1. @throws InputError as read_checkpoint() does of files that are damaged
std::string provenance_of_checkpoint(const std::filesystem::path& file);

} // namespace tawara::simulation
