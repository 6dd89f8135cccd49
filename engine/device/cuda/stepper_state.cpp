// SPDX-License-Identifier: GPL-3.0-or-later
// What goes into a CUDA stepper and comes out of it between steps.
#include "engine/core/error.hpp"
#include "engine/core/room_for.hpp"
#include "engine/device/cuda/stepper.cuh"
#include "engine/device/quiescent_state.hpp"
#include "engine/device/snapshot_check.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tawara::device::cuda {

namespace {
constexpr std::int64_t probe_values = 1
                                      << 20; // of samples kept on a device before they are fetched

std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}
} // namespace

template <class Real>
std::size_t CudaStepper<Real>::add_stimulus(StimulusSource source)
{
    return t_.stimuli.add(std::move(source));
}

template <class Real>
void CudaStepper<Real>::remove_stimulus(std::size_t id)
{
    t_.stimuli.remove(id);
}

template <class Real>
Part& CudaStepper<Real>::add_part(const Ports& ports, const PartMaker& make)
{
    if (plan_->longest_quiescent())
        throw InputError("ports", "parts are joined to tissue that does not rest; leave "
                                  "rest_tolerance_mV out");
    check_ports(ports, group_);
    t_.synchronize();
    Part& part = t_.ports.add(ports, make);
    t_.stimuli.forget();
    plan_->forget_graphs();
    return part;
}

/// Rows of the gather on each shard: one for each output that has terms there, or, with `terms`,
/// one for each term, its weight left to the host.
template <class Real>
std::vector<ShardGather> CudaStepper<Real>::split(const Gather& g, bool terms) const
{
    struct Rows
    {
        std::vector<std::int64_t> first{0};
        std::vector<std::int32_t> slot;
        std::vector<float> weight;
        std::vector<std::size_t> output;
    };
    std::vector<Rows> rows(t_.shards.size());
    for (std::size_t k = 0; k < g.size(); ++k)
        for (auto i = at(g.first[k]); i < at(g.first[k + 1]); ++i) {
            const auto& p = t_.place.at(at(g.unknown[i]));
            auto& r = rows[at(p.part)];
            if (terms || r.output.empty() || r.output.back() != k) {
                r.output.push_back(terms ? i : k);
                r.first.push_back(r.first.back());
            }
            r.slot.push_back(p.slot);
            r.weight.push_back(terms ? 1.0F : g.weight[i]);
            ++r.first.back();
        }
    std::vector<ShardGather> out(t_.shards.size());
    for (std::size_t k = 0; k < t_.shards.size(); ++k) {
        const StreamRef s = t_.shards[k]->main;
        out[k] = {uploaded(rows[k].first, s), uploaded(rows[k].slot, s),
                  uploaded(rows[k].weight, s), std::move(rows[k].output)};
    }
    return out;
}

template <class Real>
void CudaStepper<Real>::set_probes(Gather probes, std::int64_t every_steps)
{
    t_.synchronize();
    auto parts = split(probes, true);
    probes_ = std::move(probes);
    probe_every_ = std::max<std::int64_t>(every_steps, 1);
    sample_steps_.clear();
    samples_.clear();
    row_steps_.clear();
    probe_rows_ = 0;
    probe_capacity_ = std::max<std::int64_t>(
        1, probe_values /
               std::max<std::int64_t>(1, static_cast<std::int64_t>(probes_.unknown.size())));
    for (std::size_t k = 0; k < t_.shards.size(); ++k) {
        State& s = *t_.shards[k];
        s.probes = std::move(parts[k]);
        s.probe_rows = Buffer<double>(at(probe_capacity_) * s.probes.output.size(), s.device);
    }
}

template <class Real>
void CudaStepper<Real>::sample()
{
    if (!t_.single())
        t_.synchronize();
    for (auto& s : t_.shards) {
        const Current here(s->device);
        const auto n = static_cast<std::int64_t>(s->probes.output.size());
        gather(s->main, s->vector(Vector::current, t_.parity()), s->probes.first.data(),
               s->probes.slot.data(), s->probes.weight.data(),
               s->probe_rows.data() + probe_rows_ * n, n);
    }
    row_steps_.push_back(t_.step);
    if (++probe_rows_ == probe_capacity_)
        drain_samples();
}

