// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cable/io/read.hpp"

#include <array>

namespace tawara::cable::io {

/// Points and pieces between them as a file has them, not yet a tree.
struct Graph
{
    struct Point
    {
        Vec3 place_mm{};
        double radius_um = 0; ///< 0: none is known
        std::int32_t kind = 0;
        std::int64_t number = -1; ///< in the file; -1: made by the reader
        long line = 0;            ///< of the file; 0: it has none
    };
    struct Piece
    {
        std::int64_t from = 0, to = 0; ///< points; the piece is of the kind of `to`
        bool wire = false;
    };
    std::string file;
    std::string what = "point"; ///< what the file calls one, for messages
    std::vector<Point> points;
    std::vector<Piece> pieces;
    std::vector<std::int64_t> roots; ///< that the file names, one a tree; none: any
};

/// Gives points of the radius 0 the one of the options, which is said.
/// @throws InputError where there are such points and no such radius
void give_radii(Graph& g, const ReadOptions& options, Notices& notices);

/// Trees out of a graph, each walked from its root, so that stretches without a fork lie together.
/// Pieces without length become wires.
/// @pre    all radii are above 0
/// @throws InputError for cycles, several trees that are not asked for, a
///         root that is not there
void make_trees(Graph g, const ReadOptions& options, Loaded& to);

/// "1, 2, 3 and 4 others".
std::string listed(const std::vector<std::int64_t>& numbers);

/// The readers. @pre the file is there
Loaded read_swc(const std::filesystem::path& file, const ReadOptions& options);
Loaded read_table(const std::filesystem::path& file, const ReadOptions& options);
Loaded read_vtk_lines(const std::filesystem::path& file, const ReadOptions& options,
                      const Progress& progress);

/// What both readers of text ask of a number. @throws InputError
void need_length(const std::string& file, long line, const char* what, double value);

} // namespace tawara::cable::io
