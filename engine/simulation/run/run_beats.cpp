// SPDX-License-Identifier: GPL-3.0-or-later
// beats.csv of a run.
#include "engine/core/whole_file.hpp"
#include "engine/simulation/results/figures.hpp"
#include "engine/simulation/run/run_state.hpp"

namespace tawara::simulation {

/// The beats at each probe: probe,activation_ms,... a row per beat.
void Run::write_beats(const std::filesystem::path& file)
{
    const auto& times = traces_.times_ms();
    const auto curves = traces_.columns_mV();
    const auto pulses = pacing_.log().until(simulation_.time_ms());
    const auto driven = traces_.driven();
    write_whole(file, [&](std::ostream& out) {
        out << beats_csv_head();
        for (std::size_t p = 0; p < curves.size(); ++p)
            out << beats_csv_rows(probe_names()[p], times, curves[p], edits_, {}, pulses,
                                  session_.probes[p].position_mm, driven[p]);
    });
}

} // namespace tawara::simulation
