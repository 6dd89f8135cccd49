// SPDX-License-Identifier: GPL-3.0-or-later
// Each model of the library against CVODE, and CVODE against another program's traces.
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/single_cell.hpp"
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/core/resource.hpp"
#include "engine/verify/check.hpp"
#include "engine/verify/number.hpp"
#include "engine/verify/problems/library_cells.hpp"
#include "engine/verify/traces/traces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tawara::verify {
namespace {

constexpr double every_ms = 0.5, most_percent = 1.5;
constexpr const char* no_traces =
    "the traces do not come with the program; --data DIR names the folder that has cellml and "
    "cellml_reference";
constexpr const char* weblab = "traces by CVODE: github.com/ModellingWebLab/weblab-fc, "
                               "test/data/historic; models: github.com/Chaste/cellml";

/// One pulse at 0; the caller says until when.
cell::SingleCellOptions beat(const cell::CellType& type, Bench& b)
{
    cell::SingleCellOptions o;
    o.type = type;
    o.sample_every_ms = every_ms;
    o.stimulus_period_ms = 0;
    o.stop = b.progress().stop;
    return o;
}

std::vector<double> trace(const cell::SingleCellOptions& o, Bench& b)
{
    auto r = cell::run_single_cell(o);
    b.progress().at(0, "running");
    return std::move(r.states.at(0));
}

/// 100 sqrt(sum (v - r)^2 / sum r^2).
double rrms_percent(const std::vector<double>& v, const std::vector<double>& r)
{
    if (v.size() != r.size())
        return std::numeric_limits<double>::infinity();
    double off = 0, all = 0;
    for (std::size_t k = 0; k < r.size(); ++k) {
        off += (v[k] - r[k]) * (v[k] - r[k]);
        all += r[k] * r[k];
    }
    return 100 * std::sqrt(off / all);
}

/// The largest rrms_percent() of a beat, of `taken` samples from each multiple of `cycle` on;
/// infinity where there are not so many.
double worst_beat_percent(const std::vector<double>& v, const std::vector<double>& r,
                          std::size_t cycle, std::size_t taken, std::size_t beats)
{
    if (v.size() != r.size() || r.size() < (beats - 1) * cycle + taken)
        return std::numeric_limits<double>::infinity();
    double worst = 0;
    const auto part = [taken](const std::vector<double>& x, std::size_t from) {
        const auto first = x.begin() + static_cast<std::ptrdiff_t>(from);
        return std::vector<double>(first, first + static_cast<std::ptrdiff_t>(taken));
    };
    for (std::size_t from = 0, k = 0; k < beats; ++k, from += cycle)
        worst = larger_or_nan(worst, rrms_percent(part(v, from), part(r, from)));
    return worst;
}

/// Time between pulses of the protocol in the model's text; else a second.
double own_cycle_ms(const cell::CellType& type)
{
    const auto system = cell::compiler::system_of(type);
    const double period = system->protocol.empty() ? 0 : system->protocol[0].period;
    return period > 0 ? period : 1000;
}

/// Three beats; of each what follows the pulse, since V at rest would hide what is off there.
void paced(Bench& b, const std::string& model, const std::string& variant)
{
    const auto& info = cell::model_info(model);
    const cell::ModelInfo* of[]{&info};
    const auto scheme = cell::usual_scheme(of);
    const double known = cell::largest_step(info, scheme), dt = known > 0 ? known : 0.01;
    const auto type = cell::make_cell_type(model, variant, {}, {});
    constexpr int beats = 3;
    constexpr double looked_at_ms = 450;
    const double cycle_ms = own_cycle_ms(type);
    const auto samples = [](double ms) {
        return static_cast<std::size_t>(std::llround(ms / every_ms));
    };
    Demand d{"cvode." + model + (variant.empty() ? "" : "." + variant),
             "RRMS of V over " + number(looked_at_ms) +
                 " ms of a beat against CVODE at 1e-8, the "
                 "worst of " +
                 std::to_string(beats) + " beats, a pulse each " + number(cycle_ms) + " ms, " +
                 std::string(cell::name(scheme)) + ", " + number(dt) + " ms" +
                 (known > 0 ? ", the largest step that the model's file calls good" : ""),
             "what the model's file promises of its steps", at_most(most_percent), "%"};
    b.row(std::move(d), std::function<double()>([&] {
              auto o = beat(type, b);
              o.end_ms = beats * cycle_ms;
              o.stimulus_period_ms = cycle_ms;
              o.scheme = scheme;
              o.dt_ms = dt;
              const auto v = trace(o, b);
              o.scheme = cell::Scheme::cvode;
              o.dt_ms = every_ms;
              return worst_beat_percent(v, trace(o, b), samples(cycle_ms), samples(looked_at_ms),
                                        beats);
          }));
}

/// Each model as it is without a variant, and, in the whole table, each variant.
void against_cvode(Bench& b)
{
    for (const auto& model : cell::model_names()) {
        paced(b, model, "");
        if (!b.short_form())
            for (const auto& v : cell::model_info(model).variants)
                paced(b, model, v.name);
    }
}

/// Half the step, half the error: of all schemes of one model.
void orders(Bench& b)
{
    using cell::Scheme;
    const auto type = cell::make_cell_type("beeler_reuter_1977", "", {}, {});
    auto o = beat(type, b);
    o.end_ms = 100;
    o.scheme = Scheme::cvode;
    o.dt_ms = every_ms;
    const auto exact = trace(o, b);
    Chart chart{"Beeler and Reuter's cell, 100 ms of a beat: error over the step",
                "log10 of the step [ms]",
                "log10 of RRMS [%]",
                {}};
    struct Of
    {
        Scheme scheme;
        double dt_ms;
        Bound order;
    };
    const std::array<Of, 7> all{{{Scheme::forward_euler, 0.01, within(0.85, 1.15)},
                                 {Scheme::rush_larsen, 0.01, within(0.85, 1.15)},
                                 {Scheme::rush_larsen_light, 0.01, within(0.85, 1.15)},
                                 {Scheme::grl1, 0.01, within(0.85, 1.15)},
                                 {Scheme::backward_euler_single, 0.01, within(0.85, 1.15)},
                                 {Scheme::grl2, 0.02, within(1.65, 2.3)},
                                 {Scheme::rk4, 0.02, at_least(2.6)}}};
    for (const auto& s : all) {
        o.scheme = s.scheme;
        std::array<double, 2> error{};
        const std::string name(cell::name(s.scheme));
        for (std::size_t k = 0; k < 2; ++k) {
            o.dt_ms = k == 0 ? s.dt_ms : s.dt_ms / 2;
            error[k] = rrms_percent(trace(o, b), exact);
            chart.curves[name].emplace_back(std::log10(o.dt_ms), std::log10(error[k]));
        }
        b.row({"order." + name,
               "order of " + name + " between " + number(s.dt_ms) + " and " + number(s.dt_ms / 2) +
                   " ms, Beeler and Reuter's cell",
               "its order by its formula", s.order, "",
               &s == &all.back() ? std::vector{chart} : std::vector<Chart>{}},
              std::log2(error[0] / error[1]));
    }
}

/// Models as CellML files with their own stimulus, by CVODE, against another program's traces.
void other_program(Bench& b)
{
    const std::array<const char*, 12> models{"beeler_reuter_model_1977",
                                             "bueno_2007_epi",
                                             "courtemanche_ramirez_nattel_1998",
                                             "faber_rudy_2000",
                                             "hodgkin_huxley_squid_axon_model_1952_modified",
                                             "iyer_2004",
                                             "luo_rudy_1991",
                                             "maleckar_model_2009",
                                             "noble_model_1962",
                                             "ohara_rudy_2011_epi",
                                             "paci_hyttinen_aaltosetala_severi_ventricularVersion",
                                             "ten_tusscher_model_2006_epi"};
    for (const std::string model : models) {
        Demand d{"traces." + model,
                 "largest RRMS of a state over a second against another program's trace",
                 "what its tolerances allow",
                 at_most(1),
                 "%",
                 {},
                 weblab};
        b.row(std::move(d), std::function<double()>([&] {
                  if (b.settings().data.empty())
                      throw Skip(no_traces);
                  const auto file = b.settings().data / "cellml" / "chaste" / (model + ".cellml"),
                             table = b.settings().data / "cellml_reference" / model / "GraphState" /
                                     "outputs_state.csv";
                  for (const auto& f : {file, table})
                      if (!std::filesystem::exists(f))
                          throw Skip(f.string() + " is not there");
                  b.progress().at(0, "running");
                  // Paci's file divides a stimulus in A/F by the capacitance once more; the trace
                  // has none. Of Faber's, release starts by thresholds on a decaying variable: with
                  // tighter tolerances one is crossed otherwise.
                  const auto c = compare_traces(file, table, !model.starts_with("paci_"),
                                                model.starts_with("faber_") ? 1e-6 : 1e-8);
                  if (c.matched != c.columns)
                      throw Error(std::to_string(c.columns - c.matched) + " of the trace's " +
                                  std::to_string(c.columns) +
                                  " columns are no state of the model: their first values are no "
                                  "initial value of it, or its solution is no number");
                  return c.worst_rrms_percent;
              }));
    }
}

/// A trace of the library's models, and what is expected of it.
struct Expected
{
    const char* trace; ///< its folder there; some of its rows lie in tests/verify/traces
    LibraryTrace of;
    double most_percent;
    const char* requirement;
    const char* source = weblab;
};
constexpr const char* two_texts =
    "what two programs' tolerances leave of one model; a thousandth more of a potassium "
    "conductance is 0.04 to 0.2 % in the worst state";
constexpr double two_texts_percent = 0.03;
// Ours against libCellML's are 0.00002 to 0.002 %.
constexpr const char* two_programs =
    "what the digits of constants in two texts leave of one model, five times over; a thousandth "
    "more of a potassium conductance is 0.01 to 0.2 % in the worst state";
constexpr double two_programs_percent = 0.01;
constexpr const char* libcellml =
    "trace by libCellML 0.7.1 and LSODA of SciPy, tests/verify/traces/make_traces.py, which says "
    "what it changes in the CellML text; models: github.com/Chaste/cellml";
constexpr const char* ten_tusscher_states =
    "V Xr1 Xr2 Xs m h j d f f2 fCass s r Cai CaSR CaSS R_prime Nai Ki";
constexpr const char* courtemanche_states =
    "u v w CaRel Cai Ki Nai CaUp d f_Ca f h j m V xr xs oa oi ua ui";
constexpr const char* o_hara_states =
    "V CaMK_t Nai Nass Ki Kss Cass CaNSR CaJSR Cai m hf hs j hsp jp mL hL hLp a i_fast i_slow "
    "ap i_fast_p i_slow_p d ff fs fcaf fcas jca ffp fcafp nca xrf xrs xs1 xs2 xk1 Jrel_np "
    "Jrel_p";
constexpr const char* grandi_states =
    "V m h j d f fCa_j fCa_sl xtos ytos xtof ytof xr xs RyR_r RyR_o RyR_i Na_B_j Na_B_sl TnC_low "
    "TnC_high TnC_Mg CaM Myo_Ca Myo_Mg SR_B SLL_j SLL_sl SLH_j SLH_sl Csqn Ca_sr Na_j Na_sl Na_i "
    "Ca_j Ca_sl Ca_i";
constexpr const char* shannon_states =
    "V m h j d f fCa_j fCa_sl xtos ytos rtos xtof ytof xr xs RyR_r RyR_o RyR_i Na_B_j Na_B_sl "
    "TnC_low TnC_high TnC_Mg CaM Myo_Ca Myo_Mg SR_B SLL_j SLL_sl SLH_j SLH_sl Csqn Ca_sr Na_j "
    "Na_sl Na_i Ca_j Ca_sl Ca_i";
constexpr Expected by_libcellml(const char* trace, const LibraryTrace& of)
{
    return {trace, of, two_programs_percent, two_programs, libcellml};
}
constexpr std::array<Expected, 14> of_the_library{
    {{"luo_rudy_1991",
      {"luo_rudy_1991", "", "V m h j d f X Cai", 25.5, 100, 2},
      two_texts_percent,
      two_texts},
     {"ten_tusscher_model_2006_epi",
      {"ten_tusscher_2006", "epi", ten_tusscher_states, 52, 100, 1},
      two_texts_percent,
      two_texts},
     {"courtemanche_ramirez_nattel_1998",
      {"courtemanche_1998", "", courtemanche_states, 20, 100, 2},
      two_texts_percent,
      two_texts},
     {"ohara_rudy_2011_epi",
      {"ohara_rudy_2011", "epi", o_hara_states, 80, 10, 0.5},
      two_texts_percent,
      two_texts},
     {"hodgkin_huxley_squid_axon_model_1952_modified",
      {"hodgkin_huxley_1952", "", "V+10 m h n", 20, 10, 0.5, "exp(-(V + 65) / 80)",
       "exp((V + 65) / 80)"},
      two_texts_percent,
      "what two programs' tolerances leave of one model; that program's text has beta_n as the "
      "paper prints it (Eq. 13), where V has the other sign, and so has the text that is solved "
      "here; a thousandth more of the potassium conductance is 0.08 % in the worst state"},
     {"beeler_reuter_model_1977",
      {"beeler_reuter_1977", "", "V m h j Cai*1e-3 d f x1", 50, 10, 1},
      2.5,
      "that program's text has the inverses of some of the paper's coefficients, in three "
      "digits"},
     by_libcellml("ten_tusscher_2006_endo",
                  {"ten_tusscher_2006", "endo", ten_tusscher_states, 52, 100, 1}),
     by_libcellml("ten_tusscher_2006_m",
                  {"ten_tusscher_2006", "m", ten_tusscher_states, 52, 100, 1}),
     by_libcellml("ohara_rudy_2011_endo", {"ohara_rudy_2011", "endo", o_hara_states, 80, 10, 0.5}),
     by_libcellml("ohara_rudy_2011_mid", {"ohara_rudy_2011", "mid", o_hara_states, 80, 10, 0.5}),
     by_libcellml("courtemanche_1998_af",
                  {"courtemanche_1998", "af", courtemanche_states, 20, 100, 2}),
     by_libcellml("grandi_bers_2010_epi", {"grandi_bers_2010", "epi", grandi_states, 9.5, 100, 5}),
     by_libcellml("grandi_bers_2010_endo",
                  {"grandi_bers_2010", "endo", grandi_states, 9.5, 100, 5}),
     by_libcellml("shannon_bers_2004", {"shannon_bers_2004", "", shannon_states, 9.5, 100, 5,
                                        "g_Kp = 0.001", "g_Kp = 0"})}};

/// The whole trace, else the small one.
/// @throws Skip
std::filesystem::path trace_file(const Bench& b, const Expected& e)
{
    const auto& data = b.settings().data;
    const auto whole = data / "cellml_reference" / e.trace / "GraphState" / "outputs_state.csv";
    if (!data.empty() && std::filesystem::exists(whole))
        return whole;
    try {
        return resource(std::filesystem::path("tests/verify/traces") /
                        (std::string(e.trace) + ".csv"));
    } catch (const InputError& error) {
        throw Skip(std::string("the small trace of the sources is not here: ") + error.what());
    }
}

constexpr const char* against_a_trace =
    "largest RRMS of a state of the library's text over a second against another program's trace";

std::string library_row(const std::string& model, const std::string& variant)
{
    return "library." + model + (variant.empty() ? "" : "." + variant);
}

/// A row for each cell of the library that no trace is known of.
void untraced(Bench& b)
{
    std::vector<LibraryCell> traced;
    for (const auto& e : of_the_library)
        traced.push_back({e.of.model, e.of.variant});
    for (const auto& c : cells_beyond(traced))
        b.skip({library_row(c.model, c.variant),
                against_a_trace,
                two_texts,
                at_most(two_texts_percent),
                "%",
                {},
                "none is known"},
               "no trace of an independent program is known for it");
}

/// The library's texts by CVODE, against another program's traces of other texts of the models.
void library_traces(Bench& b)
{
    for (const auto& e : of_the_library) {
        std::string what = std::string(against_a_trace) + ", a pulse of " +
                           number(e.of.stimulus_pA_per_pF) + " pA/pF for " +
                           number(e.of.duration_ms) + " ms";
        if (*e.of.ours != '\0')
            what += std::string(", with ") + e.of.theirs + " in the place of " + e.of.ours;
        Demand d{library_row(e.of.model, e.of.variant),
                 std::move(what),
                 e.requirement,
                 at_most(e.most_percent),
                 "%",
                 {},
                 e.source};
        b.row(std::move(d), std::function<double()>([&] {
                  b.progress().at(0, "running");
                  return compare_library(e.of, trace_file(b, e)).worst_rrms_percent;
              }));
    }
    untraced(b);
}

} // namespace

Group cells_group()
{
    return {
        "cells",
        "models and schemes of cells",
        {{"cvode", "each model (and each variant in the whole table), paced, against CVODE", true,
          against_cvode, "solution: CVODE of SUNDIALS (Hindmarsh et al., ACM TOMS 31:363, 2005)"},
         {"order", "the order of each scheme", true, orders,
          "the schemes' formulas; solution: CVODE of SUNDIALS"},
         {"traces", "CVODE on CellML files against another program's traces", true, other_program,
          weblab},
         {"library", "the library's models against another program's traces, and which have none",
          true, library_traces, weblab}}};
}

} // namespace tawara::verify
