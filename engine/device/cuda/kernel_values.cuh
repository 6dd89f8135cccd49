// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments of the kernels, as plain values: for the kernels that are built with the program and
// for those that are compiled while it runs.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tawara::device::cuda {

inline constexpr unsigned long long no_failure = ~0ULL;

/// What a shard knows of the run, in its device's memory.
struct Status
{
    long long step = 0; ///< steps done before the graph that runs now
    unsigned long long bad =
        no_failure; ///< (step << 32 | part << 31 | slot) of the first value that is not finite
    long long long_steps = 0;      ///< long steps of resting unknowns ended before the graph
    unsigned long long moving = 0; ///< later short steps taken by slices inside long ones
    unsigned long long front = 0;  ///< tetrahedra of fronts so far, of interpolated currents
};

/// Off-diagonals of a shard's rows; see Shard for the layout.
template <class Real>
struct Matrix
{
    const std::uint32_t* chunk = nullptr;
    const std::uint32_t* column_chunk = nullptr;
    const std::int16_t* column = nullptr;
    const Real* value = nullptr;
};

/// One explicit pass over the slots [begin, end), multiples of 32:
///     out_i = c_x x_i + c_y y_i + c_0 y0_i + c_l l0_i + tau sum_k a_ik (x_k - x_i)
/// Null pointers stand for terms that are not there. With l_out the bare sum is kept there too.
/// The matrix may be stored in less than the sums are made in (Precision::mixed).
template <class Real, class Stored = Real>
struct Pass
{
    Matrix<Stored> a;
    const Real *x = nullptr, *y = nullptr, *y0 = nullptr, *l0 = nullptr;
    Real *out = nullptr, *l_out = nullptr;
    Real c_x = 1, c_y = 0, c_0 = 0, c_l = 0, tau = 0;
};

/// Activation maps. `track` is the least potential before activation, the present one included, and
/// the peak after it. Where no maps are kept, every phase is 3, and all but `phase` are null.
template <class Real>
struct Record
{
    std::uint8_t* phase =
        nullptr; ///< 0 before activation, 1 activated, 2 repolarised, 3 no unknown
    Real *track = nullptr, *rest = nullptr;
    double *activation_ms = nullptr, *repolarisation_ms = nullptr;
    double threshold_mV = 0;
};

/// The chunks of a group (FrontChunk) that may come into the front. A look at all chunks lists
/// those near it. Until the next look, kernels that write V list the chunks of each slice whose V
/// has changed much. `chunk` and `list` number chunks of all groups.
template <class Real>
struct FrontWatch
{
    const Real* v = nullptr;              ///< [slots] V at the look; null: nothing is watched
    Real strays_mV = 0;                   ///< how much V may differ from it
    std::uint32_t* strayed = nullptr;     ///< [slots / 32] not 0: the slice's chunks are listed
    const std::uint32_t* first = nullptr; ///< [slots / 32 + 1] rows of `chunk`
    const std::int32_t* chunk = nullptr;  ///< those with a vertex in each slice
    std::uint32_t* listed = nullptr;      ///< a bit of each chunk
    std::int32_t* list = nullptr;         ///< those listed, in any order
    std::uint32_t* count = nullptr;
};

/// Reaction of the slots [begin, end) of one cell group. States other than V lie in tiles of 32
/// slots, [tile][state][32].
template <class Real>
struct Reaction
{
    const Real* v_in = nullptr; ///< not used when fused with a pass
    Real* v_out = nullptr;
    Real* v_end = nullptr; ///< where slots rest: V at the end of the long step that they have taken
    const Real* v_before =
        nullptr; ///< potential at the step's start, for the record; null: no record
    Real* states = nullptr;
    std::int64_t slots = 0;              ///< numbers from one tile to the next
    const std::uint16_t* type = nullptr; ///< row of its group's types
    const Real* tables = nullptr;        ///< [types][numbers of a type's row] in device memory
    const Real* stimulus = nullptr;      ///< [slots] pA/pF, or null
    const std::uint32_t* driven =
        nullptr;               ///< [slots / 32] bits of slots with a stimulus; null: any
    Real dt = 0;               ///< of this reaction
    unsigned* queue = nullptr; ///< [2] of zeros, of this range alone: of kernels that draw tiles
    Record<Real> record;
    FrontWatch<Real> watch;
};

/// Cells in an implicit step (cell::make_source_kernel()), slots [begin, end): V at its end is
/// cells.v_in, the states at its start are cells.states, dt is cells.dt. v_out is V, or what tells
/// of a concentration out of its range. `after` lies as the states do.
template <class Real>
struct ImplicitCells
{
    Reaction<Real> cells;
    Real* after = nullptr;                  ///< states at the step's end
    Real *rate = nullptr, *slope = nullptr; ///< [slots] F [mV/ms] and F' [1/ms]
    double t_ms = 0;                        ///< the step's start
    const double* start_ms = nullptr;       ///< in place of t_ms, unless null
    const int* idle = nullptr;              ///< nothing is to be done where it is not 0
    std::int64_t begin = 0, end = 0;        ///< begin: a multiple of 32
};

