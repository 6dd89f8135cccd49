// SPDX-License-Identifier: GPL-3.0-or-later
// What saves time and costs accuracy, against none of it.
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/mesh/uneven_bar.hpp"
#include "engine/verify/check.hpp"
#include "engine/verify/tissue_run.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

namespace tawara::verify {
namespace {

/// Uneven tetrahedra, as hearts' meshes have them: mass scaling acts on the smallest.
mesh::TetMesh bar(bool short_form)
{
    return short_form ? mesh::uneven_bar(36, 8, 0.28) : mesh::uneven_bar(80, 24, 0.23);
}

simulation::Session session(bool short_form)
{
    auto s = niederer_session(0.5, 0.05);
    s.probes.clear();
    s.scheme = diffusion::Scheme::fvm;
    s.mass = diffusion::Mass::lumped;
    s.reaction = cell::Scheme::rush_larsen_light;
    s.mass_scaling = 0;
    s.end_ms = short_form ? 40 : 60;
    return s;
}

/// A difference that what saves time has made.
/// @throws Error where it has made none: it did not act, and its row would say nothing
double changed(double found)
{
    if (found == 0)
        throw Error("it changed nothing, so that the row says nothing");
    return found;
}

void savings(Bench& b)
{
    const auto m = bar(b.short_form());
    const auto run = [&](const simulation::Session& s, const device::Devices& devices,
                         Precision precision) {
        return run_tissue(s, {.devices = devices, .precision = precision, .mesh = &m},
                          b.progress());
    };
    const auto plain_session = session(b.short_form());
    const auto plain = run(plain_session, "cpu", Precision::double_);
    const auto off = [&](const TissueRun& r) {
        return rms_difference(r.maps.activation_ms, plain.maps.activation_ms);
    };
    const std::string what = ", fvm, a bar of " + std::to_string(m.tetrahedron_count()) +
                             " uneven tetrahedra: activation (RMS) against double precision "
                             "without it",
                      step = "no more than a time step";
    b.row(
        {"single", "single precision on the CPU" + what, "a twentieth of a time step",
         at_most(0.0025), "ms"},
        std::function<double()>([&] { return off(run(plain_session, "cpu", Precision::single)); }));
    b.row({"mass_scaling", "a thousandth of the volume added" + what, step, at_most(0.05), "ms"},
          std::function<double()>([&] {
              auto s = plain_session;
              s.mass_scaling = 1e-3;
              return changed(off(run(s, "cpu", Precision::double_)));
          }));
    b.row({"rest", "unknowns that rest, tolerance 0.1 mV" + what, step, at_most(0.05), "ms"},
          std::function<double()>([&] {
              auto s = plain_session;
              s.rest_tolerance_mV = 0.1;
              return changed(off(run(s, "cpu", Precision::double_)));
          }));
    const Demand mixed{"mixed", "mixed precision on a GPU" + what, "a fiftieth of a time step",
                       at_most(1e-3), "ms"};
    if (const auto why = no_gpu(b.settings().devices); !why.empty())
        b.skip(mixed, why);
    else
        b.row(mixed, std::function<double()>([&] {
                  return off(run(plain_session, fastest(b.settings().devices), Precision::mixed));
              }));
}

/// Long steps of what rests change the plateau and the end of action potentials most.
void repolarisation(Bench& b)
{
    const auto m = bar(true);
    auto s = session(true);
    s.end_ms = 450;
    const auto run = [&] { return run_tissue(s, {.mesh = &m}, b.progress()).maps; };
    const auto apd = [](const device::Maps& maps) {
        std::vector<double> out(maps.activation_ms.size());
        std::transform(maps.repolarisation_ms.begin(), maps.repolarisation_ms.end(),
                       maps.activation_ms.begin(), out.begin(), std::minus<>());
        return out;
    };
    const auto plain = apd(run());
    s.rest_tolerance_mV = 0.1;
    const auto rests = apd(run());
    const std::string what = ", unknowns that rest, tolerance 0.1 mV, fvm, a bar of " +
                             std::to_string(m.tetrahedron_count()) +
                             " uneven tetrahedra, a beat: against double precision without rest";
    b.row({"rest.apd90", "APD90 (RMS)" + what, "1 ms of some 300", at_most(1), "ms"},
          std::function<double()>([&] { return changed(rms_difference(plain, rests)); }));
    double largest = 0;
    for (std::size_t k = 0; k < plain.size(); ++k)
        largest = larger_or_nan(largest, std::abs(plain[k] - rests[k]));
    b.row({"rest.apd90_largest", "APD90 (largest)" + what, "no place by twice as much", at_most(2),
           "ms"},
          largest);
}

} // namespace

Group savings_group()
{
    return {"savings",
            "rest, mass scaling, single and mixed precision against none of them",
            {{"all", "activation with each of them", true, savings, "this program without it"},
             {"apd90", "APD90 with rest", false, repolarisation, "this program without rest"}}};
}

} // namespace tawara::verify
