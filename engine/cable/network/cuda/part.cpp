// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/network/cuda/cells.cuh"
#include "engine/cable/network/cuda/kernels.cuh"
#include "engine/cable/network/cuda/network.hpp"
#include "engine/cable/network/law.hpp"
#include "engine/cell/compiler/equations/ranges.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/numerics_error.hpp"
#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tawara::cable::cuda {

using device::cuda::Current;
using device::cuda::Stream;
using device::cuda::uploaded;

namespace {

/// Rows of numbers one behind the other.
struct Rows
{
    std::vector<std::int32_t> first{0}, entry;

    explicit Rows(const std::vector<std::vector<std::int32_t>>& rows)
    {
        for (const auto& r : rows) {
            entry.insert(entry.end(), r.begin(), r.end());
            first.push_back(static_cast<std::int32_t>(entry.size()));
        }
    }
};

Rows children_of(const Tree& t)
{
    std::vector<std::vector<std::int32_t>> rows(t.nodes());
    for (std::size_t i = 1; i < t.nodes(); ++i)
        rows[static_cast<std::size_t>(t.parent[i])].push_back(static_cast<std::int32_t>(i));
    return Rows(rows);
}

Rows joints_of(const NetworkDescription& d)
{
    std::vector<std::vector<std::int32_t>> rows(d.cables.compartments.nodes());
    for (std::size_t k = 0; k < d.junctions.size(); ++k)
        rows.at(static_cast<std::size_t>(d.junctions[k].node))
            .push_back(static_cast<std::int32_t>(k));
    return Rows(rows);
}

std::vector<std::int32_t> nodes_at(const Contraction& c)
{
    std::vector<std::int32_t> out(c.places, -1);
    for (std::size_t i = 0; i < c.place.size(); ++i)
        out[c.place[i]] = static_cast<std::int32_t>(i);
    return out;
}

std::vector<double> couplings_of(const Compartments& c)
{
    std::vector<double> sum(c.nodes(), 0);
    for (std::size_t i = 1; i < c.nodes(); ++i) {
        sum[i] += c.coupling_uS[i];
        sum[static_cast<std::size_t>(c.tree.parent[i])] += c.coupling_uS[i];
    }
    return sum;
}

std::vector<double> numbers_of_all(const NetworkDescription& d, double JunctionNumbers::*number)
{
    std::vector<double> out;
    for (const auto& j : d.junctions)
        out.push_back(numbers_of(j, d.fibres).*number);
    return out;
}

/// @throws as make_cuda_network() and Cables
void check_fits(const NetworkDescription& d)
{
    const Cables<double> same(d.cables); // finds what is wrong with it
    if (d.cables.second_order || d.cables.copies != 1)
        throw Error("a network on a GPU is one copy, stepped in first order");
    const auto nodes = d.cables.compartments.nodes();
    if (nodes > most_contracted)
        throw InputError("purkinje", "has " + std::to_string(nodes) +
                                         " nodes; a GPU steps networks of at most " +
                                         std::to_string(most_contracted) +
                                         ": take a longer space_step_mm, or --devices cpu");
}

class CudaNetwork final : public NetworkPart
{
  public:
    CudaNetwork(const NetworkDescription& d, int device)
        : d_(d), device_(device), own_(device), cells_(d.cables, own_),
          shape_(contraction_for_device(d.cables.compartments.tree, device)),
          contraction_(own_, shape_), status_(uploaded(std::vector<NetworkStatus>(1), own_)),
          stimulus_nA_(d.cables.compartments.nodes(), 0.0)
    {
        make_rows();
        const auto left = std::vector<double>(shape_.places, 1.0); // gaps stay as they are
        upper_ = uploaded(left, own_), lower_ = uploaded(left, own_);
        diagonal_ = uploaded(left, own_), rhs_ = uploaded(left, own_);
        sums_ = Buffer<RunSums>(shape_.runs.size(), device_);
        stimulus_ = uploaded(stimulus_nA_, own_);
        source_ = Buffer<double>(d.junctions.size(), device_);
        tissue_before_ = uploaded(std::vector<double>(d.junctions.size(), unknown_mV), own_);
        for (auto* b : {&node_ms_, &newest_node_ms_})
            *b = Buffer<double>(d.cables.compartments.nodes(), device_);
        for (auto* b : {&junction_ms_, &newest_junction_ms_})
            *b = Buffer<double>(d.junctions.size(), device_);
        restart_times();
        enqueue_law(own_, view());
        own_->synchronize();
    }

    device::PortLaw law() const override { return {source_.data(), conductance_.data()}; }

    void advance(const device::PortStep& s) override
    {
        const StreamRef stream{static_cast<cudaStream_t>(s.stream), device_};
        cells_.enqueue(stream, &status_.data()->start_ms);
        enqueue_step(stream, view(), s);
    }

    std::int64_t prepare(std::int64_t step, std::int64_t most) override
    {
        need_good();
        const auto now = overlaps(step);
        if (now != applied_)
            apply(now);
        for (std::int64_t n = 1; n < most; ++n)
            if (overlaps(step + n) != applied_)
                return n;
        return most;
    }

