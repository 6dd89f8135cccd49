// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/cuda/mixed.cuh"

#include "engine/cable/cuda/contraction_steps.cuh"

#include <algorithm>
#include <map>
#include <utility>

namespace tawara::cable::cuda {

using device::cuda::launch;
using device::cuda::Shared;
using device::cuda::uploaded;

namespace {

struct MixedView
{
    const ContractionView* shapes;
    const std::uint32_t* shape_of;
    const std::int64_t* first;
    std::int64_t systems;
    int places; ///< room for a tree
};

template <class Real, int threads>
__global__ void __launch_bounds__(threads* trees_of_block<threads>)
    contract_mixed_kernel(MixedView m, DeviceNumbers<Real> n)
{
    extern __shared__ __align__(16) unsigned char room[];
    const int t = static_cast<int>(threadIdx.x) % threads,
              tree = static_cast<int>(threadIdx.x) / threads;
    const auto system = static_cast<std::int64_t>(blockIdx.x) * trees_of_block<threads> + tree;
    if (system >= m.systems) // a whole warp
        return;
    const ContractionView c = m.shapes[m.shape_of[system]];
    contract_system<Real, threads>(c, n, m.first[system],
                                   reinterpret_cast<Real*>(room) + 4 * m.places * tree, t);
}

template <class Real, int threads>
void contract_class(StreamRef s, const MixedView& m, const DeviceNumbers<Real>& n)
{
    constexpr int trees = trees_of_block<threads>;
    const auto bytes = 4 * sizeof(Real) * trees * static_cast<std::size_t>(m.places);
    need_shared(contract_mixed_kernel<Real, threads>, bytes, s.device,
                "the numbers of a block's trees");
    launch(s, "contract trees that differ", m.systems * threads, trees * threads, Shared{bytes},
           contract_mixed_kernel<Real, threads>, m, n);
}

} // namespace

ContractionShape contraction_shape(std::size_t nodes)
{
    if (nodes <= 100)
        return {32, 8};
    if (nodes <= 420)
        return {64, 8};
    return nodes <= 1200 ? ContractionShape{128, 8} : ContractionShape{256, 12};
}

template <class Real>
MixedSolver<Real>::MixedSolver(StreamRef s, const MixedBatch& b) : begun_(s.device)
{
    for (const auto& t : b.trees)
        contractions_.emplace_back(
            s,
            contraction_of(t, static_cast<std::size_t>(contraction_shape(t.nodes()).longest_run)));
    struct Members
    {
        std::vector<ContractionView> shapes;
        std::map<std::uint32_t, std::uint32_t> number; ///< of a tree, in shapes
        std::vector<std::uint32_t> shape_of;
        std::vector<std::int64_t> first;
    };
    constexpr int places_apart = 64;
    std::map<std::pair<int, int>, Members> classes; // by threads and places
    const auto first = b.first();
    for (std::size_t k = 0; k < b.systems(); ++k) {
        const auto tree = b.tree_of[k];
        const auto view = contractions_[tree].view();
        auto& m = classes[{contraction_shape(b.nodes(k)).threads, view.places / places_apart}];
        const auto [at, is_new] =
            m.number.try_emplace(tree, static_cast<std::uint32_t>(m.shapes.size()));
        if (is_new)
            m.shapes.push_back(view);
        m.shape_of.push_back(at->second);
        m.first.push_back(static_cast<std::int64_t>(first[k]));
    }
    for (auto c = classes.rbegin(); c != classes.rend(); ++c) { // what takes longest begins first
        auto& made = classes_.emplace_back(s.device);
        made.threads = c->first.first;
        for (const auto& v : c->second.shapes)
            made.places = std::max(made.places, v.places);
        made.shapes = uploaded(c->second.shapes, s);
        made.shape_of = uploaded(c->second.shape_of, s);
        made.first = uploaded(c->second.first, s);
    }
}

template <class Real>
void MixedSolver<Real>::enqueue(StreamRef s, const DeviceNumbers<Real>& n) const
{
    begun_.record(s);
    for (const auto& c : classes_) {
        const MixedView m{c.shapes.data(), c.shape_of.data(), c.first.data(),
                          static_cast<std::int64_t>(c.first.size()), c.places};
        c.stream->wait(begun_);
        switch (c.threads) {
        case 32:
            contract_class<Real, 32>(c.stream, m, n);
            break;
        case 64:
            contract_class<Real, 64>(c.stream, m, n);
            break;
        case 128:
            contract_class<Real, 128>(c.stream, m, n);
            break;
        default:
            contract_class<Real, 256>(c.stream, m, n);
        }
        c.done.record(c.stream);
        s.wait(c.done);
    }
}

template class MixedSolver<double>;
template class MixedSolver<float>;

} // namespace tawara::cable::cuda
