// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/results/export.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tawara::simulation {

/// One page about a run, before it is laid out: what it was, what came out, how fast it went.
struct ReportPage
{
    struct Table
    {
        std::string title;
        std::vector<std::string> head;              ///< empty: rows are name and value
        std::vector<std::vector<std::string>> rows; ///< the last cell of a short one takes the rest
        std::string note; ///< below it; a table without rows may be a note alone
    };
    struct Picture
    {
        std::string caption;
        std::string png;           ///< bytes of the file
        int width = 0, height = 0; ///< on the page [CSS pixels]; 0: as large as it is
    };
    /// Curves, and the table that belongs to them.
    struct Section
    {
        std::string title;
        std::string svg; ///< over the whole width; empty: none
        Table table;     ///< its own title is not shown
    };
    struct Figure
    {
        std::string value, name, note; ///< "88.1 ms", "total activation time", "first 1.9 ms"
    };
    static constexpr int width = 860; ///< of the text [CSS pixels]

    std::string title, subtitle;
    std::vector<Figure> key;              ///< a row of them below the title
    std::vector<Picture> pictures;        ///< a row of them below that
    std::vector<Section> sections;        ///< curves
    std::vector<Table> results, settings; ///< side by side
    std::vector<Table> wide;              ///< below, over the whole width
    std::vector<Notice> remarks;          ///< warnings stand out
    std::string foot;
    std::string provenance; ///< within the file, not shown; empty: program_provenance()
};

/// The page of a run, without pictures.
/// @cost linear in the mesh
ReportPage report_page(const ExportSource& source);

/// The page as one HTML file that needs nothing else: pictures are within it. Plain tables, so that
/// simple viewers (and Qt's text documents) lay it out as well.
std::string to_html(const ReportPage& page);

/// Puts pictures into a page that to_html() has made without: the engine knows no pictures, the
/// window has them.
/// @throws Error when the text is no such page
std::string with_pictures(std::string html, const std::vector<ReportPage::Picture>& pictures);

/// Activation times, with NaN for tissue that a pulse itself activated, all at once: no wave passed
/// there. Those are the times within a pulse or 1 ms after it (the upstroke may follow).
/// @param from_pulse  times count from the newest pulse [ms], not from the run's start
std::vector<double> without_stimulated(std::vector<double> activation_ms,
                                       std::span<const Pulse> pulses, bool from_pulse);

/// Conduction velocity from an activation map [mm/ms]: 1 / |grad t|, for p1 on each tetrahedron
/// whose corners were all activated, for fvm at each vertex by a linear fit to the tetrahedra
/// around it; the 5th, 50th and 95th percentile by volume. Beyond 10 mm/ms tissue fires at once,
/// and counts for nothing. NaN where there are none.
/// @param activation_ms  per unknown
std::array<double, 3> conduction_velocity(const mesh::TetMesh& m, bool on_vertices,
                                          std::span<const double> activation_ms);

} // namespace tawara::simulation
