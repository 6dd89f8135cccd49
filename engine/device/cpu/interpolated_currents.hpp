// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/cpu_kernel.hpp"
#include "engine/core/aligned.hpp"
#include "engine/core/thread_pool.hpp"
#include "engine/device/cpu/state_arrays.hpp"
#include "engine/device/elements.hpp"
#include "engine/device/layout.hpp"

#include <array>
#include <vector>

namespace tawara::device::cpu {

inline constexpr std::size_t most_tetrahedra_of_chunk = 128, most_vertices_of_chunk = 256;

/// The chunks of a whole tissue's tetrahedra, and their order: neighbours in slots lie together.
std::vector<ElementPlace> element_places(const TissueProblem& p, const Layout& layout);

/// What state-variable interpolation adds to the ionic current at vertices (NUMERICS.md, 4.1):
///
///     m_i c_i = sum over the front's tetrahedra T at i of
///               |T| / 4 (sum over Gauss points p of N_i(p) f(V(p), s(p)) - f(V_i, s_i))
///
/// with V and all states s linear in T, N_i the vertex's shape function, m_i its lumped mass. The
/// front is the tetrahedra in which V differs by more than front_mV between vertices. The cells'
/// step takes c_i [pA/pF] with the stimulus, so that every scheme steps V by the interpolated
/// current, and states as ever. Where V and s are the same at all vertices c is 0 but for rounding;
/// no charge is made: sum m_i c_i is the difference of the two quadratures.
///
/// A Gauss point has the parameters of its vertex. Tetrahedra whose vertices are of different
/// models have no state between them, and keep the vertices' currents.
///
/// Tetrahedra lie in chunks, each with a list of its vertices. Bits do not depend on the threads: a
/// chunk is computed by one, and a vertex adds up what its chunks have in their order.
/// @thread that of the stepper
/// @cost per tetrahedron of the front 4 evaluations of the current and of the vertices' share; per
///       tetrahedron and call about 0.7 reads of V
template <class Real>
class InterpolatedCurrents
{
  public:
    /// @param front  V may differ by so much in a tetrahedron outside the front [mV]
    /// @throws InputError (/diffusion/currents) where the problem has no interpolated currents
    InterpolatedCurrents(const TissueProblem& p, const Layout& layout, ThreadPool& pool,
                         double front = front_mV);
    void set_types(std::size_t group, std::span<const cell::CellType> types);

    /// What cells are in now: V and type by slots.
    struct Cells
    {
        const Real* v;
        Real* const* states; ///< those that compiled models share
        const cell::TypeIndex* type;
        const Real* stimulus; ///< null: none
    };
    /// stimulus + c of all slots, until the next call.
    const Real* with_stimulus(const Cells& c, double t_ms, double dt_ms);

    /// What was done so far.
    KernelRecord record() const;

  private:
    static constexpr std::size_t most_tetrahedra = most_tetrahedra_of_chunk,
                                 most_vertices = most_vertices_of_chunk;
    static constexpr std::size_t most_points = 4 * most_tetrahedra + most_vertices;
    struct Chunk
    {
        std::size_t group;
        std::size_t first_tetrahedron, tetrahedra;
        std::size_t first_vertex, vertices;    ///< in vertex_
        std::int32_t lowest_slot, above_slots; ///< of its vertices
    };
    using Corners = std::array<std::uint8_t, 4>; ///< numbers of a chunk's vertices
    struct alignas(64) Scratch
    {
        AlignedVector<Real> values; ///< V and states at points
        std::vector<Real*> arrays;  ///< of states
        AlignedVector<Real> vertex; ///< a value at the front's vertices
        AlignedVector<std::int32_t> corner;
        AlignedVector<cell::TypeIndex> type;
        std::vector<std::size_t> front; ///< tetrahedra
        std::vector<std::int32_t> at;   ///< of each vertex of the chunk its number in the front
        std::vector<std::int32_t> slot; ///< of the front's vertices
        std::int64_t tetrahedra = 0, points = 0, values_read = 0;
    };
    void list_chunks(const TissueProblem& p, const Layout& layout);
    /// Lists the front of a chunk. @return whether there is any
    bool find_front(const Chunk& k, const Real* v, Scratch& s) const;
    void compute(const Chunk& k, const Cells& c, double t_ms, double dt_ms, Scratch& s);
    void fill_points(const Chunk& k, const Cells& c, Scratch& s);
    void add_up(const Chunk& k, Scratch& s);

    ThreadPool& pool_;
    std::size_t stepped_;
    Real front_mV_;
    std::vector<cell::MembraneCurrent<Real>> currents_; ///< of each group
    std::vector<Chunk> chunks_;
    std::vector<Corners> corner_;          ///< of each tetrahedron
    std::vector<Real> volume_;             ///< of each tetrahedron, a quarter [mm3]
    std::vector<std::int32_t> vertex_;     ///< slots of the chunks' vertices
    std::vector<Real> part_;               ///< m_i c_i of them; of chunks in the front
    std::vector<std::uint8_t> in_front_;   ///< whether a chunk is
    std::vector<const Chunk*> front_;      ///< those that are, in their order
    AlignedVector<Real> per_mass_, total_; ///< 1 / m_i, what the cells take
    std::vector<Scratch> scratch_;         ///< of each worker
    std::int64_t calls_ = 0;
    double ms_ = 0;
};
extern template class InterpolatedCurrents<double>;
extern template class InterpolatedCurrents<float>;

} // namespace tawara::device::cpu