/// Fetches the rows and sums their terms in the order in which the caller gave them.
template <class Real>
void CudaStepper<Real>::drain_samples()
{
    std::vector<double> terms(at(probe_rows_) * probes_.unknown.size());
    t_.synchronize();
    for (auto& s : t_.shards) {
        const std::size_t n = s->probes.output.size();
        std::vector<double> rows(at(probe_rows_) * n);
        if (rows.empty())
            continue;
        const Current here(s->device);
        check(cudaMemcpyAsync(rows.data(), s->probe_rows.data(), rows.size() * sizeof(double),
                              cudaMemcpyDeviceToHost, StreamRef(s->main).handle),
              "cudaMemcpyAsync", s->device);
        s->main->synchronize();
        for (std::size_t r = 0; r < at(probe_rows_); ++r)
            for (std::size_t i = 0; i < n; ++i)
                terms[r * probes_.unknown.size() + s->probes.output[i]] = rows[r * n + i];
    }
    room_for(sample_steps_, row_steps_.size()); // rows whole, or none of them
    room_for(samples_, at(probe_rows_) * probes_.size());
    for (std::size_t r = 0; r < at(probe_rows_); ++r)
        for (std::size_t k = 0; k < probes_.size(); ++k) {
            double sum = 0;
            for (auto i = at(probes_.first[k]); i < at(probes_.first[k + 1]); ++i)
                sum +=
                    static_cast<double>(probes_.weight[i]) * terms[r * probes_.unknown.size() + i];
            samples_.push_back(sum);
        }
    sample_steps_.insert(sample_steps_.end(), row_steps_.begin(), row_steps_.end());
    row_steps_.clear();
    probe_rows_ = 0;
}

template <class Real>
void CudaStepper<Real>::take_samples(std::vector<std::int64_t>& steps, std::vector<double>& samples)
{
    drain_samples();
    steps = std::exchange(sample_steps_, {});
    samples = std::exchange(samples_, {});
}

template <class Real>
void CudaStepper<Real>::set_display(Gather display)
{
    t_.synchronize();
    auto parts = split(display, false);
    display_size_ = display.size();
    feed_.reset();
    std::size_t most = 0;
    for (std::size_t k = 0; k < t_.shards.size(); ++k) {
        State& s = *t_.shards[k];
        s.display = std::move(parts[k]);
        s.display_out = Buffer<float>(s.display.output.size(), s.device);
        most = std::max(most, s.display.output.size());
    }
    display_host_ = PinnedBuffer<float>(most, t_.shards[0]->device);
}

template <class Real>
void CudaStepper<Real>::display(std::span<float> out)
{
    if (!t_.single())
        t_.synchronize();
    const auto n = std::min(out.size(), display_size_);
    std::fill_n(out.begin(), n, 0.0F);
    for (auto& s : t_.shards) {
        const Current here(s->device);
        const auto rows = static_cast<std::int64_t>(s->display.output.size());
        gather(s->main, s->vector(Vector::current, t_.parity()), s->display.first.data(),
               s->display.slot.data(), s->display.weight.data(), s->display_out.data(), rows);
        s->display_out.download(display_host_.span().first(at(rows)), s->main);
        s->main->synchronize();
        for (std::size_t i = 0; i < at(rows); ++i)
            if (s->display.output[i] < n)
                out[s->display.output[i]] += display_host_.data()[i];
    }
}

template <class Real>
std::shared_ptr<DisplayFeed> CudaStepper<Real>::publish_display()
{
    if (!feed_) {
        std::vector<const std::vector<std::size_t>*> rows;
        for (const auto& s : t_.shards)
            rows.push_back(&s->display.output);
        feed_ = std::make_shared<CudaDisplayFeed>(display_size_, t_.shards[0]->device, rows);
    }
    const StreamRef main = t_.shards[0]->main;
    if (!t_.single())
        published_.record(main);
    float* out = feed_->begin(main);
    for (std::size_t k = 0; k < t_.shards.size(); ++k) {
        const State& s = *t_.shards[k];
        if (k > 0)
            s.main->wait(published_); // steps of all shards end on the first one's stream
        {
            const Current here(s.device);
            gather(s.main, s.vector(Vector::current, t_.parity()), s.display.first.data(),
                   s.display.slot.data(), s.display.weight.data(),
                   feed_->direct() ? out : s.display_out.data(),
                   static_cast<std::int64_t>(s.display.output.size()));
        }
        if (feed_->direct())
            continue;
        if (k > 0) {
            s.ended.record(s.main);
            main.wait(s.ended);
        }
        feed_->add(k, s.display_out.data(), main);
    }
    // no shard may step on before its part was read
    if (!t_.single()) {
        published_.record(main);
        for (std::size_t k = 1; k < t_.shards.size(); ++k)
            t_.shards[k]->main->wait(published_);
    }
    feed_->end(main, t_.step, t_.time_ms());
    return feed_;
}