    std::vector<double> snapshot() const override
    {
        need_good();
        const Current here(device_);
        std::vector<double> out{static_cast<double>(status().steps)};
        for (const auto& v : {cells_.potentials(own_), cells_.states(own_), downloaded(node_ms_),
                              downloaded(junction_ms_), downloaded(newest_node_ms_),
                              downloaded(newest_junction_ms_), downloaded(tissue_before_)})
            out.insert(out.end(), v.begin(), v.end());
        return out;
    }

    void restore(std::span<const double> values) override
    {
        const auto nodes = d_.cables.compartments.nodes(), junctions = d_.junctions.size();
        const auto due = 1 + 3 * nodes + cells_.numbers() + 3 * junctions;
        if (values.size() != due)
            throw InputError("state", wrong_size(values.size(), due));
        const Current here(device_);
        NetworkStatus status;
        status.steps = static_cast<long long>(values[0]);
        status.start_ms = static_cast<double>(status.steps) * d_.cables.dt_ms;
        status_.upload(std::span(&status, 1), own_);
        auto rest = values.subspan(1);
        const auto next = [&](std::size_t n) {
            const auto part = rest.first(n);
            rest = rest.subspan(n);
            return part;
        };
        const auto v = next(nodes);
        cells_.restore(v, next(cells_.numbers()), own_);
        node_ms_.upload(next(nodes), own_);
        junction_ms_.upload(next(junctions), own_);
        newest_node_ms_.upload(next(nodes), own_);
        newest_junction_ms_.upload(next(junctions), own_);
        tissue_before_.upload(next(junctions), own_);
        enqueue_law(own_, view());
        own_->synchronize();
    }

    void potentials(std::span<const std::int32_t> nodes, std::span<double> out) const override
    {
        need_good();
        if (nodes.size() != out.size())
            throw Error("potentials are not as many as their nodes");
        const Current here(device_);
        const auto all = cells_.potentials(own_);
        for (std::size_t k = 0; k < nodes.size(); ++k)
            out[k] = all.at(static_cast<std::size_t>(nodes[k]));
    }
    NetworkTimes times() const override
    {
        need_good();
        const Current here(device_);
        return {downloaded(node_ms_), downloaded(junction_ms_), downloaded(newest_node_ms_),
                downloaded(newest_junction_ms_)};
    }
    void restart_times() override
    {
        const Current here(device_);
        const std::vector<double> never(std::max(node_ms_.size(), junction_ms_.size()), never_ms);
        for (const auto* b : {&node_ms_, &junction_ms_, &newest_node_ms_, &newest_junction_ms_})
            b->upload(std::span(never).first(b->size()), own_);
        own_->synchronize();
    }
    void change(const NetworkDescription& d) override
    {
        if (d.junctions.size() != d_.junctions.size() ||
            d.cables.compartments.nodes() != d_.cables.compartments.nodes())
            throw Error("a network of " + std::to_string(d_.junctions.size()) +
                        " junctions cannot go on with " + std::to_string(d.junctions.size()) +
                        ", nor with other nodes");
        const Current here(device_);
        device::cuda::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize", device_);
        auto& c = d_.cables.compartments;
        c.coupling_uS = d.cables.compartments.coupling_uS;
        for (std::size_t k = 0; k < d.junctions.size(); ++k)
            d_.junctions[k].resistance_kOhm = d.junctions[k].resistance_kOhm;
        d_.stimuli = d.stimuli;
        const auto couplings = couplings_of(c); // they stay until the stream has passed
        const auto conductance = numbers_of_all(d_, &JunctionNumbers::conductance),
                   slope = numbers_of_all(d_, &JunctionNumbers::slope_uS);
        coupling_.upload(c.coupling_uS, own_), couplings_.upload(couplings, own_);
        conductance_.upload(conductance, own_), slope_uS_.upload(slope, own_);
        enqueue_law(own_, view());
        own_->synchronize();
        apply(std::vector<double>(d_.stimuli.size(), 0.0)); // prepare() does what is due
    }

  private:
    void make_rows()
    {
        const auto& c = d_.cables.compartments;
        const Rows children = children_of(c.tree), joints = joints_of(d_);
        node_at_ = uploaded(nodes_at(shape_), own_), parent_ = uploaded(c.tree.parent, own_);
        first_child_ = uploaded(children.first, own_), child_ = uploaded(children.entry, own_);
        first_joint_ = uploaded(joints.first, own_), joint_ = uploaded(joints.entry, own_);
        coupling_ = uploaded(c.coupling_uS, own_);
        couplings_ = uploaded(couplings_of(c), own_);
        capacitance_ = uploaded(c.capacitance_nF, own_);
        conductance_ = uploaded(numbers_of_all(d_, &JunctionNumbers::conductance), own_);
        fibre_nA_ = uploaded(numbers_of_all(d_, &JunctionNumbers::fibre_nA), own_);
        slope_uS_ = uploaded(numbers_of_all(d_, &JunctionNumbers::slope_uS), own_);
    }

