// SPDX-License-Identifier: GPL-3.0-or-later
// The electrocardiogram: lead fields against dipoles, and a whole heart's beat.
#include "engine/simulation/observe/ecg.hpp"
#include "engine/analysis/lead_field.hpp"
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/core/resource.hpp"
#include "engine/mesh/check.hpp"
#include "engine/simulation/observe/ecg_beats.hpp"
#include "engine/simulation/observe/pacing.hpp"
#include "engine/simulation/simulation.hpp"
#include "engine/verify/check.hpp"
#include "engine/verify/number.hpp"
#include "engine/verify/problems/deflection.hpp"
#include "engine/verify/problems/meshes.hpp"
#include "engine/verify/problems/sphere.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <string>

namespace tawara::verify {
namespace {

/// V rises evenly along a direction: the tissue is one dipole, far away.
void far_dipole(Bench& b)
{
    const auto m = shaken_box({10, 10, 10}, 1, 0.3);
    constexpr double bath = 0.2, distance = 300, volume = 1000;
    const std::vector<analysis::ConductivityTensor> sigma(m.tetrahedron_count(),
                                                          {0.17, 0.05, 0.02, 0.03, 0, 0});
    const Vec3 gradient{0.4, -0.2, 0.7}, middle{5, 5, 5},
        moment = -volume * Vec3{0.17 * 0.4 - 0.03 * 0.2, 0.03 * 0.4 - 0.05 * 0.2, 0.02 * 0.7};
    double worst = 0, sum = 0;
    for (const Vec3& way : {Vec3{1, 0, 0}, Vec3{0.6, 0.8, 0}, Vec3{0.5, -0.5, 0.7071}}) {
        const Vec3 at = middle + distance * normalized(way);
        const auto w = analysis::lead_field(m, sigma, at, bath, b.progress());
        double phi = 0, size = 0;
        for (std::size_t v = 0; v < w.size(); ++v) {
            phi += w[v] * dot(gradient, m.vertex(v));
            size += std::abs(w[v]);
        }
        const double due = unbounded(at, middle, moment) / bath,
                     scale = norm(moment) / (4 * std::numbers::pi * distance * distance * bath);
        worst = larger_or_nan(worst, std::abs(phi - due) / scale);
        sum = larger_or_nan(sum, std::abs(std::accumulate(w.begin(), w.end(), 0.0)) / size);
    }
    b.row({"lead_field.dipole",
           "lead field of a cube of 10 mm with an even gradient, 300 mm away, against its dipole",
           "the dipole's formula; a cube's next moments are some 1e-5 of it", at_most(1e-4)},
          worst);
    b.row({"lead_field.sum", "sum of the weights over their size",
           "a constant V makes no potential", at_most(1e-12)},
          sum);
}

void conductor(Bench& b)
{
    const analysis::VolumeConductor coarse(sphere(2)), fine(sphere(3));
    double worst = 0, order = INFINITY;
    for (const double distance : {0.0, 50.0, 75.0})
        for (const Vec3& p : {Vec3{0, 0, 1}, Vec3{1, 0, 0}}) {
            b.progress().at(0, "running");
            const double a = dipole_error(coarse, distance, p), c = dipole_error(fine, distance, p);
            worst = larger_or_nan(worst, c);
            order = smaller_or_nan(order, std::log2(a / c));
        }
    b.row({"conductor.error",
           "dipoles in an insulated sphere of 642 vertices, up to 3/4 of its radius: largest error",
           "the analytic potential", at_most(1.5), "%"},
          100 * worst);
    b.row({"conductor.order", "order there in the triangles' size", "second order", at_least(1.75)},
          order);
}

/// Values of leads, each millisecond.
struct Leads
{
    std::vector<std::string> names;
    std::vector<double> t_ms;
    std::vector<std::vector<float>> mV;
};

Leads heart(Bench& b)
{
    const auto s = simulation::read_session(resource("resources/sessions/normal_beat.json"));
    simulation::Simulation sim(simulation::build_tissue(s, b.progress()),
                               {"cpu", Precision::single, 0}, b.progress());
    simulation::Pacing pacing(sim, s.name, 10);
    sim.add(pacing);
    pacing.begin(s.stimuli);
    sim.plan_samples();
    const auto& t = sim.tissue();
    const simulation::EcgField field(
        *t.mesh, t.stars, t.on_vertices(), t.patches,
        simulation::ecg_layout(t, s.electrodes, s.leads, "normal_beat.json"),
        s.bath_conductivity_S_per_m, b.progress());
    Leads out;
    out.names = field.layout().names();
    out.mV.resize(out.names.size());
    std::vector<double> v(t.problem.size());
    constexpr double end_ms = 560;
    const auto every = std::llround(1 / sim.dt_ms());
    while (true) {
        b.progress().at(sim.time_ms() / end_ms, "running");
        sim.stepper().potential(v);
        out.t_ms.push_back(sim.time_ms());
        const auto mV = field.leads(v);
        for (std::size_t l = 0; l < mV.size(); ++l)
            out.mV[l].push_back(mV[l]);
        if (sim.time_ms() >= end_ms)
            return out;
        const auto until = sim.step() + every;
        while (sim.step() < until)
            sim.advance(until - sim.step());
    }
}

/// The largest deflection of a lead within [from_ms, to_ms) [mV]; NaN where a sample is.
/// @throws Error if there is no such lead, or it is flat
double peak_mV(const Leads& r, const std::string& lead, double from_ms, double to_ms)
{
    const auto at = std::find(r.names.begin(), r.names.end(), lead);
    if (at == r.names.end())
        throw Error("the session of the normal beat has no lead " + lead);
    return largest_deflection(lead, r.t_ms, r.mV[static_cast<std::size_t>(at - r.names.begin())],
                              from_ms, to_ms);
}

/// How T points, in words, e.g. "upright, 0.14 mV".
std::string polarity(double peak)
{
    constexpr double flat_mV = 0.05;
    const std::string size = number(peak) + " mV";
    return std::abs(peak) < flat_mV ? "flat, " + size
                                    : (peak > 0 ? "upright, " : "inverted, ") + size;
}

/// Peaks of T in all leads. Where either polarity is normal, the peak's size alone is judged, and a
/// row of its own says the polarity that was found.
void t_waves(Bench& b, const Leads& r, double from_ms)
{
    // of healthy adults: upright in I, II and V3 to V6, inverted in aVR, either in III, aVL and V1
    struct Of
    {
        const char* lead;
        double sign; ///< 0: either is normal
    };
    constexpr std::array<Of, 12> expected{{{"I", 1},
                                           {"II", 1},
                                           {"III", 0},
                                           {"aVR", -1},
                                           {"aVL", 0},
                                           {"aVF", 1},
                                           {"V1", 0},
                                           {"V2", 1},
                                           {"V3", 1},
                                           {"V4", 1},
                                           {"V5", 1},
                                           {"V6", 1}}};
    for (const auto& e : expected) {
        const auto peak = [&] { return peak_mV(r, e.lead, from_ms, 460); };
        const Demand d{std::string("heart.T.") + e.lead, std::string("peak of T in ") + e.lead,
                       e.sign == 0  ? "no larger than T of any lead may be; its polarity is not "
                                      "judged"
                       : e.sign > 0 ? "upright in healthy adults"
                                    : "inverted in healthy adults",
                       e.sign == 0  ? within(-1.2, 1.2)
                       : e.sign > 0 ? within(0.05, 1.2)
                                    : within(-1.2, -0.05),
                       "mV"};
        b.row(d, std::function<double()>(peak));
        if (e.sign != 0)
            continue;
        const Demand either{d.id + ".polarity",
                            std::string("polarity of T in ") + e.lead,
                            "none: T is upright in some healthy adults and inverted in others",
                            {},
                            {},
                            {},
                            "Rautaharju et al., Circulation 119:e241 (2009)"};
        b.row(either, std::function<double()>([&]() -> double {
                  const double found = peak();
                  if (!std::isfinite(found))
                      throw Error(std::string("T in ") + e.lead + " is no number");
                  throw Skip("not judged: T is " + polarity(found) + "; in " + e.lead +
                             " either polarity is normal in adults (Rautaharju et al., Circulation "
                             "119:e241, 2009)");
              }));
    }
}

void twelve_leads(Bench& b)
{
    const auto r = heart(b);
    Chart chart{"A normal beat by the Purkinje network: twelve leads", "time [ms]", "mV", {}};
    for (std::size_t l = 0; l < r.names.size(); ++l)
        for (std::size_t k = 0; k < r.t_ms.size(); ++k)
            chart.curves[r.names[l]].emplace_back(r.t_ms[k], static_cast<double>(r.mV[l][k]));
    const auto found = simulation::ecg_beats(r.names, r.t_ms, r.mV);
    if (found.beats.size() != 1)
        throw Error("the leads have " + std::to_string(found.beats.size()) +
                    " beats, and one was made");
    const auto& beat = found.beats[0];
    b.row({"heart.qrs",
           "QRS of the built-in heart by its Purkinje network",
           "of healthy adults",
           within(70, 110),
           "ms",
           {chart}},
          beat.qrs_ms());
    b.row({"heart.qt", "QT of that beat", "of healthy adults", within(340, 440), "ms"},
          beat.qt_ms());
    t_waves(b, r, beat.end_ms + 60);
}

} // namespace

Group ecg_group()
{
    return {"ecg",
            "lead fields, and a heart's twelve leads",
            {{"lead_field", "tissue in an unbounded conductor against a dipole", true, far_dipole,
              "exact: a dipole in an unbounded conductor"},
             {"conductor", "dipoles in an insulated sphere", true, conductor,
              "exact: Wilson and Bayley, Circulation 1:84 (1950)"},
             {"heart", "a beat of the built-in heart in twelve leads", false, twelve_leads,
              "Surawicz et al., JACC 53:976 (2009); Rautaharju et al., JACC 53:982 (2009)"}}};
}

} // namespace tawara::verify
