// SPDX-License-Identifier: GPL-3.0-or-later
// The cell with stochastic dyads against an independent prototype's figures.
#include "engine/calcium/paced_cell.hpp"
#include "engine/core/larger.hpp"
#include "engine/verify/check.hpp"

#include <cmath>
#include <string>

namespace tawara::verify {
namespace {

using calcium::PacedCellOptions;

constexpr const char* prototype =
    "figures of an independent prototype of the same equations, order and step";

constexpr const char* source =
    "an independent prototype; equations: O'Hara et al. 2011, Gaur and Rudy 2011";

/// Third beat of 100 dyads.
void beat(Bench& b)
{
    for (const bool mixed : {false, true}) {
        PacedCellOptions o;
        o.parameters.sums_over_all = 0;
        o.grid = {100, 1, 1};
        o.start = &calcium::start_named("paced");
        o.mixed = mixed;
        o.end_ms = 1550;
        const auto r = calcium::run_paced_cell(o, b.progress(), [](const calcium::Sample&) {});
        b.progress().at(0, "running");
        const auto& c = r.calcium.at(3);
        const std::string id = mixed ? "mixed" : "double",
                          of = ", third beat of 500 ms, 100 dyads, " + id + " precision";
        b.row({id + ".apd90", "APD90" + of, prototype, within(234.6, 239.4), "ms"},
              r.beats.at(2).apd90_ms);
        b.row({id + ".peak", "largest V" + of, prototype, within(41.9, 42.9), "mV"}, c.v_most_mV);
        b.row({id + ".c_myo", "peak of c_myo" + of, prototype, within(0.98 * 0.4685, 1.02 * 0.4685),
               "uM"},
              c.c_myo_peak_uM);
        b.row({id + ".c_jsr", "largest c_jsr" + of, prototype, within(0.97 * 1.733, 1.03 * 1.733),
               "mM"},
              c.c_jsr_most_mM);
        b.row({id + ".i_CaL", "peak of I_CaL" + of, prototype, within(-1.05 * 1.48, -0.95 * 1.48),
               "uA/uF"},
              c.i_CaL_peak);
    }
}

/// All RyR are held open from 50 to 150 ms, and nobody stimulates: 10 000 dyads fire by
/// themselves.
void forced(Bench& b)
{
    PacedCellOptions o;
    o.start = &calcium::start_named("paced");
    o.end_ms = 700;
    o.protocol.amplitude_pA_per_pF = 0;
    o.protocol.forced_from_ms = 50;
    o.protocol.forced_until_ms = 150;
    Chart chart{
        "All RyR open from 50 to 150 ms: V of a cell of 10 000 dyads", "time [ms]", "V [mV]", {}};
    double most_mV = -1e3, at_ms = 0, most_uM = 0;
    calcium::run_paced_cell(o, b.progress(), [&](const calcium::Sample& s) {
        chart.curves["V"].emplace_back(s.t_ms, s.cell.v);
        if (!std::isnan(most_mV) && !(s.cell.v <= most_mV))
            most_mV = s.cell.v, at_ms = s.t_ms;
        most_uM = larger_or_nan(most_uM, 1e3 * s.dyads.c_myo);
    });
    b.progress().at(0, "running");
    b.row({"forced.peak", "largest V of 10 000 dyads held open, without a stimulus", prototype,
           within(27, 29), "mV"},
          most_mV);
    b.row({"forced.time", "when V is largest there", prototype, within(195, 220), "ms"}, at_ms);
    b.row({"forced.c_myo", "largest mean c_myo there", prototype, within(1.05, 1.2), "uM", {chart}},
          most_uM);
}

} // namespace

Group calcium_group()
{
    return {"calcium",
            "the cell with stochastic dyads",
            {{"beat", "a paced beat of 100 dyads, both precisions", true, beat, source},
             {"forced", "10 000 dyads whose RyR are held open", true, forced, source}}};
}

} // namespace tawara::verify
