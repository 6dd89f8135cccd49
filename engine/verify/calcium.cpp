// SPDX-License-Identifier: GPL-3.0-or-later
// The cell with stochastic dyads: an independent prototype's figures, calcium's balance, and the
// law of the channels.
#include "engine/calcium/paced_cell.hpp"
#include "engine/core/larger.hpp"
#include "engine/core/thread_pool.hpp"
#include "engine/verify/check.hpp"
#include "engine/verify/number.hpp"
#include "engine/verify/problems/chi_square.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

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

constexpr double balanced_ms = 30;

/// Calcium of a cell with closed faces after some time, per volume of its myoplasm.
struct Balance
{
    double off_mM;   ///< from what it had and what came through its membrane
    double total_mM; ///< free and bound
    double moved_mM; ///< through the membrane, both ways
};

/// A cell that is stimulated for a millisecond.
Balance balance(const calcium::Parameters& p, const calcium::Grid& grid, double step_ms)
{
    calcium::Cells<double> cells(calcium::CellModel<double>(p, grid, step_ms), 1, 4);
    cells.begin(calcium::start_named("paced"));
    ThreadPool one(1);
    const auto& m = cells.model();
    const auto total = [&] { return calcium::total_calcium(m, p, cells.dyads(0)); };
    const double before = total();
    double came = 0, moved = 0;
    for (std::int64_t k = 0; k < std::llround(balanced_ms / step_ms); ++k) {
        const double stimulus = static_cast<double>(k) * step_ms < 1 ? 80 : 0;
        cells.advance(one, k, std::span(&stimulus, 1));
        const auto& i = cells.last(0).dyads;
        const double flux = -step_ms * m.membrane.amount / 2 * (i.CaL + i.Cab + i.pCa - 2 * i.NCX);
        came += flux;
        moved += std::abs(flux);
    }
    return {std::abs(total() - before - came), before, moved};
}

/// The source's buffers bind at a step's start: their calcium is off by an error of the step's
/// order. All other calcium is only carried from one space to another.
void conservation(Bench& b)
{
    constexpr double step_ms = 0.05, half_ulp = std::numeric_limits<double>::epsilon() / 2;
    const calcium::Grid grid{12, 7, 5};
    const auto dyads = static_cast<double>(grid.count()), steps = balanced_ms / step_ms;
    calcium::Parameters p;
    p.closed = 1;
    p.sums_over_all = 0;
    const auto coarse = balance(p, grid, step_ms), fine = balance(p, grid, step_ms / 4);
    p.csqn = p.bsr = p.bsl = p.trpn = p.cmdn = 0;
    const auto free = balance(p, grid, step_ms);
    const std::string of = " of a closed cell of " + number(dyads) + " dyads after " +
                           number(balanced_ms) + " ms and a pulse";
    // a step writes each concentration twice, with and without diffusion; a total is a sum of four
    // numbers of each dyad
    b.row({"conservation.free",
           "calcium" + of + ", without buffers, against what came through its membrane, over all",
           "at most what rounding leaves: half a unit of the last place for each time that a "
           "concentration is written, and for each number of the two totals",
           at_most((2 * steps + 2 * 4 * dyads) * half_ulp)},
          free.off_mM / free.total_mM);
    b.row({"conservation.buffers",
           "by how much a quarter of the step of " + number(step_ms) +
               " ms lessens the error of calcium" + of + ", with buffers, over what came and went",
           "of the step's first order: 4; chance differs from step to step", within(3, 6)},
          coarse.off_mM / coarse.moved_mM / (fine.off_mM / fine.moved_mM));
}

/// What channels are held at.
struct Held
{
    const char *id, *name;
    double c_d_uM, c_jsr_mM;
};
constexpr std::array<Held, 2> held_at{
    {{"rest", "at rest", 0.5, 1}, {"release", "in a release", 4, 0.5}}};

