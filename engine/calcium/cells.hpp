// SPDX-License-Identifier: GPL-3.0-or-later
// O'Hara-Rudy cells with stochastic dyads on processors.
#pragma once
#include "engine/calcium/dyad_blocks.hpp"
#include "engine/calcium/state.hpp"
#include "engine/core/thread_pool.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tawara::calcium {

/// What all cells of a batch have in common. A value.
template <class Real>
struct CellModel
{
    /// @throws InputError as membrane_constants()
    CellModel(const Parameters& p, const Grid& grid, double dt_ms);
    Grid grid;
    MembraneConstants membrane;
    DyadConstants<Real> dyad;
    DyadLayout<Real> layout;
};
extern template struct CellModel<double>;
extern template struct CellModel<float>;

/// What a step of a cell was like.
struct CellStep
{
    MembraneCurrents membrane; ///< [uA/uF]
    DyadCurrents dyads;        ///< [uA/uF]
    DyadSums sums;
    // asked for
    std::int64_t number = 0; ///< steps of this length before it, below 2^31
    double stimulus = 0;     ///< [pA/pF]
    bool forced = false;     ///< all RyR are held open
};

/// Steps a whole cell: membrane, dyads, sums over blocks of dyads in their order, diffusion.
/// @param at     of random numbers: the cell, the seed, the step and its part
/// @param ahead  of layout.room()
/// @cost  memory traffic: two passes over the state (64 bytes a dyad, 44 in mixed precision)
template <class Real>
void step_cell(const CellModel<Real>& m, const RandomPlace& at, CellState& cell,
               const DyadArrays<Real>& dyads, Ahead<Real>& ahead, CellStep& step);
extern template void step_cell(const CellModel<double>&, const RandomPlace&, CellState&,
                               const DyadArrays<double>&, Ahead<double>&, CellStep&);
extern template void step_cell(const CellModel<float>&, const RandomPlace&, CellState&,
                               const DyadArrays<float>&, Ahead<float>&, CellStep&);

/// Means over a cell's dyads, and counts.
struct Observation
{
    double c_myo = 0, c_ss = 0, c_nsr = 0, c_jsr = 0; ///< [mM]
    double c_d = 0, largest_c_d = 0;                  ///< [uM]
    double open_RyR = 0;                              ///< in all
    double active = 0;                                ///< dyads with more than active_part open
    double n_ca = 0, camk_t = 0;
};
template <class Real>
Observation observe(const CellModel<Real>& m, const DyadArrays<Real>& dyads);
extern template Observation observe(const CellModel<double>&, const DyadArrays<double>&);
extern template Observation observe(const CellModel<float>&, const DyadArrays<float>&);

/// Calcium of a cell in all of its spaces but the clefts, free and bound, per volume of myoplasm
/// [mM].
template <class Real>
double total_calcium(const CellModel<Real>& m, const Parameters& p, const DyadArrays<Real>& dyads);
extern template double total_calcium(const CellModel<double>&, const Parameters&,
                                     const DyadArrays<double>&);
extern template double total_calcium(const CellModel<float>&, const Parameters&,
                                     const DyadArrays<float>&);

/// A batch of cells, in double precision (Real = double) or mixed (Real = float: fluxes in single,
/// the SR's concentrations and the membrane in double precision).
template <class Real>
class Cells
{
  public:
    /// @param first  number of the first cell, of which random numbers depend
    /// @throws InputError as CellModel; std::bad_alloc
    Cells(const CellModel<Real>& model, std::size_t count, std::uint64_t seed,
          std::uint64_t first = 0);

    const CellModel<Real>& model() const { return model_; }
    std::size_t size() const { return cells_.size(); }
    void begin(const Start& start);
    /// Steps all cells: each thread whole cells, or, of fewer cells than threads, blocks of them.
    /// Results depend on neither.
    /// @param step      number of the step, from 0, below 2^31
    /// @param stimulus  of each cell [pA/pF], or empty
    /// @param forced    all RyR are held open in it
    void advance(ThreadPool& pool, std::int64_t step, std::span<const double> stimulus = {},
                 bool forced = false);

    CellState& cell(std::size_t i) { return cells_[i]; }
    const CellState& cell(std::size_t i) const { return cells_[i]; }
    DyadArrays<Real> dyads(std::size_t i) { return model_.layout.arrays(memory(i)); }
    const CellStep& last(std::size_t i) const { return steps_[i]; }
    Observation observed(std::size_t i) { return observe(model_, dyads(i)); }

    /// The whole state, from which advance() goes on bit for bit.
    std::vector<std::byte> save() const;
    /// @throws Error for a state of other cells
    void restore(std::span<const std::byte> saved);

  private:
    std::byte* memory(std::size_t i) { return memory_.data() + i * model_.layout.bytes(); }
    void by_blocks(ThreadPool& pool, RandomPlace at);

    CellModel<Real> model_;
    std::uint64_t seed_, first_;
    std::vector<CellState> cells_;
    std::vector<CellStep> steps_;
    AlignedVector<std::byte> memory_;
    std::vector<Ahead<Real>> ahead_; ///< of each worker, or of each cell where blocks are shared
};
extern template class Cells<double>;
extern template class Cells<float>;

} // namespace tawara::calcium
