// SPDX-License-Identifier: GPL-3.0-or-later
// The order of the linear solver's kernels on one or several shards.
#pragma once
#include "engine/device/cuda/tissue.cuh"

namespace tawara::device::cuda {

/// Enqueues iterations, an even number of them.
/// @param product  enqueues a part of a shard's product: product(ShardState&, ProductPart)
template <class Real, class Product>
void enqueue_iterations(Tissue<Real>& t, int count, const SolverLimits& limits, Product&& product)
{
    for (int k = 0; k < count; ++k) {
        const int turn = k % 2;
        for (auto& s : t.shards) {
            const Current here(s->device);
            if (t.single()) {
                product(*s, s->solver->whole(turn));
                continue;
            }
            product(*s, s->solver->interior(turn));
            t.exchange.wait_for_halos(s->main);
            product(*s, s->solver->separator(turn));
            s->solver->summed.record(s->main);
        }
        for (auto& s : t.shards) {
            const Current here(s->device);
            if (!t.single())
                for (auto& o : t.shards)
                    s->main->wait(o->solver->summed);
            update_solution(s->main, s->solver->correction(), turn, limits);
        }
        t.exchange.to_halos_after_main(Vector::correction, t.parity());
    }
}

/// Gives every shard its solver, which takes what the shards have for it.
template <class Real>
void make_solvers(Tissue<Real>& t)
{
    std::vector<SolverSums*> all;
    for (std::size_t k = 0; k < t.shards.size(); ++k) {
        auto& s = *t.shards[k];
        s.solver = std::make_unique<ShardSolver<Real>>(
            s.host, s.main, static_cast<int>(t.shards.size()), static_cast<int>(k));
        all.push_back(s.solver->sums.data());
    }
    for (auto& s : t.shards) {
        const Current here(s->device);
        s->solver->all_sums = uploaded(all, s->main);
    }
}

} // namespace tawara::device::cuda
