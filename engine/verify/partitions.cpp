// SPDX-License-Identifier: GPL-3.0-or-later
// Tissue in parts against tissue in one piece.
#include "engine/verify/check.hpp"
#include "engine/verify/problems/rank_team.hpp"
#include "engine/verify/tissue_run.hpp"

#include <string>

namespace tawara::verify {
namespace {

simulation::Session session(diffusion::Scheme scheme)
{
    auto s = niederer_session(0.5, 0.05);
    s.scheme = scheme;
    s.mass = diffusion::Mass::lumped;
    s.reaction = cell::Scheme::rush_larsen_light;
    s.end_ms = 15;
    return s;
}

/// Ranks are threads here, which tell each other bytes as processes do.
void ranks(Bench& b)
{
    for (const auto scheme : {diffusion::Scheme::fvm, diffusion::Scheme::p1}) {
        const auto s = session(scheme);
        const auto whole = run_tissue(s, {}, b.progress());
        for (const int n : {2, 4}) {
            const std::string id =
                std::string(diffusion::name(scheme)) + "." + std::to_string(n) + "ranks";
            b.row({id,
                   "unknowns whose V or activation differs between " + std::to_string(n) +
                       " ranks and one, " + std::string(diffusion::name(scheme)) +
                       ", tissue benchmark, 0.5 mm, 15 ms",
                   "the same bits for any number of ranks", within(0, 0)},
                  std::function<double()>([&] {
                      RankTeam team(n);
                      const Progress by{
                          {}, b.progress().stop, {.threads = 1, .ranks = &team.first()}};
                      return differing(whole, run_tissue(s, {}, by));
                  }));
        }
    }
}

void shards(Bench& b)
{
    const auto why_not = no_gpu(b.settings().devices);
    for (const auto scheme : {diffusion::Scheme::fvm, diffusion::Scheme::p1}) {
        const auto s = session(scheme);
        const auto& asked = b.settings().devices;
        const auto whole = why_not.empty()
                               ? run_tissue(s, {.devices = gpus_of_shards(asked, 1)}, b.progress())
                               : TissueRun();
        for (const int n : {2, 4}) {
            const auto on = gpus_of_shards(asked, n);
            b.row({std::string(diffusion::name(scheme)) + "." + std::to_string(n) + "shards",
                   "unknowns whose V or activation differs between " + std::to_string(n) +
                       " shards (" + on.text() + ") and one, " +
                       std::string(diffusion::name(scheme)),
                   "the same bits for any number of shards", within(0, 0)},
                  std::function<double()>([&] {
                      if (!why_not.empty())
                          throw Skip(why_not);
                      return differing(whole, run_tissue(s, {.devices = on}, b.progress()));
                  }));
        }
    }
}

} // namespace

Group partitions_group()
{
    return {"partitions",
            "tissue in 2 and 4 parts against one piece",
            {{"ranks", "ranks on the CPU", true, ranks, "this program in one piece"},
             {"shards", "shards on the GPUs that are asked for", true, shards,
              "this program in one piece"}}};
}

} // namespace tawara::verify