/// The state that a cell is set to before each step. Gates differ from each other, so that none is
/// taken for another.
calcium::Start held_start(const Held& h, const calcium::Parameters& p)
{
    auto s = calcium::start_named("paced");
    s.c_ss = 1e-3 * h.c_d_uM;
    s.c_jsr = h.c_jsr_mM;
    s.camk_t = 0.2;
    auto& c = s.cell;
    c.v = -10;
    c.d = 0.5;
    c.ff = 0.6;
    c.fs = 0.7;
    c.ffp = 0.8;
    c.fcaf = 0.5;
    c.fcas = 0.9;
    c.fcafp = 0.65;
    c.jca = 0.75;
    // O'Hara et al.: dn/dt = anca k - n jca, anca = 1 / (k / jca + (1 + K / c)^4)
    s.n_ca = 1 / (1 + c.jca / p.k_mode * std::pow(1 + p.K_mode / h.c_d_uM, 4));
    return s;
}

/// Probabilities of a channel's states.
struct ChannelLaw
{
    std::array<double, 4> RyR; ///< C1, O1, C2, C3
    std::array<double, 3> LCC; ///< closed; open, and plain or phosphorylated
};

/// RyR: two independent pairs of rates, that to open (c_d^4) and that to be inhibited (c_jsr^8),
/// are in detailed balance. LCC: the open probability of I_CaL, which has no memory but its gates.
ChannelLaw stationary(const Held& h, const calcium::Start& s, const calcium::Parameters& p)
{
    const double opening = p.k_open / (1 + std::pow(p.K_open / h.c_d_uM, 4));
    const double open = opening / (opening + p.k_close);
    const double inhibited = 1 / (1 + std::pow(h.c_jsr_mM / p.K_inhibit, 8));
    const auto& c = s.cell;
    const double A = 0.3 + 0.6 / (1 + std::exp((c.v - 10) / 10));
    const auto probability = [&](double fast, double fast_Ca) {
        const double f = 0.6 * fast + 0.4 * c.fs, fCa = A * fast_Ca + (1 - A) * c.fcas;
        return c.d * (f * (1 - s.n_ca) + c.jca * s.n_ca * fCa);
    };
    const double bound = p.camk_0 * (1 - s.camk_t) / (1 + p.camk_Ca / h.c_d_uM);
    const double phi = 1 / (1 + p.camk_K / (bound + s.camk_t));
    const double plain = (1 - phi) * probability(c.ff, c.fcaf);
    const double phosphorylated = phi * probability(c.ffp, c.fcafp);
    return {{(1 - open) * (1 - inhibited), open * (1 - inhibited), (1 - open) * inhibited,
             open * inhibited},
            {1 - plain - phosphorylated, plain, phosphorylated}};
}

/// What channels of held dyads did.
struct Occupancy
{
    std::array<double, 4> RyR{};                         ///< in each state after the last step
    std::vector<double> open = std::vector<double>(101); ///< dyads by how many RyR are open then
    std::array<double, 3> LCC{};                         ///< in each state, in all steps
    std::vector<double> open_LCC;                        ///< in each step
};

constexpr calcium::Grid held_grid{100, 10, 4};
constexpr std::int64_t held_steps = 500; ///< of 0.05 ms: what RyR began with is gone by e^-12

/// Steps the dyads of a cell, whose concentrations and gates are the same at each step's start.
template <class Real>
Occupancy occupancy(Bench& b, const calcium::Parameters& p, const calcium::Start& start)
{
    calcium::Cells<Real> cells(calcium::CellModel<Real>(p, held_grid, 0.05), 1, 11);
    cells.begin(start);
    const auto a = cells.dyads(0);
    const std::size_t n = cells.model().layout.dyads();
    const auto LCC = p.LCC * static_cast<double>(n);
    Occupancy out;
    for (std::int64_t step = 0; step < held_steps; ++step) {
        b.progress().at(0, "running");
        cells.cell(0) = start.cell;
        std::fill_n(a.c_d, n, static_cast<Real>(1e3 * start.c_ss));
        std::fill_n(a.c_ss, n, static_cast<Real>(start.c_ss));
        std::fill_n(a.c_myo, n, static_cast<Real>(start.c_myo));
        std::fill_n(a.c_nsr, n, start.c_nsr);
        std::fill_n(a.c_jsr, n, start.c_jsr);
        std::fill_n(a.camk_t, n, static_cast<Real>(start.camk_t));
        cells.advance(b.pool(), step);
        // phosphorylated ones count for 1.1 in the sum of open ones
        const auto& sums = cells.last(0).sums;
        const double phosphorylated = (p.LCC * sums.open - sums.LCC) / 0.1;
        out.LCC[0] += LCC - sums.LCC;
        out.LCC[1] += sums.LCC - phosphorylated;
        out.LCC[2] += phosphorylated;
        out.open_LCC.push_back(sums.LCC);
    }
    for (std::size_t i = 0; i < n; ++i) {
        const std::array<std::uint8_t, 4> counts{a.C1[i], a.O1[i], a.C2[i], a.C3[i]};
        for (std::size_t k = 0; k < counts.size(); ++k)
            out.RyR[k] += counts[k];
        out.open.at(a.O1[i]) += 1;
    }
    return out;
}

