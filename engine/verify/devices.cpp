// SPDX-License-Identifier: GPL-3.0-or-later
// GPUs against the CPU.
#include "engine/verify/check.hpp"
#include "engine/verify/tissue_run.hpp"

#include <array>
#include <string>

namespace tawara::verify {
namespace {

void gpu(Bench& b)
{
    const auto why_not = no_gpu(b.settings().devices);
    struct Of
    {
        Precision precision;
        double most_ms;
    };
    constexpr std::array<Of, 3> all{
        {{Precision::double_, 1e-9}, {Precision::mixed, 1e-5}, {Precision::single, 0.0025}}};
    for (const auto scheme : {diffusion::Scheme::fvm, diffusion::Scheme::p1}) {
        auto s = niederer_session(0.5, 0.05);
        s.scheme = scheme;
        s.mass = diffusion::Mass::lumped;
        s.reaction = cell::Scheme::rush_larsen_light;
        s.end_ms = 40;
        const auto cpu = why_not.empty() ? run_tissue(s, {}, b.progress()) : TissueRun();
        for (const auto& p : all)
            b.row({std::string(diffusion::name(scheme)) + "." + std::string(name(p.precision)),
                   "activation on a GPU against the CPU in double precision (RMS), " +
                       std::string(diffusion::name(scheme)) +
                       ", GPU: " + std::string(name(p.precision)),
                   "rounding alone", at_most(p.most_ms), "ms"},
                  std::function<double()>([&] {
                      if (!why_not.empty())
                          throw Skip(why_not);
                      const auto r = run_tissue(
                          s, {.devices = fastest(b.settings().devices), .precision = p.precision},
                          b.progress());
                      return rms_difference(r.maps.activation_ms, cpu.maps.activation_ms);
                  }));
    }
}

} // namespace

Group devices_group()
{
    return {"devices",
            "GPUs against the CPU",
            {{"gpu", "the tissue benchmark on a GPU, all precisions", true, gpu,
              "this program on the CPU"}}};
}

} // namespace tawara::verify
