// SPDX-License-Identifier: GPL-3.0-or-later
// What saves time and costs accuracy, against none of it.
#include "engine/core/error.hpp"
#include "engine/mesh/uneven_bar.hpp"
#include "engine/verify/check.hpp"
#include "engine/verify/tissue_run.hpp"

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
                      most = "less than 1 ms, which is what the whole program is held to";
    b.row(
        {"single", "single precision on the CPU" + what, "no more than a time step", at_most(0.02),
         "ms"},
        std::function<double()>([&] { return off(run(plain_session, "cpu", Precision::single)); }));
    b.row({"mass_scaling", "a thousandth of the volume added" + what, most, at_most(1), "ms"},
          std::function<double()>([&] {
              auto s = plain_session;
              s.mass_scaling = 1e-3;
              const double found = off(run(s, "cpu", Precision::double_));
              if (found == 0)
                  throw Error("nothing was added, so that the row says nothing");
              return found;
          }));
    b.row({"rest", "unknowns that rest, tolerance 0.1 mV" + what, most, at_most(1), "ms"},
          std::function<double()>([&] {
              auto s = plain_session;
              s.rest_tolerance_mV = 0.1;
              return off(run(s, "cpu", Precision::double_));
          }));
    const Demand mixed{"mixed", "mixed precision on a GPU" + what, "a twentieth of a time step",
                       at_most(1e-3), "ms"};
    if (const auto why = no_gpu(b.settings().devices); !why.empty())
        b.skip(mixed, why);
    else
        b.row(mixed, std::function<double()>([&] {
                  return off(run(plain_session, fastest(b.settings().devices), Precision::mixed));
              }));
}

} // namespace

Group savings_group()
{
    return {"savings",
            "rest, mass scaling, single and mixed precision against none of them",
            {{"all", "activation with each of them", true, savings}}};
}

} // namespace tawara::verify
