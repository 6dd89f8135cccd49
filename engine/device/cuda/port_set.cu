// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/port_set.cuh"

#include "engine/core/error.hpp"
#include "engine/device/cuda/early_start.cuh"
#include "engine/device/cuda/stimuli.cuh"

#include <algorithm>
#include <map>

namespace tawara::device::cuda {
namespace {

constexpr int port_block = 128;

/// terms[number[k]] = v[slot[k]]
template <class Real>
__global__ void read_kernel(const Real* v, const std::int32_t* slot, const std::int32_t* number,
                            double* terms, int n)
{
    const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (k < n)
        terms[number[k]] = static_cast<double>(v[slot[k]]);
}

/// Rows of the slots that each port drives, where each slot is driven by one port alone.
template <class Real>
struct DrivenByPort
{
    const std::int32_t* first = nullptr; ///< null: a kernel behind this one adds the currents up
    const std::int32_t* slot = nullptr;
    const float* weight = nullptr;
    const Real* sources = nullptr;
    Real* stimulus = nullptr;
};

/// Where a port's terms are.
struct PortTerms
{
    const std::int32_t *first, *at;
    const float* weight;
};

/// v[k] = sum of weight * from[at] over the terms of port k, and current[k] of its law: a warp a
/// port, its lanes' sums added in a fixed order. With driven.first, stimulus[slot] = sources +
/// weight * current[k], what drive_kernel makes of one port. It may be launched early: all that the
/// kernel ahead does not write is read before that kernel has ended, and what this kernel lets
/// start may count on all ahead of it.
template <class From, class Real>
__global__ void port_kernel(const From* from, PortTerms terms, PortLaw law, double* v,
                            double* current, DrivenByPort<Real> driven, int n)
{
    const int k = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
    const int lane = static_cast<int>(threadIdx.x & 31U);
    const bool any = k < n;
    double source = 0, conductance = 0, weight = 0, share = 0;
    int term = 0, end = 0, at = 0, row = 0, row_end = 0, slot = 0;
    const auto read_term = [&] {
        if (term < end)
            at = terms.at[term], weight = static_cast<double>(terms.weight[term]);
    };
    const auto read_driven = [&] {
        if (row < row_end)
            slot = driven.slot[row], share = static_cast<double>(driven.weight[row]);
    };
    if (any) {
        source = law.source[k], conductance = law.conductance[k];
        term = terms.first[k] + lane, end = terms.first[k + 1];
        if (driven.first)
            row = driven.first[k] + lane, row_end = driven.first[k + 1];
    }
    read_term();
    read_driven();
    wait_for_kernel_ahead();
    let_kernel_behind_start();
    if (!any)
        return;

    double sources = row < row_end ? static_cast<double>(driven.sources[row]) : 0;
    double sum = 0;
    for (; term < end; term += 32, read_term())
        sum = fma(weight, static_cast<double>(from[at]), sum);
    for (int apart = 16; apart > 0; apart /= 2)
        sum += __shfl_xor_sync(0xffffffffU, sum, apart);
    const double out = fma(-conductance, sum, source);
    if (lane == 0)
        v[k] = sum, current[k] = out;
    while (row < row_end) {
        driven.stimulus[slot] = static_cast<Real>(fma(share, out, sources));
        row += 32;
        read_driven();
        sources = row < row_end ? static_cast<double>(driven.sources[row]) : 0;
    }
}

/// stimulus[slot[k]] = sources[k] + sum of weight * current[port] over row k.
template <class Real>
__global__ void drive_kernel(const double* current, const std::int32_t* slot,
                             const std::int32_t* first, const std::int32_t* port,
                             const float* weight, const Real* sources, Real* stimulus, int n)
{
    let_kernel_behind_start();
    const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (k >= n)
        return;
    double sum = static_cast<double>(sources[k]);
    const int begin = first[k], end = first[k + 1], to = slot[k];
    wait_for_kernel_ahead();
    for (int i = begin; i < end; ++i)
        sum = fma(static_cast<double>(weight[i]), current[port[i]], sum);
    stimulus[to] = static_cast<Real>(sum);
}

template <class Real>
__global__ void pick_kernel(const Real* from, const std::int32_t* slot, Real* out, int n)
{
    const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (k < n)
        out[k] = from[slot[k]];
}

int size_of(const Buffer<std::int32_t>& b)
{
    return static_cast<int>(b.size());
}

} // namespace

template <class Real>
PortSet<Real>::PortSet(const Shards<Real>& shards, const std::vector<partition::Place>& place)
    : shards_(shards), place_(place), computed_(shards.at(0)->device), advanced_(shards[0]->device)
{
    here_.reserve(shards.size());
    for (const auto& s : shards)
        here_.emplace_back(s->device);
}

template <class Real>
PortSet<Real>::~PortSet()
{
    for (const auto& h : here_)
        cudaStreamSynchronize(StreamRef(h.stream).handle);
}

template <class Real>
Part& PortSet<Real>::add(const Ports& ports, const PartMaker& make)
{
    const Current here(shards_[0]->device);
    parts_.push_back({ports, make(shards_[0]->device), static_cast<std::size_t>(ports_)});
    ports_ += static_cast<std::int64_t>(ports.size());
    lay_out();
    return *parts_.back().part;
}

/// Terms count from 0 through all ports of all parts. Driven slots are in the order of unknowns,
/// or, where the ports' kernel drives them, of ports.
template <class Real>
void PortSet<Real>::lay_out()
{
    struct Row
    {
        std::vector<std::int32_t> port;
        std::vector<float> weight;
    };
    std::vector<std::int32_t> first{0}, term, unknowns;
    std::vector<float> weight;
    std::map<std::int32_t, Row> driven; // by unknown
    for (const auto& j : parts_) {
        const auto& g = j.ports.potential;
        for (std::size_t k = 0; k < g.size(); ++k)
            first.push_back(first[j.first] +
                            static_cast<std::int32_t>(g.first[k + 1] - g.first[0]));
        unknowns.insert(unknowns.end(), g.unknown.begin(), g.unknown.end());
        weight.insert(weight.end(), g.weight.begin(), g.weight.end());
        const auto& c = j.ports.current;
        for (std::size_t k = 0; k < c.size(); ++k)
            for (auto i = static_cast<std::size_t>(c.first[k]);
                 i < static_cast<std::size_t>(c.first[k + 1]); ++i) {
                auto& row = driven[c.unknown[i]];
                row.port.push_back(static_cast<std::int32_t>(j.first + k));
                row.weight.push_back(c.weight[i]);
            }
    }
    const bool several = shards_.size() > 1;
    drives_itself_ = !several && std::all_of(driven.begin(), driven.end(), [](const auto& d) {
        return d.second.port.size() == 1;
    });
    for (std::size_t s = 0; s < shards_.size(); ++s) {
        std::vector<std::int32_t> slot, number, driven_slot, row{0}, port;
        std::vector<float> row_weight;
        for (std::size_t i = 0; i < unknowns.size(); ++i)
            if (const auto& p = place_[static_cast<std::size_t>(unknowns[i])];
                static_cast<std::size_t>(p.part) == s) {
                slot.push_back(p.slot);
                number.push_back(static_cast<std::int32_t>(i));
            }
        if (!several)
            term = slot;
        for (const auto& j : parts_) {
            const auto& c = j.ports.current;
            for (std::size_t k = 0; drives_itself_ && k < c.size(); ++k) {
                for (auto i = static_cast<std::size_t>(c.first[k]);
                     i < static_cast<std::size_t>(c.first[k + 1]); ++i) {
                    driven_slot.push_back(place_[static_cast<std::size_t>(c.unknown[i])].slot);
                    row_weight.push_back(c.weight[i]);
                }
                row.push_back(static_cast<std::int32_t>(driven_slot.size()));
            }
        }
        for (const auto& [unknown, r] : driven)
            if (const auto& p = place_[static_cast<std::size_t>(unknown)];
                !drives_itself_ && static_cast<std::size_t>(p.part) == s) {
                driven_slot.push_back(p.slot);
                port.insert(port.end(), r.port.begin(), r.port.end());
                row_weight.insert(row_weight.end(), r.weight.begin(), r.weight.end());
                row.push_back(static_cast<std::int32_t>(port.size()));
            }
        Here& h = here_[s];
        const Current here(shards_[s]->device);
        h.term_slot = uploaded(slot, h.stream), h.term = uploaded(number, h.stream);
        h.slot = uploaded(driven_slot, h.stream), h.first = uploaded(row, h.stream);
        h.port = uploaded(port, h.stream), h.weight = uploaded(row_weight, h.stream);
        h.sources = Buffer<Real>(driven_slot.size(), shards_[s]->device);
    }
    for (std::size_t i = 0; several && i < unknowns.size(); ++i)
        term.push_back(static_cast<std::int32_t>(i));
    const StreamRef s = here_[0].stream;
    const Current here(s.device);
    first_ = uploaded(first, s), term_ = uploaded(term, s), weight_ = uploaded(weight, s);
    terms_ = Buffer<double>(several ? unknowns.size() : 0, s.device);
    const std::vector<double> none(static_cast<std::size_t>(ports_), 0.0);
    v_ = uploaded(none, s), current_ = uploaded(none, s);
}

template <class Real>
void PortSet<Real>::sources_changed() const
{
    for (std::size_t k = 0; any() && k < shards_.size(); ++k) {
        const auto& s = *shards_[k];
        const Here& h = here_[k];
        const Current here(s.device);
        const int n = size_of(h.slot);
        add_current(s.main, s.stimulus.data(), s.driven.data(), h.slot.data(), n, Real(0));
        launch(s.main, "sources", n, port_block, pick_kernel<Real>,
               static_cast<const Real*>(s.stimulus.data()),
               static_cast<const std::int32_t*>(h.slot.data()), h.sources.data(), n);
    }
}

template <class Real>
void PortSet<Real>::enqueue(int parity, int offset, double dt_ms, bool needed_first)
{
    enqueue_currents(parity, needed_first);
    enqueue_parts(offset, dt_ms);
}

template <class Real>
void PortSet<Real>::enqueue_currents(int parity, bool needed_first)
{
    if (!any())
        return;
    in_line_ = needed_first && shards_.size() == 1 && ports_ > 0;
    const StreamRef home = in_line_ ? StreamRef(shards_[0]->main) : StreamRef(here_[0].stream);
    if (!in_line_)
        follow_tissue();
    else if (under_way_)
        home.wait(advanced_);
    gather(home, parity);
    const Current at_home(home.device);
    computed_.record(home);
    drive();
    if (in_line_)
        here_[0].stream->wait(computed_);
    under_way_ = true;
}

template <class Real>
void PortSet<Real>::enqueue_parts(int offset, double dt_ms)
{
    if (!any())
        return;
    const Current at_home(StreamRef(here_[0].stream).device);
    for (const auto& j : parts_)
        j.part->advance({v_.data() + j.first, current_.data() + j.first,
                         &shards_[0]->status.data()->step, offset, dt_ms,
                         StreamRef(here_[0].stream).handle});
    advanced_.record(here_[0].stream);
}

/// The streams here wait for the end of the step before.
template <class Real>
void PortSet<Real>::follow_tissue()
{
    const bool several = shards_.size() > 1;
    if (!several)
        shards_[0]->main_done.record(shards_[0]->main);
    for (std::size_t k = 0; k < shards_.size(); ++k) {
        here_[k].stream->wait(shards_[k]->main_done);
        if (several)
            here_[k].stream->wait(shards_[k]->separator_done);
    }
}

/// Enqueues the ports' potentials and currents.
template <class Real>
void PortSet<Real>::gather(StreamRef home, int parity)
{
    const bool several = shards_.size() > 1;
    for (std::size_t k = 0; several && k < shards_.size(); ++k) {
        const auto& s = *shards_[k];
        const Here& h = here_[k];
        const Current here(s.device);
        launch(h.stream, "port terms", size_of(h.term_slot), port_block, read_kernel<Real>,
               static_cast<const Real*>(s.vector(Vector::current, parity)),
               static_cast<const std::int32_t*>(h.term_slot.data()),
               static_cast<const std::int32_t*>(h.term.data()), terms_.data(),
               size_of(h.term_slot));
        h.read.record(h.stream);
    }
    const Current here(home.device);
    const Start start = in_line_ ? Start::early : Start::in_order;
    const auto compute = [&](auto* from) {
        for (const auto& j : parts_) {
            const Here& h = here_[0];
            DrivenByPort<Real> driven;
            if (drives_itself_)
                driven = {h.first.data() + j.first, h.slot.data(), h.weight.data(),
                          h.sources.data(), shards_[0]->stimulus.data()};
            const auto n = static_cast<std::int64_t>(j.ports.size());
            launch(home, "ports", 32 * n, port_block, start,
                   port_kernel<std::remove_const_t<std::remove_pointer_t<decltype(from)>>, Real>,
                   from, PortTerms{first_.data() + j.first, term_.data(), weight_.data()},
                   j.part->law(), v_.data() + j.first, current_.data() + j.first, driven,
                   static_cast<int>(n));
        }
    };
    if (several) {
        for (const auto& h : here_)
            home.wait(h.read);
        compute(static_cast<const double*>(terms_.data()));
    } else {
        compute(static_cast<const Real*>(shards_[0]->vector(Vector::current, parity)));
    }
}

/// Enqueues what the parts' currents add to the stimulus of the driven slots.
template <class Real>
void PortSet<Real>::drive()
{
    for (std::size_t k = 0; k < shards_.size(); ++k) {
        const auto& s = *shards_[k];
        const Here& h = here_[k];
        const Current here(s.device);
        const StreamRef stream = in_line_ ? StreamRef(s.main) : StreamRef(h.stream);
        if (k > 0)
            stream.wait(computed_);
        const int n = size_of(h.slot);
        if (!drives_itself_)
            launch(stream, "port currents", n, port_block,
                   in_line_ ? Start::early : Start::in_order, drive_kernel<Real>,
                   static_cast<const double*>(current_.data()),
                   static_cast<const std::int32_t*>(h.slot.data()),
                   static_cast<const std::int32_t*>(h.first.data()),
                   static_cast<const std::int32_t*>(h.port.data()),
                   static_cast<const float*>(h.weight.data()),
                   static_cast<const Real*>(h.sources.data()), s.stimulus.data(), n);
        if (!in_line_)
            h.driven.record(stream);
    }
}

template <class Real>
void PortSet<Real>::join()
{
    if (!under_way_)
        return;
    for (std::size_t k = 0; !in_line_ && k < shards_.size(); ++k)
        shards_[k]->main->wait(here_[k].driven);
    shards_[0]->main->wait(advanced_);
    under_way_ = false;
}

template <class Real>
void PortSet<Real>::synchronize() const
{
    for (const auto& h : here_)
        h.stream->synchronize();
}

template <class Real>
std::int64_t PortSet<Real>::prepare(std::int64_t step, std::int64_t most) const
{
    for (const auto& j : parts_) {
        const Current here(shards_[0]->device);
        most = std::min(most, std::max<std::int64_t>(1, j.part->prepare(step, most)));
    }
    return most;
}

template <class Real>
std::vector<std::vector<double>> PortSet<Real>::snapshot() const
{
    std::vector<std::vector<double>> out;
    for (const auto& j : parts_) {
        const Current here(shards_[0]->device);
        out.push_back(j.part->snapshot());
    }
    return out;
}

template <class Real>
void PortSet<Real>::restore(const std::vector<std::vector<double>>& parts) const
{
    const Current here(shards_[0]->device);
    for (std::size_t k = 0; k < parts_.size(); ++k)
        parts_[k].part->restore(parts.at(k));
}

template <class Real>
std::vector<std::size_t> PortSet<Real>::sizes() const
{
    std::vector<std::size_t> out;
    for (const auto& values : snapshot())
        out.push_back(values.size());
    return out;
}

template class PortSet<double>;
template class PortSet<float>;

} // namespace tawara::device::cuda