/// Rows of one precision and one state.
void channel_rows(Bench& b, const std::string& id, const std::string& of, const Occupancy& found,
                  const ChannelLaw& law, const calcium::Parameters& p)
{
    constexpr double by_chance = 1e-3;
    constexpr const char* demand = "the channels' stationary law: chance alone makes chi-square "
                                   "larger once in 1000 times";
    const auto row = [&](const std::string& what, const std::string& is, const ChiSquare& c) {
        b.row({id + what, is + of + ": chi-square of " + number(c.freedom) + " degrees of freedom",
               demand, at_most(chi_square_quantile(by_chance, c.freedom))},
              c.value);
    };
    row(".RyR.states", "RyR by their four states", chi_square(found.RyR, law.RyR));
    row(".RyR.open", "open RyR of a dyad against B(100, p)",
        chi_square(found.open, binomial_law(static_cast<int>(p.RyR), law.RyR[1])));
    row(".LCC.states", "LCC closed, open plain and open phosphorylated, in all steps",
        chi_square(found.LCC, law.LCC));
    const double n = p.LCC * static_cast<double>(held_grid.count()), open = 1 - law.LCC[0];
    double spread = 0;
    for (const double x : found.open_LCC)
        spread += (x - n * open) * (x - n * open) / (n * open * (1 - open));
    const auto steps = static_cast<int>(found.open_LCC.size());
    b.row(
        {id + ".LCC.spread",
         "open LCC of each step against B(n, p)" + of + ": chi-square of " + number(steps) +
             " degrees of freedom",
         "independent draws in each step: chance alone makes chi-square larger once in 1000 "
         "times, and smaller once",
         within(chi_square_quantile(1 - by_chance, steps), chi_square_quantile(by_chance, steps))},
        spread);
}

/// Channels of dyads whose concentrations and voltage are held. No dyad counts as active, after
/// which RyR would stay inhibited for a while.
void channels(Bench& b)
{
    calcium::Parameters p;
    p.active_part = 1;
    for (const auto& h : held_at) {
        const auto start = held_start(h, p);
        const auto law = stationary(h, start, p);
        const std::string of = ", " + number(static_cast<double>(held_grid.count())) +
                               " dyads held " + h.name + " (" + number(h.c_d_uM) +
                               " uM in the cleft, " + number(h.c_jsr_mM) + " mM in the JSR), ";
        for (const bool mixed : {false, true}) {
            const std::string precision = mixed ? "mixed" : "double";
            const auto found =
                mixed ? occupancy<float>(b, p, start) : occupancy<double>(b, p, start);
            channel_rows(b, "channels." + precision + "." + h.id, of + precision + " precision",
                         found, law, p);
        }
    }
}

} // namespace

Group calcium_group()
{
    return {"calcium",
            "the cell with stochastic dyads",
            {{"beat", "a paced beat of 100 dyads, both precisions", true, beat, source},
             {"forced", "10 000 dyads whose RyR are held open", true, forced, source},
             {"conservation", "calcium of a closed cell against what came through its membrane",
              true, conservation, "conservation of mass; rounding of double precision"},
             {"channels", "RyR and LCC of held dyads against their stationary law", true, channels,
              "exact: detailed balance of the RyR's chain (Gaur and Rudy 2011), open probability "
              "of I_CaL (O'Hara et al. 2011); Pearson's chi-square"}}};
}

} // namespace tawara::verify
