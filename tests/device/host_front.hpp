// SPDX-License-Identifier: GPL-3.0-or-later
// Interpolated currents of a tissue in shards, by the kernels' text on the host, and by the CPU
// back end.
#pragma once
#include "engine/cell/compiler/library.hpp"
#include "engine/device/cpu/interpolated_currents.hpp"
#include "engine/device/cuda/front_lists.hpp"
#include "engine/device/cuda/kernel_values.cuh"
#include "engine/device/cuda/reaction_text.hpp"
#include "engine/device/cuda/state_tiles.hpp"
#include "tests/device/host_kernel.hpp"
#include "tests/device/tissue_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

namespace tawara::test {

/// A slab of vertices of two models, the first in two cell types, with insulators in its middle.
inline device::TissueProblem tissue_with_fronts()
{
    ProblemOptions o;
    o.scheme = diffusion::Scheme::p1;
    o.currents = device::IonicCurrents::interpolated;
    o.types = 2;
    o.insulated = true;
    auto p = slab_problem({4, 1, 0.75}, 0.25, o);
    p.groups.push_back({cell::Scheme::rush_larsen_light,
                        {cell::make_cell_type("beeler_reuter_1977", "", {}, {})}});
    for (std::size_t u = 0; u < p.size(); ++u)
        if (p.has_cells(u) && p.position_mm[u][2] < 0.3)
            p.group[u] = 1, p.type[u] = 0;
    return p;
}

/// V, states and a stimulus of each unknown, with fronts here and there.
template <class Real>
struct Fields
{
    explicit Fields(const device::TissueProblem& problem)
        : p(problem), layout(make_layout(p)), pool(1), cpu(p, layout, pool)
    {
        for (std::size_t u = 0; u < p.size(); ++u) {
            const auto& x = p.position_mm[u];
            v.push_back(
                static_cast<Real>(-85 + 100 / (1 + std::exp(9 * std::sin(2 * x[0] + x[1])))));
            stimulus.push_back(static_cast<Real>(x[0] < 0.6 ? 40 : 0));
            states.emplace_back();
            if (!p.has_cells(u))
                continue;
            const auto& initial = p.groups[p.group[u]].types[p.type[u]].initial;
            for (std::size_t k = 1; k < initial.size(); ++k) // some per cent apart
                states[u].push_back(static_cast<Real>(
                    initial[k] * (1 - 0.05 * std::sin(5 * x[0] + 3 * x[2] + double(k)))));
        }
    }
    struct Expected
    {
        std::vector<Real> current; ///< of each unknown; 0 without cells
        std::int64_t tetrahedra = 0;
    };
    Expected on_cpu(bool stimulated)
    {
        const auto slot = [&](std::size_t u) { return static_cast<std::size_t>(layout.new_of[u]); };
        std::size_t most = 0;
        for (const auto& s : states)
            most = std::max(most, s.size());
        AlignedVector<Real> x(layout.slots(), Real(-80)), current(layout.slots(), Real(0));
        AlignedVector<cell::TypeIndex> type(layout.slots(), 0);
        std::vector<AlignedVector<Real>> arrays(most, AlignedVector<Real>(layout.slots(), Real(0)));
        for (std::size_t u = 0; u < p.size(); ++u) {
            if (!p.has_cells(u))
                continue;
            x[slot(u)] = v[u], current[slot(u)] = stimulus[u], type[slot(u)] = p.type[u];
            for (std::size_t k = 0; k < states[u].size(); ++k)
                arrays[k][slot(u)] = states[u][k];
        }
        std::vector<Real*> pointers;
        for (auto& a : arrays)
            pointers.push_back(a.data());
        const auto before = cpu.record().tetrahedra;
        const Real* c = cpu.with_stimulus(
            {x.data(), pointers.data(), type.data(), stimulated ? current.data() : nullptr}, 0,
            0.02);
        Expected out;
        for (std::size_t u = 0; u < p.size(); ++u)
            out.current.push_back(p.has_cells(u) ? c[slot(u)] : Real(0));
        out.tetrahedra = cpu.record().tetrahedra - before;
        return out;
    }

