// SPDX-License-Identifier: GPL-3.0-or-later
// A tissue cut into shares, one for each rank.
#pragma once
#include "engine/device/problem.hpp"
#include "engine/device/ranks/pack.hpp"

#include <cstdint>
#include <vector>

namespace tawara::device::ranks {

/// What a share gives to another and takes from it.
struct Neighbour
{
    std::int32_t rank = 0;
    std::vector<std::int32_t> give; ///< unknowns of the share whose cells are stepped in it
    std::vector<std::int32_t> take; ///< unknowns of the share that the other steps
};

/// One rank's part of a tissue: the unknowns that it steps, in the order of the whole, and behind
/// them those of others that its rows and tetrahedra read. Plain values.
///
/// Rows keep the order of their entries, and tetrahedra their places, so that a share's values are
/// bit for bit those of the whole tissue on one CPU.
struct Share
{
    TissueProblem problem;
    std::vector<std::int64_t> whole;   ///< of the unknowns that are stepped: numbers in the whole
    std::vector<Neighbour> neighbours; ///< by rank, rising
    std::size_t own() const { return whole.size(); }
};

/// Cuts a tissue into shares of about the same number of unknowns with cells (METIS k-way).
/// @return the rank of each unknown; -1 of one without cells
/// @throws InputError ("--distributed") where there are fewer cells than ranks, and for what ranks
///         cannot step: Newton's method, linear solvers, and cells with code of their own
std::vector<std::int32_t> ranks_of_unknowns(const TissueProblem& whole, int ranks,
                                            const Progress& progress = {});

/// The share of one rank.
/// @param rank_of  of ranks_of_unknowns()
/// @param places   of element_places() of the whole; empty where currents are nodal
/// @cost  linear in the whole
Share share_of(const TissueProblem& whole, const std::vector<std::int32_t>& rank_of, int rank,
               const std::vector<ElementPlace>& places);

/// What a share's problem has of the whole's beside unknowns, rows and tetrahedra.
TissueProblem settings_of(const TissueProblem& whole);
/// Another unknown of a share. The types of a share's cells are all of the whole's, so that rows of
/// types keep their numbers.
/// @param own  whether the share steps it
void add_unknown(TissueProblem& to, const TissueProblem& whole, std::size_t u, bool own);

/// A share as a message, and out of one. Models of cells are named; a rank reads their text where
/// the program there has it.
Bytes packed(const Share& share);
/// @throws InputError where a model's file has another text there
Share unpacked_share(const Bytes& message);

} // namespace tawara::device::ranks
