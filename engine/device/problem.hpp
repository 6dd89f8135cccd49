// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/model.hpp"
#include "engine/cell/reaction.hpp"
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/diffusion/system.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tawara::device {

/// Cells of one reaction: of one model and one scheme, or of a reaction of its own.
struct CellGroup
{
    cell::Scheme scheme = cell::Scheme::rush_larsen_light;
    std::vector<cell::CellType> types; ///< 1 to most_types, all of one model
    /// Steps the cells in place of a compiled model, which there is none of then: no scheme. Its
    /// types say with which parameters, and are what set_types() replaces; it may have none. On
    /// CUDA devices only where it says how (cuda/device_reaction.cuh).
    std::shared_ptr<const cell::ReactionModel> reaction{};
};

/// What a message calls a group's model.
std::string model_name(const CellGroup& group);

/// Whether cells of one group may go on as those of the other: of one compiled model whose text is
/// the same, or of reactions of one identity.
bool same_cells(const CellGroup& a, const CellGroup& b);

/// How many numbers the state of one of its cells has beside V, as CPU steppers keep and
/// snapshots hold it; a reaction's may have another number in single precision.
std::size_t numbers_per_cell(const CellGroup& group, Precision precision);

/// @throws InputError unless `types` are as many, of its model, and normal where it is (normal.hpp)
void check_types(const CellGroup& group, std::span<const cell::CellType> types);

enum class Splitting { godunov, strang };
enum class Stepping {
    explicit_,
    backward_euler,
    crank_nicolson,
    newton ///< cells and diffusion at once, by backward Euler (diffusion/newton.hpp)
};

/// Where the ionic current of linear finite elements is computed (NUMERICS.md, 4.1).
enum class IonicCurrents {
    nodal,       ///< at vertices
    interpolated ///< within the tetrahedra of a front, elsewhere at vertices
};

/// Where the sums over a tetrahedron's part of a tissue are made, which rounding depends on.
struct ElementPlace
{
    std::int32_t number = 0; ///< among all of the tissue, in the order in which they are taken
    std::int32_t chunk = -1; ///< -1: of none; its currents are those of the vertices
};

/// The tetrahedra that conduct.
struct Elements
{
    std::vector<std::array<std::int32_t, 4>> corner; ///< unknowns
    std::vector<double> volume_mm3;
    /// Of those of a share, their places in the whole tissue; else empty, and the CPU finds them.
    std::vector<ElementPlace> place{};
    std::size_t size() const { return corner.size(); }
};

/// How steps by Newton's method are taken.
struct NewtonSettings
{
    double tolerance_mV = 1e-6; ///< of the largest residual
    int iterations = 20;        ///< more are taken as a failure
    /// Steps of several time steps, up to dt_max_ms, are taken where the local error allows it.
    bool adaptive = true;
    double dt_max_ms = 1;
    bool operator==(const NewtonSettings&) const = default;
};

/// Group of an unknown without cells (no conducting tissue is there): it is not stepped, its V and
/// its times are NaN.
inline constexpr std::uint8_t no_cells = 255;

/// Everything that a device needs to step a tissue. Plain values in the mesh's own order of
/// unknowns (tetrahedra for fvm, vertices for p1); each back end lays them out for itself.
struct TissueProblem
{
    diffusion::System system;
    std::vector<Vec3> position_mm; ///< of each unknown, for messages
    std::vector<CellGroup> groups;
    std::vector<std::uint8_t> group;   ///< per unknown; or no_cells
    std::vector<cell::TypeIndex> type; ///< per unknown, row of its group's types
    /// Of a share of a tissue: for each unknown whose cells another process steps (Halo) their
    /// group, for all others no_cells. `group` of the former is no_cells, their rows are empty.
    /// Empty: every cell is stepped here.
    std::vector<std::uint8_t> elsewhere{};
    double dt_ms = 0.02;
    Splitting splitting = Splitting::godunov;
    Stepping stepping = Stepping::explicit_;
    diffusion::SubStepping substeps;
    /// Of the linear solver, where a step has one (needs_solver).
    double solver_tolerance_mV = 1e-7; ///< bound of the Jacobi-scaled residual's largest entry
    int solver_iterations = 2000;      ///< more are an error
    NewtonSettings newton;             ///< of Stepping::newton
    /// Unknowns whose potential would change by less than this over longest_quiescent_ms, in all
    /// and by diffusion alone, take that time as one step [mV]; 0: never. Explicit diffusion and
    /// godunov splitting only.
    double rest_tolerance_mV = 0;
    double longest_quiescent_ms = 0.2;
    static constexpr double most_quiescent_ms = 2; ///< that longest_quiescent_ms may be
    /// Of that, how much of diffusion's flow a long step may leave out where a row's weights are
    /// too large for it: what is lost adds up, and with all of it APD90 is off by milliseconds.
    static constexpr double most_lost_at_rest = 0.1;
    /// Step of tables in which functions of V are looked up (cell::make_cpu_kernel), on the CPU
    /// alone; 0: they are computed.
    double table_step_mV = 0;
    double activation_threshold_mV = 0;
    /// Interpolated ones are for p1 with lumped mass and compiled models (check_currents).
    IonicCurrents currents = IonicCurrents::nodal;
    Elements elements; ///< of interpolated currents alone
    std::size_t size() const { return system.size(); }
    bool has_cells(std::size_t unknown) const { return group[unknown] != no_cells; }
    /// The group of an unknown's cells, wherever they are stepped.
    std::uint8_t cell_group(std::size_t unknown) const
    {
        return group[unknown] == no_cells && !elsewhere.empty() ? elsewhere[unknown]
                                                                : group[unknown];
    }
    std::size_t with_cells() const; ///< how many unknowns have cells
};

/// How many cells of a compiled model take about as long as all cells of a problem, by the numbers
/// of their states.
std::size_t weight_of_cells(const TissueProblem& p);

/// Whether diffusion solves a linear system: implicit stepping, or a consistent mass matrix. Not
/// so of Newton's method, which has its own.
bool needs_solver(const TissueProblem& p);
/// Weight of the step's end in its diffusion (diffusion::ImplicitSolver): 0, 1/2 or 1.
double theta(Stepping s);

/// @throws InputError (/diffusion/currents) where a problem asks for interpolated currents and has
///         not what they need
void check_currents(const TissueProblem& p);

/// A current into a set of unknowns, in pulses.
struct StimulusSource
{
    std::vector<std::int32_t> unknowns;
    double amplitude_pA_per_pF = 0;
    double start_ms = 0, duration_ms = 0;
    double period_ms = 0;   ///< 0: one pulse
    std::int64_t count = 1; ///< pulses; 0 with a period: for ever

    /// Part of [t, t + dt) in which a pulse is on, in [0, 1].
    double overlap(double t_ms, double dt_ms) const;
    /// Whether no pulse starts or lasts after t.
    bool over(double t_ms) const;
};

/// Weighted sums of unknowns: output k is sum over [first[k], first[k+1]) of weight * V[unknown].
/// Probes and the display field are of this form.
struct Gather
{
    std::vector<std::int64_t> first{0};
    std::vector<std::int32_t> unknown;
    std::vector<float> weight;
    std::size_t size() const { return first.size() - 1; }
};

/// Activation maps, in the mesh's order. NaN where it never happened.
struct Maps
{
    std::vector<double>
        activation_ms; ///< first upward crossing of the threshold, linear between steps
    std::vector<double>
        repolarisation_ms; ///< first fall, after it, below V_peak - 0.9 (V_peak - V_rest)
    double apd90(std::size_t i) const { return repolarisation_ms[i] - activation_ms[i]; }
};

/// The complete state of a run, in the mesh's order; restoring it continues bit for bit.
struct Snapshot
{
    std::int64_t step = 0;
    std::vector<double> v; ///< of what has taken a long step: midway in it (potential_at_ends())
    std::vector<std::vector<double>>
        states; ///< [s], a number of each unknown that has it (StatePlaces)
    std::vector<double> activation_ms, repolarisation_ms, peak_mV, rest_mV;
    /// Taken inside a long step of quiescent unknowns: QuiescentState::packed(); else empty.
    std::vector<double> quiescent;
    std::vector<std::vector<double>> parts; ///< of each part beside the tissue, in their order
    /// Of Stepping::newton: the lengths of its steps, and V where the last one began; inside a step
    /// of several time steps also V at its ends and the stimulus meanwhile. Else empty.
    std::vector<std::vector<double>> implicit;
};

/// What a kernel did so far, against its ceiling.
struct KernelRecord
{
    std::string name;
    std::int64_t calls = 0;
    double ms = 0;    ///< wall time in all
    double bytes = 0; ///< moved at least, by the data structures, in all
    double flops = 0; ///< floating-point instructions in all: add, mul and fma count one each
    /// To and from the device's memory in all, by its hardware counters in the steps that
    /// Stepper::advance_counted() took; 0: it took none.
    double counted_bytes = 0;
    /// Tetrahedra in all, of a kernel that finds its own; 0: of all others.
    std::int64_t tetrahedra = 0;
};

} // namespace tawara::device