template <class Real>
template <class T>
std::vector<std::vector<T>> CudaStepper<Real>::download(Buffer<T> State::*member) const
{
    t_.synchronize();
    std::vector<std::vector<T>> out;
    for (const auto& s : t_.shards) {
        const Current here(s->device);
        const auto& b = (*s).*member;
        out.emplace_back(b.size());
        b.download(out.back(), s->main);
        s->main->synchronize();
    }
    return out;
}

/// Values of every unknown, in the mesh's order. @param at  (shard, slot) -> index into the shard's
/// values
template <class Real>
template <class T, class At>
std::vector<double> CudaStepper<Real>::collect(const std::vector<std::vector<T>>& values,
                                               At index) const
{
    std::vector<double> out(t_.place.size());
    for (std::size_t u = 0; u < out.size(); ++u) {
        const auto shard = at(t_.place[u].part);
        out[u] = static_cast<double>(values[shard][index(shard, at(t_.place[u].slot))]);
    }
    return out;
}

namespace {
constexpr auto by_slot = [](std::size_t, std::size_t slot) { return slot; };
}

template <class Real>
void CudaStepper<Real>::potential(std::span<double> out) const
{
    t_.synchronize();
    if (potential_host_.empty())
        for (const auto& s : t_.shards)
            potential_host_.emplace_back(s->v[0].size(), s->device);
    for (std::size_t k = 0; k < t_.shards.size(); ++k) {
        const auto& s = *t_.shards[k];
        const Current here(s.device);
        s.v[t_.parity()].download(potential_host_[k].span(), s.main);
    }
    for (const auto& s : t_.shards)
        s->main->synchronize();
    for (std::size_t u = 0; u < std::min(t_.place.size(), out.size()); ++u) {
        const auto [part, slot] = t_.place[u];
        out[u] = static_cast<double>(potential_host_[at(part)].data()[slot]);
    }
}

/// Number k of the states of every unknown, in the mesh's order; 0 where its group has fewer.
template <class Real>
std::vector<double>
CudaStepper<Real>::numbers_of_states(const std::vector<std::vector<Real>>& states,
                                     std::size_t k) const
{
    std::vector<double> out(t_.place.size(), 0);
    for (std::size_t u = 0; u < out.size(); ++u) {
        const auto shard = at(t_.place[u].part), slot = at(t_.place[u].slot);
        const StateTiles& tiles = t_.shards[shard]->tiles;
        if (k < tiles.numbers_at(slot))
            out[u] = static_cast<double>(states[shard][tiles.at(k, slot)]);
    }
    return out;
}

template <class Real>
void CudaStepper<Real>::state(std::size_t state, std::span<double> out) const
{
    t_.synchronize();
    auto all = numbers_of_states(download(&State::states), state - 1);
    state_of_kept(state - 1, all);
    std::copy_n(all.begin(), std::min(all.size(), out.size()), out.begin());
}

template <class Real>
void CudaStepper<Real>::set_types(std::size_t group, std::span<const cell::CellType> types)
{
    check_types(groups_.at(group), types);
    t_.synchronize(); // nothing may still read the tables
    for (auto& s : t_.shards)
        s->set_types(group, types);
    plan_->set_types(group, types);
    plan_->types_changed();
    plan_->forget_graphs(); // they hold the constants of single types as arguments
    groups_[group].types.assign(types.begin(), types.end());
}

template <class Real>
Maps CudaStepper<Real>::maps() const
{
    if (!keeps_maps())
        return {};
    return {collect(download(&State::activation_ms), by_slot),
            collect(download(&State::repolarisation_ms), by_slot)};
}

template <class Real>
Snapshot CudaStepper<Real>::snapshot() const
{
    Snapshot s;
    s.step = t_.step;
    s.v.resize(t_.place.size());
    potential(s.v);
    const auto states = download(&State::states);
    s.states = places_.zeros();
    for (std::size_t k = 0; k < t_.first().tiles.most_numbers(); ++k)
        s.states[k] = places_.packed(k, numbers_of_states(states, k));
    save_kept(s.states);
    save_record(s);
    plan_->save(s);
    s.parts = t_.ports.snapshot();
    return s;
}

