// SPDX-License-Identifier: GPL-3.0-or-later
// What saves time and costs accuracy, against none of it.
#include "engine/verify/check.hpp"
#include "engine/verify/tissue_run.hpp"

#include <string>

namespace tawara::verify {
namespace {

simulation::Session session(bool short_form)
{
    auto s = niederer_session(short_form ? 0.25 : 0.2, 0.05);
    if (short_form) {
        auto slab = std::get<simulation::MeshSlab>(s.mesh);
        slab.size_mm = {10, 4, 1.5};
        s.mesh = slab;
    }
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
    const auto plain = run_tissue(session(b.short_form()), {}, b.progress());
    const auto off = [&](const TissueRun& r) {
        return rms_difference(r.maps.activation_ms, plain.maps.activation_ms);
    };
    const std::string what = ", fvm, tissue benchmark: activation (RMS) against double precision "
                             "without it";
    b.row({"single", "single precision on the CPU" + what, "0.0015 ms were measured in a heart",
           at_most(0.02), "ms"},
          std::function<double()>([&] {
              return off(run_tissue(session(b.short_form()), {.precision = Precision::single},
                                    b.progress()));
          }));
    b.row({"mass_scaling", "a thousandth of the volume added" + what,
           "less than 1 ms, which is what the whole program is held to", at_most(1), "ms"},
          std::function<double()>([&] {
              auto s = session(b.short_form());
              s.mass_scaling = 1e-3;
              return off(run_tissue(s, {}, b.progress()));
          }));
    b.row({"rest", "unknowns that rest, tolerance 0.1 mV" + what,
           "less than 1 ms, which is what the whole program is held to", at_most(1), "ms"},
          std::function<double()>([&] {
              auto s = session(b.short_form());
              s.rest_tolerance_mV = 0.1;
              return off(run_tissue(s, {}, b.progress()));
          }));
    const Demand mixed{"mixed", "mixed precision on a GPU" + what,
                       "1e-6 ms were measured in a heart", at_most(1e-3), "ms"};
    if (const auto why = no_gpu(b.settings().devices); !why.empty())
        b.skip(mixed, why);
    else
        b.row(mixed, std::function<double()>([&] {
                  return off(run_tissue(session(b.short_form()),
                                        {.devices = "cuda", .precision = Precision::mixed},
                                        b.progress()));
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