/// What every kernel of a step is told of its place in the run.
struct Moment
{
    Status* status = nullptr;
    int offset = 0;   ///< steps after status->step
    double dt_ms = 0; ///< of a whole step
    std::int64_t begin = 0, end = 0;
    unsigned part = 0; ///< of the step: 1 for the second half of a Strang step
};

/// A step inside a long one, in which slots at rest move once and all others at each step.
struct Rest
{
    /// What is done of it. first: every slot tries the long step, and what moves takes the short
    /// one, whose one pass of diffusion goes with it; moving: what moves takes a later short step.
    /// With several passes decide stands before: slots at rest take the long step, others are
    /// listed alone; then come pass, of what moves, and moving with the last pass, in each short
    /// step.
    enum class Part { first, decide, pass, moving };
    Part part = Part::first;
    double tolerance_mV = 0;
    double most_lost = 0;   ///< TissueProblem::most_lost_at_rest
    int at = 0, length = 1; ///< the step's place in the long one, and how many steps that has
    int index = 0;          ///< long steps after status->long_steps
    std::uint32_t* moving = nullptr; ///< [slots / 32] bit of each slot that takes every step
    std::int32_t* list = nullptr;    ///< slices of the range with such a slot, in any order
    unsigned* count = nullptr;       ///< [2] entries of the list, in turn
};

/// A row of FrontChunk::tetrahedra neighbouring tetrahedra of one group at most, by their vertices,
/// and by the slices of 32 slots that these lie in.
struct alignas(16) FrontChunk
{
    static constexpr int tetrahedra = 128, most_vertices = 256;
    std::int32_t first_vertex = 0, first_slice = 0;
    std::int16_t vertices = 0, slices = 0;
    std::int32_t of_others = 0; ///< vertices that other shards step, which lie in no slice here
};

/// Slots of a tetrahedron's vertices; of one that fills a chunk the first slot four times.
struct alignas(16) FrontCorners
{
    std::int32_t slot[4];
};

/// The same among the vertices of the tetrahedron's chunk.
struct alignas(4) FrontCornersOfChunk
{
    std::uint8_t vertex[4];
};

/// Where a halo's unknown is: a shard, and the slot there, which is of the shard's separator.
struct FrontPlace
{
    std::int32_t part = 0, slot = 0;
};

/// What another shard has of a group's cells in its separator.
template <class Real>
struct FrontPeer
{
    const Real* states = nullptr; ///< as Reaction::states
    const std::uint16_t* type = nullptr;
};

/// Interpolated currents of the cells of one group (cell_between.cuh). Tetrahedron t lies in chunk
/// t / 128; those beyond the end of a chunk have the volume 0.
template <class Real>
struct Front
{
    /// v_in: V of slots and halo. v_out: the current into each slot, what stimulates it included
    /// [pA/pF]. states: of slots behind the separator. type, tables, stimulus, driven: as ever.
    /// watch: where unknowns rest.
    Reaction<Real> cells;
    const Real* separator_states = nullptr; ///< of slots before its end
    std::uint32_t* currents = nullptr;      ///< [slots / 32] bits: what `driven` is of v_out
    std::int32_t separator = 0, slots = 0;  ///< from `slots` on: the halo
    const FrontPlace* halo = nullptr;
    const FrontPeer<Real>* peer = nullptr; ///< by shard
    const FrontChunk* chunk = nullptr;
    const std::int32_t* vertex = nullptr;                  ///< of the chunks, slots and halo
    const std::int32_t* slice = nullptr;                   ///< of the chunks
    const FrontCorners* corners = nullptr;                 ///< [128 chunks]
    const FrontCornersOfChunk* corners_of_chunk = nullptr; ///< [128 chunks]
    const Real* volume = nullptr;                          ///< [128 chunks] a quarter [mm3]
    std::uint32_t* in_front = nullptr;                     ///< [4 chunks] bits
    std::uint32_t* touched =
        nullptr;                    ///< [slots / 32] bits of the front's vertices; 0 between steps
    std::int32_t* list = nullptr;   ///< tetrahedra of the front, in any order
    std::uint32_t* count = nullptr; ///< of the list; 0 between steps
    Real* corner_rate = nullptr;    ///< [128 chunks][4] sum over Gauss points of N f; of the front
    const std::uint32_t* first = nullptr; ///< [slots + 1] rows of `star`
    const std::uint32_t* star = nullptr;  ///< 4 tetrahedron + corner, in the order of the mesh
    const Real* per_mass = nullptr;       ///< [slots] 1 / m [1/mm3]
    Real front_mV = 0;                    ///< V differs by more within a tetrahedron of the front
    Real near_mV = 0; ///< where unknowns rest: V differs by more in a tetrahedron of a listed chunk
    double after_ms = 0; ///< from the step's start to the time of the currents
};

} // namespace tawara::device::cuda