/// Without maps: as if they began here.
template <class Real>
void CudaStepper<Real>::save_record(Snapshot& s) const
{
    if (!keeps_maps()) {
        s.activation_ms.assign(s.v.size(), no_value<double>);
        s.repolarisation_ms = s.activation_ms;
        s.peak_mV.assign(s.v.size(), -1e3);
        s.rest_mV = s.v;
        return;
    }
    s.activation_ms = collect(download(&State::activation_ms), by_slot);
    s.repolarisation_ms = collect(download(&State::repolarisation_ms), by_slot);
    const auto phase = collect(download(&State::phase), by_slot);
    s.peak_mV = collect(download(&State::track), by_slot);
    s.rest_mV = collect(download(&State::rest), by_slot);
    for (std::size_t u = 0; u < phase.size(); ++u)
        if (phase[u] == 0) { // the track is the least potential so far
            s.rest_mV[u] = s.peak_mV[u];
            s.peak_mV[u] = -1e3;
        }
}

template <class Real>
void CudaStepper<Real>::restore(const Snapshot& s)
{
    halos_due_ = true; // of every process alike, whatever fails below
    check_shape(s, {t_.place.size(), places_.lengths(), plan_->longest_quiescent(),
                    t_.ports.sizes(), plan_->longest_implicit()});
    t_.synchronize();
    const auto ends = potential_at_ends(s);
    for (auto& shard : t_.shards) {
        State& d = *shard;
        const auto slots = at(d.host.slots);
        std::vector<Real> v(d.v[0].size(), Real(0)), states(d.states.size(), Real(0)),
            track(slots, Real(1e3)), rest(slots, Real(1e3));
        std::vector<double> activation(slots, 0), repolarisation(slots, 0);
        std::vector<std::uint8_t> phase(slots, 3);
        const auto stepped = at(d.host.stepped);
        std::fill(v.begin() + d.host.stepped, v.begin() + d.host.slots, no_value<Real>);
        for (auto* times : {&activation, &repolarisation})
            std::fill(times->begin() + d.host.stepped, times->end(), no_value<double>);
        std::size_t u = 0;
        for (std::size_t slot = 0; slot < stepped; ++slot) {
            const bool empty = d.host.old_of[slot] < 0; // as the cell before it, see ShardState
            if (!empty)
                u = at(d.host.old_of[slot]);
            v[slot] = static_cast<Real>(s.v[u]);
            for (std::size_t k = 0; k < d.tiles.numbers_at(slot); ++k)
                states[d.tiles.at(k, slot)] = static_cast<Real>(places_.of(s.states, k, u));
            if (empty)
                continue;
            activation[slot] = s.activation_ms[u];
            repolarisation[slot] = s.repolarisation_ms[u];
            const bool before = std::isnan(s.activation_ms[u]);
            phase[slot] = before ? 0 : std::isnan(s.repolarisation_ms[u]) ? 1 : 2;
            track[slot] =
                static_cast<Real>(before ? std::min(s.rest_mV[u], ends[u]) : s.peak_mV[u]);
            rest[slot] = static_cast<Real>(s.rest_mV[u]);
        }
        const Current here(d.device);
        d.v[0].upload(v, d.main);
        d.v[1].upload(v, d.main);
        for (const auto& x : d.scratch) // what rests is the same in all of them
            if (x.size())
                x.upload(v, d.main);
        d.states.upload(states, d.main);
        if (keeps_maps()) { // else the phases stay what they are
            d.activation_ms.upload(activation, d.main);
            d.repolarisation_ms.upload(repolarisation, d.main);
            d.phase.upload(phase, d.main);
            d.track.upload(track, d.main);
            d.rest.upload(rest, d.main);
        }
        *d.status_host.data() = {s.step, no_failure};
        d.status.upload(d.status_host.span(), d.main);
        d.main->synchronize();
    }
    restore_kept(s.states);
    plan_->restore(s);
    t_.ports.restore(s.parts);
    t_.step = t_.base = s.step;
    row_steps_.clear();
    sample_steps_.clear();
    samples_.clear();
    probe_rows_ = 0;
    t_.stimuli.forget();
}

template <class Real>
std::vector<KernelRecord> CudaStepper<Real>::kernels() const
{
    t_.synchronize();
    t_.profiler.read();
    auto out = plan_->kernels();
    if (const auto* link = t_.exchange.link())
        out.push_back(link->record());
    return out;
}

template <class Real>
std::string CudaStepper<Real>::device() const
{
    std::string text;
    for (const auto& s : t_.shards) {
        cudaDeviceProp p{};
        check(cudaGetDeviceProperties(&p, s->device), "cudaGetDeviceProperties", s->device);
        text += (text.empty() ? "" : " + ") + std::string(p.name) +
                " (cuda:" + std::to_string(s->device) + ")";
    }
    return text;
}

template <class Real>
std::string CudaStepper<Real>::meet_others()
{
    return t_.exchange.meet_others();
}

template class CudaStepper<double>;
template class CudaStepper<float>;

} // namespace tawara::device::cuda