    const device::TissueProblem& p;
    std::vector<Real> v, stimulus;
    std::vector<std::vector<Real>> states; ///< of each unknown
    device::Layout layout;
    ThreadPool pool;
    device::cpu::InterpolatedCurrents<Real> cpu;
};

/// The same by the text of cell_between.cuh, as FrontCurrents launches its kernels.
template <class Real>
class HostFront
{
  public:
    HostFront(const device::TissueProblem& p, int shards, const QString& folder)
        : p_(p), all_(device::cuda::make_shards(p, shards, sizeof(Real) == 4 ? 4 : 2,
                                                partition::Ordering::hilbert))
    {
        for (std::size_t g = 0; g < p.groups.size(); ++g) {
            const auto& types = p.groups[g].types;
            const auto program = cell::compiler::shared_current_program(
                cell::compiler::system_of(types), cell::compiler::Target::gpu(sizeof(Real) == 4));
            const auto numbers = device::cuda::row_numbers<Real>(types, *program, nullptr);
            device::cuda::TypeRows rows{types.size()};
            device::cuda::mark_differences<Real>(rows, numbers);
            kernels_.push_back(std::make_unique<HostKernel>(
                device::cuda::current_source(*program, sizeof(Real) == 4, rows, {threads, 1, 0}),
                folder + "/" + QString::number(g)));
            if (auto* at = kernels_.back()->template find<Real>("cell_rows"))
                std::copy(numbers.begin(), numbers.end(), at);
        }
        for (std::size_t k = 0; k < all_.shards.size(); ++k)
            here_.push_back(make(k));
    }

    /// How chunks in the front are found: each is looked at; those listed by a look; those listed
    /// since a look at tissue without a front, whose V has strayed since. In a later step currents
    /// of slices with odd numbers are wanted alone.
    enum class Chunks { each, listed, strayed, later };

    /// Of each unknown; 0 without cells, no number of what is not wanted.
    std::vector<Real> currents(const Fields<Real>& fields, bool stimulated, Chunks chunks)
    {
        chunks_ = chunks;
        for (auto& h : here_) {
            fill(h, fields);
            h.v_then = chunks == Chunks::each ? std::vector<Real>() : h.v;
            if (chunks == Chunks::strayed)
                std::fill(h.v_then.begin(), h.v_then.end(), Real(-85));
            h.moving.assign(h.touched.size(), 0);
            for (std::size_t slice = 1; slice < h.moving.size(); slice += 2)
                h.moving[slice] = ~0U;
            h.listed.assign(h.lists.chunk.size() / 32 + 1, 0);
            h.near_list.assign(h.lists.chunk.size(), -1), h.near_count.assign(p_.groups.size(), 0);
        }
        std::vector<Real> out(p_.size(), Real(0));
        for (std::size_t k = 0; k < here_.size(); ++k) {
            Here& h = here_[k];
            h.status = {};
            std::fill(h.total.begin(), h.total.end(), Real(7)); // old currents, of no slot below
            for (std::size_t g = 0; g < kernels_.size(); ++g)
                launch(k, g, stimulated);
            for (std::size_t i = 0; i < h.shard->old_of.size(); ++i) {
                if (h.shard->old_of[i] < 0)
                    continue;
                auto& current = out[static_cast<std::size_t>(h.shard->old_of[i])];
                if (chunks == Chunks::later && !h.moving[i / 32])
                    current = std::numeric_limits<Real>::quiet_NaN();
                else if (h.currents[i / 32] >> i % 32 & 1)
                    current = h.total[i];
            }
        }
        return out;
    }
    /// Tetrahedra of the last call's front; those across shards count in each.
    std::int64_t found() const
    {
        std::int64_t n = 0;
        for (const auto& h : here_)
            n += static_cast<std::int64_t>(h.status.front);
        return n;
    }

