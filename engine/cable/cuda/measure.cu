// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/cuda/measure.hpp"

#include "engine/cable/cuda/solvers.cuh"
#include "engine/cable/cuda/tridiagonal_peer.hpp"
#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>

namespace tawara::cable::cuda {

using device::cuda::check;
using device::cuda::Current;
using device::cuda::Event;
using device::cuda::Stream;
using device::cuda::uploaded;

namespace {

/// The four arrays of a batch on a device, `size` numbers each, zero at first.
template <class Real>
struct Arrays
{
    Buffer<Real> upper, lower, diagonal, rhs;

    Arrays(std::size_t size, StreamRef s)
        : upper(size, s.device), lower(size, s.device), diagonal(size, s.device),
          rhs(size, s.device)
    {
        for (const auto* b : {&upper, &lower, &diagonal, &rhs})
            b->zero(s);
    }
    DeviceNumbers<Real> numbers() const
    {
        return {upper.data(), lower.data(), diagonal.data(), rhs.data()};
    }
};

template <class Real>
void enqueue(StreamRef s, const Way& way, const std::int32_t* parent, const DeviceContraction* c,
             const Batch& b, const DeviceNumbers<Real>& n)
{
    switch (way.kind) {
    case Way::Kind::sweep:
        return sweep(s, parent, b, n, way.threads);
    case Way::Kind::sweep_shared:
        return sweep_shared(s, parent, b, n);
    case Way::Kind::contract:
        return contract(s, *c, b, n, way.threads);
    }
}

void check_way(const Way& way, const Batch& b)
{
    if (way.kind == Way::Kind::contract && b.layout != Layout::flat)
        throw Error("contraction needs systems one after another, not " +
                    std::string(name(b.layout)));
    if (way.kind == Way::Kind::sweep_shared && b.layout != Layout::block_interleaved)
        throw Error("shared right-hand sides need blocks of interleaved systems, not " +
                    std::string(name(b.layout)));
}

double median(std::vector<double> v)
{
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

/// Times ways of solving systems on one tree.
template <class Real>
class Measuring
{
  public:
    Measuring(const Tree& t, std::size_t systems, int device, std::vector<std::string>& remarks)
        : tree_(t), systems_(systems), stream_(device), remarks_(remarks),
          given_(std::min<std::size_t>(systems, 512)), flat_{t.nodes(), given_},
          numbers_(random_systems<Real>(t, flat_, 1)), parent_(uploaded(t.parent, stream_)),
          other_(other_bytes, device)
    {
        auto solved = random_systems<double>(t, flat_, 1);
        for (std::size_t s = 0; s < given_; ++s) {
            const auto of = [&](std::vector<double>& v) {
                return std::span<double>(v).subspan(s * t.nodes(), t.nodes());
            };
            cable::solve(t, System<double>{of(solved.upper), of(solved.lower), of(solved.diagonal),
                                           of(solved.rhs)});
        }
        wanted_ = std::move(solved.rhs);
    }

    std::vector<MeasuredSolver> run()
    {
        using Kind = Way::Kind;
        const bool contractible = tree_.nodes() <= most_contracted;
        batch(Layout::flat, 32, [&](const Batch& b) {
            timed("sweep, flat", b, {Kind::sweep, 128});
            for (const int longest : {0, 6, 8, 12}) {
                if (!contractible)
                    break;
                contraction_.emplace(stream_,
                                     contraction_of(tree_, static_cast<std::size_t>(longest)));
                for (const int threads : {32, 64, 128, 256})
                    timed("contraction, runs of " + std::to_string(longest) + ", " +
                              std::to_string(threads) + " threads, flat",
                          b, {Kind::contract, threads, longest});
            }
            if (branches(tree_) <= 1)
                peer_strided(b);
        });
        batch(Layout::full_interleaved, 32, [&](const Batch& b) {
            timed("sweep, full-interleaved", b, {Kind::sweep, 128});
            if (branches(tree_) <= 1)
                peer_interleaved(b);
        });
        for (const std::size_t block : {32, 128})
            batch(Layout::block_interleaved, block, [&](const Batch& b) {
                const auto in = ", blocks of " + std::to_string(block);
                timed("sweep" + in, b, {Kind::sweep, static_cast<int>(block)});
                timed("sweep, rhs shared" + in, b, {Kind::sweep_shared, 0});
            });
        return std::move(out_);
    }

  private:
    static constexpr std::size_t other_bytes = std::size_t{256} << 20;

    void batch(Layout layout, std::size_t block, const std::function<void(const Batch&)>& then)
    {
        const Batch b{tree_.nodes(), systems_, layout, block};
        // a row more: cuSPARSE's upper numbers lie in the row above ours
        const auto room = b.size() + systems_ + 1;
        now_ = std::make_unique<Arrays<Real>>(room, stream_);
        kept_diagonal_ = Buffer<Real>(room, stream_->device);
        kept_rhs_ = Buffer<Real>(room, stream_->device);
        const auto put = [&](const std::vector<Real>& from, const Buffer<Real>& to) {
            const auto given = uploaded(from, stream_);
            lay_out(stream_, given.data(), given_, b, to.data());
            StreamRef(stream_).synchronize();
        };
        put(numbers_.upper, now_->upper), put(numbers_.lower, now_->lower);
        put(numbers_.diagonal, kept_diagonal_), put(numbers_.rhs, kept_rhs_);
        then(b);
    }

    void timed(const std::string& what, const Batch& b, const Way& way)
    {
        measured(what, b, [&] {
            enqueue(stream_, way, parent_.data(), contraction_ ? &*contraction_ : nullptr, b,
                    now_->numbers());
        });
    }

    void restore(const Batch& b) const
    {
        for (const auto& [from, to] :
             {std::pair{&kept_diagonal_, &now_->diagonal}, {&kept_rhs_, &now_->rhs}})
            check(cudaMemcpyAsync(to->data(), from->data(), b.size() * sizeof(Real),
                                  cudaMemcpyDeviceToDevice, StreamRef(stream_).handle),
                  "cudaMemcpyAsync", stream_->device);
    }

    void measured(const std::string& what, const Batch& b, const std::function<void()>& work)
    {
        std::vector<double> cold, hot;
        try {
            for (int k = 0; k < 2 * samples; ++k) {
                restore(b);
                if (before_)
                    before_();
                if (k % 2 == 0)
                    other_.zero(stream_);
                const Event before(stream_->device, true), after(stream_->device, true);
                before.record(stream_);
                work();
                after.record(stream_);
                after.synchronize();
                (k % 2 == 0 ? cold : hot).push_back(1e3 * static_cast<double>(after.since(before)));
            }
        } catch (const DeviceError&) {
            throw;
        } catch (const Error& e) {
            remarks_.push_back(what + ": " + e.what());
            return;
        }
        out_.push_back({what, median(cold), median(hot), error(b)});
    }

    /// Of some thousand systems all over the batch: they repeat those that were solved on the CPU.
    double error(const Batch& b) const
    {
        std::vector<Real> x(b.size());
        now_->rhs.download(x, stream_);
        StreamRef(stream_).synchronize();
        double most = 1e-300, away = 0;
        const auto apart = b.systems / 4096 + 1;
        for (std::size_t s = 0; s < b.systems; s += apart)
            for (std::size_t i = 0; i < b.nodes; ++i) {
                const double wanted = wanted_[s % given_ * b.nodes + i];
                most = std::max(most, std::abs(wanted));
                const double d = std::abs(static_cast<double>(x[b.place(i, s)]) - wanted);
                away = d <= away ? away : d; // NaN is larger than all
            }
        return away / most;
    }

    class Handle
    {
      public:
        Handle(const TridiagonalPeer& peer, StreamRef s) : peer_(peer)
        {
            need(peer.create(&handle_), "cusparseCreate");
            need(peer.set_stream(handle_, s.handle), "cusparseSetStream");
        }
        ~Handle() { peer_.destroy(handle_); }
        Handle(const Handle&) = delete;
        Handle& operator=(const Handle&) = delete;
        operator void*() const { return handle_; }

      private:
        const TridiagonalPeer& peer_;
        void* handle_ = nullptr;
    };
    static void need(int status, const char* call)
    {
        if (status != 0)
            throw Error(std::string(call) + " answers " + std::to_string(status));
    }
    bool no_peer()
    {
        const auto& reason = TridiagonalPeer::get().reason;
        if (!reason.empty() && out_.size() < 8)
            remarks_.push_back("no cuSPARSE: " + reason);
        return !reason.empty();
    }

    void peer_strided(const Batch& b)
    {
        if (no_peer())
            return;
        const auto& f = TridiagonalPeer::get().of<Real>();
        const Handle handle(TridiagonalPeer::get(), stream_);
        const auto n = now_->numbers();
        const int nodes = static_cast<int>(b.nodes), systems = static_cast<int>(systems_);
        std::size_t bytes = 0;
        need(f.strided_room(handle, nodes, n.lower, n.diagonal, n.upper + 1, n.rhs, systems, nodes,
                            &bytes),
             "gtsv2StridedBatch_bufferSizeExt");
        const Buffer<char> room(bytes, stream_->device);
        measured("cuSPARSE gtsv2StridedBatch, flat", b, [&] {
            need(f.strided(handle, nodes, n.lower, n.diagonal, n.upper + 1, n.rhs, systems, nodes,
                           room.data()),
                 "gtsv2StridedBatch");
        });
    }
    /// It changes the numbers off the diagonal, too: they are made again for each sample.
    void peer_interleaved(const Batch& b)
    {
        if (no_peer())
            return;
        const auto& f = TridiagonalPeer::get().of<Real>();
        const Handle handle(TridiagonalPeer::get(), stream_);
        const Arrays<Real> copy(now_->upper.size(), stream_);
        const auto bytes_of = [&](const Buffer<Real>& v) { return v.size() * sizeof(Real); };
        const auto renew = [&] {
            for (const auto& [from, to] :
                 {std::pair{&now_->upper, &copy.upper}, {&now_->lower, &copy.lower}})
                check(cudaMemcpyAsync(to->data(), from->data(), bytes_of(*from),
                                      cudaMemcpyDeviceToDevice, StreamRef(stream_).handle),
                      "cudaMemcpyAsync", stream_->device);
        };
        const auto n = now_->numbers();
        Real *const upper = copy.upper.data() + systems_, *const lower = copy.lower.data();
        const int nodes = static_cast<int>(b.nodes), systems = static_cast<int>(systems_);
        std::size_t bytes = 0;
        need(f.interleaved_room(handle, 0, nodes, lower, n.diagonal, upper, n.rhs, systems, &bytes),
             "gtsvInterleavedBatch_bufferSizeExt");
        const Buffer<char> room(bytes, stream_->device);
        before_ = renew;
        measured("cuSPARSE gtsvInterleavedBatch, full-interleaved", b, [&] {
            need(f.interleaved(handle, 0, nodes, lower, n.diagonal, upper, n.rhs, systems,
                               room.data()),
                 "gtsvInterleavedBatch");
        });
        before_ = {};
    }

    static constexpr int samples = 9;
    const Tree& tree_;
    std::size_t systems_;
    Stream stream_;
    std::vector<std::string>& remarks_;
    std::size_t given_; ///< systems that are unlike each other
    Batch flat_;
    BatchNumbers<Real> numbers_;
    std::vector<double> wanted_;
    Buffer<std::int32_t> parent_;
    Buffer<char> other_;
    std::optional<DeviceContraction> contraction_;
    std::unique_ptr<Arrays<Real>> now_;
    Buffer<Real> kept_diagonal_, kept_rhs_;
    std::function<void()> before_; ///< of a sample
    std::vector<MeasuredSolver> out_;
};

} // namespace

template <class Real>
void solve(const Tree& t, const Batch& b, BatchNumbers<Real>& n, const Way& way, int device)
{
    check_way(way, b);
    const Current current(device);
    const Stream s(device);
    const auto parent = uploaded(t.parent, s);
    std::optional<DeviceContraction> c;
    if (way.kind == Way::Kind::contract)
        c.emplace(s, contraction_of(t, static_cast<std::size_t>(way.longest_run)));
    const auto upper = uploaded(n.upper, s), lower = uploaded(n.lower, s),
               diagonal = uploaded(n.diagonal, s), rhs = uploaded(n.rhs, s);
    enqueue(s, way, parent.data(), c ? &*c : nullptr, b,
            DeviceNumbers<Real>{upper.data(), lower.data(), diagonal.data(), rhs.data()});
    rhs.download(n.rhs, s);
    StreamRef(s).synchronize();
}
template void solve(const Tree&, const Batch&, BatchNumbers<double>&, const Way&, int);
template void solve(const Tree&, const Batch&, BatchNumbers<float>&, const Way&, int);

std::vector<MeasuredSolver> measure_solvers(const Tree& t, std::size_t systems, Precision precision,
                                            int device, std::vector<std::string>& remarks)
{
    const Current current(device);
    if (precision == Precision::single)
        return Measuring<float>(t, systems, device, remarks).run();
    return Measuring<double>(t, systems, device, remarks).run();
}

} // namespace tawara::cable::cuda
