// SPDX-License-Identifier: GPL-3.0-or-later
// Whole cells of a CUDA stepper: the state of one, and states that reactions keep themselves
// (KeptStates) in snapshots.
#include "engine/core/error.hpp"
#include "engine/device/cuda/stepper.cuh"

#include <algorithm>

namespace tawara::device::cuda {

namespace {

/// Cells that are copied at a time: as many neighbours in each vector of a snapshot are written.
constexpr std::size_t at_a_time = 64;

/// Some cells of a group whose reaction keeps their states.
struct KeptCells
{
    std::vector<std::int32_t> slots;
    std::vector<std::size_t> unknowns;
};

/// Slots of a group in the order of their unknowns.
KeptCells cells_of(const Shard& host, std::size_t group)
{
    std::vector<std::pair<std::int64_t, std::int32_t>> all;
    for (const auto& r : host.ranges)
        for (auto slot = r.begin; r.group == group && slot < r.end; ++slot)
            if (const auto u = host.old_of[static_cast<std::size_t>(slot)]; u >= 0)
                all.emplace_back(u, static_cast<std::int32_t>(slot));
    std::sort(all.begin(), all.end());
    KeptCells out;
    for (const auto& [u, slot] : all) {
        out.unknowns.push_back(static_cast<std::size_t>(u));
        out.slots.push_back(slot);
    }
    return out;
}

} // namespace

/// Calls visit(states, stream, slots, unknowns) with some cells at a time of those whose reactions
/// keep their states.
template <class Real>
template <class Visit>
void CudaStepper<Real>::for_kept_cells(Visit visit) const
{
    for (const auto& s : t_.shards) {
        const Current here(s->device);
        for (std::size_t g = 0; g < s->cells.size(); ++g) {
            auto* kept = s->cells[g]->kept_states();
            if (!kept)
                continue;
            const auto all = cells_of(s->host, g);
            for (std::size_t k = 0; k < all.slots.size(); k += at_a_time) {
                const auto n = std::min(at_a_time, all.slots.size() - k);
                visit(*kept, s->main, std::span(all.slots).subspan(k, n),
                      std::span(all.unknowns).subspan(k, n));
            }
        }
    }
}

template <class Real>
void CudaStepper<Real>::save_kept(std::vector<std::vector<double>>& states) const
{
    std::vector<double> numbers;
    for_kept_cells([&](KeptStates<Real>& kept, StreamRef s, auto slots, auto unknowns) {
        const std::size_t n = kept.numbers();
        numbers.resize(n * slots.size());
        kept.save(slots, numbers, s);
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t i = 0; i < unknowns.size(); ++i)
                places_.of(states, k, unknowns[i]) = numbers[i * n + k];
    });
}

template <class Real>
void CudaStepper<Real>::restore_kept(const std::vector<std::vector<double>>& states)
{
    std::vector<double> numbers;
    for_kept_cells([&](KeptStates<Real>& kept, StreamRef s, auto slots, auto unknowns) {
        const std::size_t n = kept.numbers();
        numbers.resize(n * slots.size());
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t i = 0; i < unknowns.size(); ++i)
                numbers[i * n + k] = places_.of(states, k, unknowns[i]);
        kept.restore(slots, numbers, s);
    });
}

/// Number k of these cells, in the mesh's order; others are left as they are.
template <class Real>
void CudaStepper<Real>::state_of_kept(std::size_t k, std::vector<double>& out) const
{
    std::vector<double> numbers;
    for_kept_cells([&](KeptStates<Real>& kept, StreamRef s, auto slots, auto unknowns) {
        const std::size_t n = kept.numbers();
        if (k >= n)
            return;
        numbers.resize(n * slots.size());
        kept.save(slots, numbers, s);
        for (std::size_t i = 0; i < unknowns.size(); ++i)
            out[unknowns[i]] = numbers[i * n + k];
    });
}

template <class Real>
void CudaStepper<Real>::cell_numbers(std::size_t unknown, CellNumbers& out) const
{
    if (unknown >= group_.size() || group_[unknown] == no_cells)
        throw InputError("unknown " + std::to_string(unknown), "has no cells");
    t_.synchronize();
    const auto& place = t_.place[unknown];
    State& s = *t_.shards[static_cast<std::size_t>(place.part)];
    const Current here(s.device);
    const StreamRef stream = s.main;
    const auto slot = static_cast<std::size_t>(place.slot);
    const std::size_t group = group_[unknown], n = s.numbers_of(group);
    Real v = 0;
    check(cudaMemcpyAsync(&v, s.vector(Vector::current, t_.parity()) + slot, sizeof v,
                          cudaMemcpyDeviceToHost, stream.handle),
          "cudaMemcpyAsync", s.device);
    out.numbers.resize(n);
    if (auto* kept = s.cells[group]->kept_states()) {
        kept->save({&place.slot, 1}, out.numbers, stream);
    } else if (n > 0) {
        std::vector<Real> numbers(n);
        constexpr std::size_t slice = partition::Subdomain::slice;
        check(cudaMemcpy2DAsync(numbers.data(), sizeof(Real), s.states.data() + s.tiles.at(0, slot),
                                slice * sizeof(Real), sizeof(Real), n, cudaMemcpyDeviceToHost,
                                stream.handle),
              "cudaMemcpy2DAsync", s.device);
        stream.synchronize();
        std::copy(numbers.begin(), numbers.end(), out.numbers.begin());
    }
    stream.synchronize();
    out.v_mV = static_cast<double>(v);
}

template class CudaStepper<double>;
template class CudaStepper<float>;

} // namespace tawara::device::cuda