  private:
    static constexpr int threads = 64;
    struct Here
    {
        const device::cuda::Shard* shard;
        device::cuda::FrontLists lists;
        std::vector<device::cuda::FrontChunk> chunk;
        std::vector<device::cuda::FrontCorners> corners;
        std::vector<device::cuda::FrontCornersOfChunk> corners_of_chunk;
        std::vector<device::cuda::FrontPlace> halo;
        device::cuda::StateTiles tiles;
        std::vector<Real> v, states, volume, per_mass, corner_rate, total, stimulus, v_then;
        std::vector<cell::TypeIndex> type;
        std::vector<std::uint32_t> in_front, touched, currents, count, driven, moving, listed,
            near_count;
        std::vector<std::int32_t> list, near_list;
        std::vector<std::vector<device::cuda::FrontPeer<Real>>> peers; ///< [group][shard]
        device::cuda::Status status;
    };
    Here make(std::size_t k) const
    {
        Here h;
        h.shard = &all_.shards[k];
        h.lists = device::cuda::make_front_lists(p_, *h.shard, k, all_.place);
        h.chunk = device::cuda::same_bytes<device::cuda::FrontChunk>(h.lists.chunk);
        h.corners = device::cuda::same_bytes<device::cuda::FrontCorners>(h.lists.corners);
        h.corners_of_chunk =
            device::cuda::same_bytes<device::cuda::FrontCornersOfChunk>(h.lists.corner_of_chunk);
        h.halo = device::cuda::same_bytes<device::cuda::FrontPlace>(h.lists.halo);
        std::vector<std::size_t> numbers;
        for (const auto& g : p_.groups)
            numbers.push_back(g.types[0].initial.size() - 1);
        h.tiles = {h.shard->ranges, numbers};
        const auto slots = static_cast<std::size_t>(h.shard->slots);
        h.v.assign(slots + h.shard->halo_of.size(), Real(0));
        h.states.assign(h.tiles.size(), Real(0));
        h.type.assign(slots, 0);
        h.total.assign(slots, Real(0)), h.stimulus.assign(slots, Real(0));
        h.volume.assign(h.lists.volume.begin(), h.lists.volume.end());
        h.per_mass.assign(h.lists.per_mass.begin(), h.lists.per_mass.end());
        h.corner_rate.assign(4 * h.lists.corners.size(), Real(0));
        h.in_front.assign(4 * h.lists.chunk.size(), 0);
        h.list.assign(h.lists.corners.size(), -1);
        h.touched.assign(slots / 32, 0), h.currents.assign(slots / 32, 0);
        h.driven.assign(slots / 32, 0);
        h.count.assign(p_.groups.size(), 0);
        return h;
    }
    void fill(Here& h, const Fields<Real>& f)
    {
        const auto& s = *h.shard;
        for (const auto& r : s.ranges)
            for (auto i = static_cast<std::size_t>(r.begin);
                 i < (static_cast<std::size_t>(r.end) + 31) / 32 * 32; ++i) {
                auto from = i; // what fills a slice is as the cell before it
                while (s.old_of[from] < 0)
                    --from;
                const auto u = static_cast<std::size_t>(s.old_of[from]);
                h.v[i] = f.v[u], h.type[i] = p_.type[u];
                for (std::size_t k = 0; k < f.states[u].size(); ++k)
                    h.states[h.tiles.at(k, i)] = f.states[u][k];
                h.stimulus[i] = from == i ? f.stimulus[u] : Real(0);
                if (h.stimulus[i] != 0)
                    h.driven[i / 32] |= 1U << i % 32;
            }
        for (std::size_t k = 0; k < s.halo_of.size(); ++k)
            h.v[static_cast<std::size_t>(s.slots) + k] =
                f.v[static_cast<std::size_t>(s.halo_of[k])];
    }
    Real* states_of(Here& h, std::size_t group, bool separator)
    {
        for (std::size_t r = 0; r < h.shard->ranges.size(); ++r)
            if (const auto& range = h.shard->ranges[r];
                range.group == group && (range.begin < h.shard->separator) == separator)
                return h.states.data() + h.tiles.strides(r).origin;
        return nullptr;
    }
    device::cuda::Front<Real> front(std::size_t k, std::size_t g, bool stimulated)
    {
        Here& h = here_[k];
        h.peers.resize(p_.groups.size());
        h.peers[g].clear();
        for (auto& o : here_)
            h.peers[g].push_back({states_of(o, g, true), o.type.data()});
        const auto begin = static_cast<std::size_t>(h.lists.first_chunk[g]);
        device::cuda::Front<Real> f;
        f.cells.v_in = h.v.data(), f.cells.v_out = h.total.data();
        f.cells.states = states_of(h, g, false);
        f.cells.slots = static_cast<std::int64_t>(32 * h.tiles.numbers_of(g));
        f.cells.type = h.type.data();
        f.cells.stimulus = stimulated ? h.stimulus.data() : nullptr;
        f.cells.driven = h.driven.data(), f.cells.dt = Real(0.02);
        f.separator_states = states_of(h, g, true), f.currents = h.currents.data();
        f.separator = static_cast<std::int32_t>(h.shard->separator);
        f.slots = static_cast<std::int32_t>(h.shard->slots);
        f.halo = h.halo.data(), f.peer = h.peers[g].data();
        f.chunk = h.chunk.data(), f.vertex = h.lists.vertex.data();
        f.slice = h.lists.slice.data();
        if (!h.v_then.empty()) {
            auto& w = f.cells.watch;
            w.v = h.v_then.data(), w.listed = h.listed.data(), w.count = &h.near_count[g];
            w.list = h.near_list.data() + begin;
            f.near_mV = device::front_mV / 2;
        }
        f.corners = h.corners.data(), f.volume = h.volume.data();
        f.corners_of_chunk = h.corners_of_chunk.data();
        f.in_front = h.in_front.data(), f.touched = h.touched.data();
        f.list = h.list.data() + begin * device::cuda::FrontChunk::tetrahedra;
        f.count = &h.count[g], f.corner_rate = h.corner_rate.data();
        f.first = h.lists.first.data(), f.star = h.lists.star.data();
        f.per_mass = h.per_mass.data(), f.front_mV = device::front_mV;
        return f;
    }
    /// Lists chunks as the kernels that write V do.
    void list_strayed(Here& h, device::cuda::FrontWatch<Real> w, std::size_t group) const
    {
        const auto near = device::cuda::near_chunks(h.lists, h.touched.size());
        for (std::size_t k = 0; k < h.chunk.size(); ++k)
            for (int i = 0; i < h.chunk[k].slices; ++i) {
                const auto slice = static_cast<std::size_t>(
                    h.lists.slice[static_cast<std::size_t>(h.chunk[k].first_slice + i)]);
                const auto row = near.chunk.begin();
                if (!std::binary_search(row + near.first[slice], row + near.first[slice + 1],
                                        static_cast<std::int32_t>(k)))
                    throw std::runtime_error("a slice does not know a chunk of its vertices");
            }
        for (const auto& r : h.shard->ranges)
            for (auto i = static_cast<std::size_t>(r.begin); i < static_cast<std::size_t>(r.end);
                 ++i)
                if (r.group == group && std::abs(h.v[i] - h.v_then[i]) > device::front_mV / 5)
                    for (auto e = near.first[i / 32]; e < near.first[i / 32 + 1]; ++e) {
                        auto& word = h.listed[static_cast<std::size_t>(near.chunk[e] / 32)];
                        if (!(word >> near.chunk[e] % 32 & 1U))
                            w.list[(*w.count)++] = near.chunk[e];
                        word |= 1U << near.chunk[e] % 32;
                    }
    }
    void list_chunks(Here& h, device::cuda::Front<Real> f, std::size_t g, int begin, int end)
    {
        const auto blocks = (32 * (end - begin) + threads - 1) / threads;
        std::fill(h.in_front.begin() + 4 * begin, h.in_front.begin() + 4 * end, 0U);
        if (chunks_ == Chunks::strayed)
            f.cells.v_in = h.v_then.data();
        kernels_[g]->launch("cell_look", blocks, threads, f, begin, end);
        for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k)
            if (h.chunk[k].of_others > 0 && !(h.listed[k / 32] >> k % 32 & 1U))
                throw std::runtime_error("a chunk whose V others may change is not listed");
        if (chunks_ == Chunks::strayed)
            list_strayed(h, f.cells.watch, g);
    }
    /// What is listed goes to fewer warps than there are chunks and slices: each has several.
    void launch(std::size_t k, std::size_t g, bool stimulated)
    {
        Here& h = here_[k];
        const auto f = front(k, g, stimulated);
        device::cuda::Rest rest; // a whole step, or a later one of two
        std::vector<std::int32_t> slices;
        unsigned count[2] = {0, 0};
        if (chunks_ == Chunks::later)
            rest.at = 1, rest.length = 2, rest.moving = h.moving.data(), rest.count = count;
        device::cuda::Moment m{&h.status, 0, 0.02, 0, 0};
        const int begin = h.lists.first_chunk[g], end = h.lists.first_chunk[g + 1];
        const auto blocks = [](std::int64_t n) {
            return static_cast<int>((n + threads - 1) / threads);
        };
        const int some = 3;
        if (begin < end) {
            const auto all = blocks(32 * std::int64_t{end - begin});
            if (f.cells.watch.v) {
                list_chunks(h, f, g, begin, end);
                kernels_[g]->launch("cell_listed", some, threads, f, m, rest);
            } else {
                kernels_[g]->launch("cell_front", all, threads, f, m, rest, begin, end);
            }
            kernels_[g]->launch("cell_points", some, threads, f, m);
        }
        for (const auto& r : h.shard->ranges)
            if (r.group == g) {
                m.begin = r.begin, m.end = r.end;
                slices.clear();
                for (auto slice = r.begin / 32; 32 * slice < r.end; ++slice)
                    if (h.moving[static_cast<std::size_t>(slice)])
                        slices.push_back(static_cast<std::int32_t>(slice));
                rest.list = slices.data(), count[0] = static_cast<unsigned>(slices.size());
                kernels_[g]->launch("cell_vertices",
                                    f.cells.watch.v ? some : blocks(r.end - r.begin), threads, f, m,
                                    rest);
            }
    }

    const device::TissueProblem& p_;
    device::cuda::Sharding all_;
    Chunks chunks_ = Chunks::each;                     ///< of the currents that are made
    std::vector<std::unique_ptr<HostKernel>> kernels_; ///< of each group
    std::vector<Here> here_;
};

} // namespace tawara::test
