// SPDX-License-Identifier: GPL-3.0-or-later
// The tissue benchmark: nine points with several spacings and steps.
#include "engine/core/larger.hpp"
#include "engine/verify/check.hpp"
#include "engine/verify/niederer_times.hpp"
#include "engine/verify/number.hpp"
#include "engine/verify/tissue_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace tawara::verify {
namespace {

using simulation::IonicCurrents;

struct Way
{
    const char *id, *name;
    diffusion::Scheme scheme;
    diffusion::Mass mass;
    IonicCurrents currents;
    const TimedProgram* kind; ///< another program that is early or late alike; null: none
};
constexpr Way fvm{
    "fvm", "fvm", diffusion::Scheme::fvm, diffusion::Mass::lumped, IonicCurrents::nodal, nullptr};
constexpr Way interpolated{"p1_interpolated",           "p1 with interpolated currents",
                           diffusion::Scheme::p1,       diffusion::Mass::lumped,
                           IonicCurrents::interpolated, &chaste};
constexpr Way lumped{"p1_lumped",           "p1 with lumped mass",
                     diffusion::Scheme::p1, diffusion::Mass::lumped,
                     IonicCurrents::nodal,  &cardioid};
constexpr Way consistent{"p1_consistent",       "p1 with consistent mass",
                         diffusion::Scheme::p1, diffusion::Mass::consistent,
                         IonicCurrents::nodal,  &fenicsx};

constexpr double most_ms = 150;

constexpr const char* paper = "Niederer et al., Phil Trans R Soc A 369:4331 (2011)";

std::string named(const TimedProgram& p)
{
    return std::string(p.name) + " (" + p.place + ")";
}

std::string benchmark_and(const std::string& programs)
{
    return "benchmark: " + std::string(paper) + "; times of " + programs;
}

/// Which programs' times these are.
std::string programs(const TimesOfKind& times)
{
    std::string out;
    for (const auto* program : {&fenicsx, &cardioid, &chaste})
        if (std::any_of(published_times.begin(), published_times.end(), [&](const auto& p) {
                return p.program == program && std::abs(p.dx_mm - times.dx_mm) < 1e-9 &&
                       (times.kind == nullptr || times.kind == program);
            }))
            out += (out.empty() ? "" : "; ") + named(*program);
    return benchmark_and(out);
}

/// What the nine points are held against, in words: "..., and 15 % more: P1 1.1 to 1.4 ms, ...".
std::string required(const TimesOfKind& times)
{
    std::string out =
        times.kind != nullptr
            ? std::string("from the earliest to the latest run of ") + times.kind->name +
                  ", a program of the same kind of scheme, with this spacing"
            : "from the earliest to the latest run of other programs with " + number(times.dx_mm) +
                  " mm, since no run of this kind of scheme with this spacing is at hand";
    out += ", and " + number(100 * times.share) +
           " % more, since eleven programs took part and few are at hand (chosen from what was "
           "found): ";
    for (std::size_t p = 0; p < 9; ++p)
        out += (p == 0 ? "P" : ", P") + std::to_string(p + 1) + " " + text(times.at(p), "");
    return out + " ms";
}

/// Along the diagonal from P1 to P8, which the paper's figure has, only its ends and its middle are
/// points of the benchmark.
void add(Chart& c, const std::string& name, const std::array<double, 9>& ms)
{
    c.curves[name] = {{0, ms[0]}, {0.5, ms[8]}, {1, ms[7]}};
}

/// What interpolated currents are to reach: how far P2, P3, P8 and P9 may be from their reference.
void against_reference(Bench& b, const std::string& id, const std::string& what, double dx_mm,
                       const std::array<double, 9>& ms)
{
    double worst = 0;
    for (const auto& [point, time_ms] : reference_ms)
        worst = larger_or_nan(worst, std::abs(ms[point] / time_ms - 1));
    b.row(
        {id + ".error",
         "largest error at P2, P3, P8 and P9, " + what + ", against 27.3, 32.4, 42.0 and 19.6 ms",
         "reference times; 8 % at 0.5 mm and 2 % from 0.2 mm on are wanted",
         at_most(dx_mm > 0.2 + 1e-9 ? 8 : 2),
         "%",
         {},
         "prototypes of this program: fvm at 0.1 mm and 0.02 ms, interpolated currents at 0.2 mm; "
         "with steps towards 0 fvm is 2 % earlier"},
        100 * worst);
}

/// P8: against the paper's finest runs where the scheme is to be near them (fvm also at 0.5 mm),
/// else against a program of the same kind with the same spacing.
void last_corner(Bench& b, const Way& w, double dx_mm, Demand d, double ms)
{
    const bool fine = dx_mm <= 0.2;
    if (&w == &fvm || (fine && &w == &interpolated)) {
        const double share = fine ? 0.05 : 0.2;
        d.requirement =
            "within " + number(100 * share) + " % of the paper's finest runs, 42.5 to 43.2 ms";
        d.bound = within((1 - share) * converged_P8_ms[0], (1 + share) * converged_P8_ms[1]);
        d.source = paper;
    } else {
        d.requirement = std::string("within 10 % of what ") + w.kind->name +
                        " has with this spacing: on coarse meshes it is early or late alike";
        d.bound = TimesOfKind{w.kind, dx_mm, 0.1}.at(7);
        d.source = benchmark_and(named(*w.kind));
    }
    b.row(d, ms);
}

/// The last of a chart's runs hands it out.
void one(Bench& b, const Way& w, double dx_mm, double dt_ms, Chart& chart, bool last)
{
    auto s = niederer_session(dx_mm, dt_ms);
    s.scheme = w.scheme;
    s.mass = w.mass;
    s.currents = w.currents;
    s.reaction = cell::Scheme::rush_larsen_light;
    s.end_ms = most_ms;
    const auto r = run_tissue(
        s,
        {.devices = b.short_form() ? device::Devices("cpu") : fastest(b.settings().devices),
         .precision = b.short_form() ? Precision::single : Precision::double_,
         .until_probes = true},
        b.progress());
    std::array<double, 9> ms{};
    std::copy_n(r.probe_ms.begin(), 9, ms.begin());
    const auto like = times_like(w.kind, dx_mm);
    double inside = 0;
    std::string times;
    for (std::size_t p = 0; p < 9; ++p) {
        inside += judged(ms[p], like.at(p)) == Verdict::passed ? 1 : 0;
        times += (p == 0 ? "" : ", ") + number(ms[p]);
    }
    const std::string id = std::string(w.id) + "." + number(dx_mm) + "mm." + number(dt_ms) + "ms",
                      what = std::string(w.name) + ", " + number(dx_mm) + " mm, " + number(dt_ms) +
                             " ms" + (b.short_form() ? ", single precision" : "");
    add(chart, what, ms);
    last_corner(b, w, dx_mm, {id + ".P8", "time of the last corner, " + what, {}, {}, "ms"}, ms[7]);
    constexpr double fine_step_ms = 0.01; // longer ones have an error of their own
    if (&w == &interpolated && dt_ms <= fine_step_ms)
        against_reference(b, id, what, dx_mm, ms);
    b.row({id + ".points",
           "how many of the nine points lie within the spread of other programs, " + what + ": " +
               times + " ms",
           required(like), within(9, 9), "", last ? std::vector{chart} : std::vector<Chart>{},
           programs(like)},
          inside);
}

Chart begun()
{
    Chart c{"Tissue benchmark: activation along the diagonal from P1 over P9 to P8",
            "part of the diagonal",
            "activation [ms]",
            {}};
    for (const auto& p : published_times)
        if (p.dx_mm == 0.1 && p.dt_ms == 0.005)
            add(c, std::string(p.program->name) + ", 0.1 mm, 0.005 ms", p.ms);
    return c;
}

void points(Bench& b, std::span<const double> dx, std::span<const double> dt,
            std::span<const Way* const> of)
{
    auto chart = begun();
    for (const auto* w : of)
        for (const double h : dx)
            for (const double t : dt)
                one(b, *w, h, t, chart, w == of.back() && h == dx.back() && t == dt.back());
}

} // namespace

Group niederer_group()
{
    Group g{"niederer", "the tissue benchmark of 2011 against other programs", {}};
    g.checks.push_back(
        {"short", "0.5 and 0.2 mm, 0.05 ms: fvm, p1 with interpolated currents", true,
         [](Bench& b) {
             points(b, std::array{0.5, 0.2}, std::array{0.05}, std::array{&fvm, &interpolated});
         },
         paper, false}); // the whole table has them among the nine
    constexpr std::array<std::pair<const char*, double>, 3> meshes{
        {{"nine_coarse", 0.5}, {"nine_middle", 0.2}, {"nine_fine", 0.1}}};
    for (const auto& [id, dx_mm] : meshes)
        g.checks.push_back({id, number(dx_mm) + " mm with 0.05, 0.01 and 0.005 ms, four schemes",
                            false,
                            [dx_mm](Bench& b) {
                                points(b, std::array{dx_mm}, std::array{0.05, 0.01, 0.005},
                                       std::array{&fvm, &interpolated, &lumped, &consistent});
                            },
                            paper});
    return g;
}

} // namespace tawara::verify