    NetworkView view() const
    {
        NetworkView n{};
        n.nodes = static_cast<int>(d_.cables.compartments.nodes());
        n.junctions = static_cast<int>(d_.junctions.size());
        n.dt_ms = d_.cables.dt_ms, n.threshold_mV = d_.activation_threshold_mV;
        n.contraction = contraction_.view(), n.node_at = node_at_.data();
        n.parent = parent_.data(), n.slot = cells_.slot().data();
        n.first_child = first_child_.data(), n.child = child_.data();
        n.coupling = coupling_.data(), n.couplings = couplings_.data();
        n.capacitance = capacitance_.data(), n.stimulus = stimulus_.data();
        n.first_joint = first_joint_.data(), n.joint = joint_.data();
        n.conductance = conductance_.data(), n.fibre_nA = fibre_nA_.data();
        n.slope_uS = slope_uS_.data();
        n.v = cells_.v().data(), n.checked = cells_.checked().data();
        n.rate = cells_.rate().data(), n.slope = cells_.slope().data();
        n.upper = upper_.data(), n.lower = lower_.data();
        n.diagonal = diagonal_.data(), n.rhs = rhs_.data(), n.sums = sums_.data();
        n.source = source_.data(), n.tissue_before = tissue_before_.data();
        n.node_ms = node_ms_.data(), n.junction_ms = junction_ms_.data();
        n.newest_node_ms = newest_node_ms_.data();
        n.newest_junction_ms = newest_junction_ms_.data();
        n.status = status_.data();
        return n;
    }

    std::vector<double> overlaps(std::int64_t step) const
    {
        std::vector<double> out;
        for (const auto& s : d_.stimuli)
            out.push_back(s.overlap(static_cast<double>(step) * d_.cables.dt_ms, d_.cables.dt_ms));
        return out;
    }
    void apply(const std::vector<double>& overlap)
    {
        std::fill(stimulus_nA_.begin(), stimulus_nA_.end(), 0.0);
        for (std::size_t k = 0; k < overlap.size(); ++k)
            for (const auto node : d_.stimuli[k].unknowns) {
                const auto i = static_cast<std::size_t>(node);
                stimulus_nA_[i] += overlap[k] * d_.stimuli[k].amplitude_pA_per_pF *
                                   d_.cables.compartments.capacitance_nF[i];
            }
        const Current here(device_);
        // steps that were enqueued still read it, on streams that are not known here
        device::cuda::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize", device_);
        stimulus_.upload(stimulus_nA_, own_);
        own_->synchronize();
        applied_ = overlap;
    }

    std::vector<double> downloaded(const Buffer<double>& from) const
    {
        std::vector<double> out(from.size());
        from.download(out, own_);
        own_->synchronize();
        return out;
    }
    NetworkStatus status() const
    {
        const Current here(device_);
        NetworkStatus s;
        status_.download(std::span(&s, 1), own_);
        own_->synchronize();
        return s;
    }
    /// @throws NumericsError where a value has left its range
    void need_good() const
    {
        const auto s = status();
        if (s.bad == NetworkStatus::none)
            return;
        const auto step = static_cast<std::int64_t>(s.bad >> 32);
        const auto node = static_cast<std::size_t>(s.bad & 0xffffffffU);
        const auto& type = d_.cables.types[cells_.type_of(node)];
        const auto told = cells_.checked_of(node, own_);
        const auto why = cell::compiler::left_range(*cell::compiler::system_of(type), told);
        throw NumericsError(static_cast<double>(step + 1) * d_.cables.dt_ms, step + 1,
                            static_cast<std::int64_t>(node), d_.cables.compartments.place_mm[node],
                            cells_.potentials(own_)[node],
                            type.model + (why.empty() ? "" : ": " + why));
    }
    static std::string wrong_size(std::size_t given, std::size_t due)
    {
        return "the Purkinje network's state has " + std::to_string(given) +
               " numbers, and this one has " + std::to_string(due);
    }

    NetworkDescription d_;
    int device_;
    Stream own_;
    NetworkCells cells_;
    Contraction shape_;
    DeviceContraction contraction_;
    Buffer<NetworkStatus> status_;
    Buffer<std::int32_t> node_at_, parent_, first_child_, child_, first_joint_, joint_;
    Buffer<double> coupling_, couplings_, capacitance_, conductance_, fibre_nA_, slope_uS_;
    Buffer<double> upper_, lower_, diagonal_, rhs_;
    Buffer<RunSums> sums_;
    Buffer<double> stimulus_, source_, tissue_before_, node_ms_, junction_ms_;
    Buffer<double> newest_node_ms_, newest_junction_ms_;
    std::vector<double> stimulus_nA_, applied_;
};

} // namespace

std::unique_ptr<NetworkPart> make_cuda_network(const NetworkDescription& d, int device)
{
    check_fits(d);
    const Current here(device);
    return std::make_unique<CudaNetwork>(d, device);
}

} // namespace tawara::cable::cuda
