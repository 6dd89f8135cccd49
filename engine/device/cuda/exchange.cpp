// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/exchange.cuh"

namespace tawara::device::cuda {

template <class Real>
void Exchange<Real>::to_halos(const ShardState<Real>& s, Vector what, int parity) const
{
    const Current here(s.device);
    if (link_)
        return link_->give(s.outward, s.vector(what, parity));
    Peers<Real> peers;
    peers.from = s.sent_slots.data();
    for (const auto& to : s.host.sends) {
        if (peers.count == Peers<Real>::most) {
            send(s.outward, s.vector(what, parity), peers);
            peers.first[0] = peers.first[peers.count];
            peers.count = 0;
        }
        peers.to[peers.count] = shards_[to.part]->vector(what, parity) + to.to;
        peers.first[peers.count + 1] =
            peers.first[peers.count] + static_cast<std::int32_t>(to.from.size());
        ++peers.count;
    }
    if (peers.count)
        send(s.outward, s.vector(what, parity), peers);
}

template <class Real>
void Exchange<Real>::from_others(Vector what, int parity) const
{
    if (!link_)
        return;
    const auto& s = *shards_[0];
    const Current here(s.device);
    link_->take(s.outward, s.vector(what, parity) + s.host.slots);
    s.sent.record(s.outward);
}

template <class Real>
void Exchange<Real>::all_halos(Vector what, int parity) const
{
    for (const auto& s : shards_)
        to_halos(*s, what, parity);
    from_others(what, parity);
    synchronize();
}

template <class Real>
void Exchange<Real>::to_halos_after_main(Vector what, int parity) const
{
    if (single())
        return;
    for (const auto& s : shards_) {
        s->main_done.record(s->main);
        s->outward->wait(s->main_done);
        to_halos(*s, what, parity);
        s->sent.record(s->outward);
    }
}

template <class Real>
void Exchange<Real>::fork() const
{
    if (single())
        return;
    forked_.record(shards_[0]->main);
    for (const auto& s : shards_) {
        if (s != shards_[0])
            s->main->wait(forked_);
        s->outward->wait(forked_);
        s->main_done.record(s->main);
        s->separator_done.record(s->outward);
        s->sent.record(s->outward);
    }
}

template <class Real>
void Exchange<Real>::join() const
{
    if (single())
        return;
    for (const auto& s : shards_) {
        for (const auto& o : shards_) {
            s->main->wait(o->main_done);
            s->main->wait(o->sent);
        }
        const Current here(s->device);
        for (const auto& o : shards_)
            if (o != s)
                share_failure(s->main, s->status.data(), o->status.data());
        s->ended.record(s->main);
    }
    for (const auto& s : shards_)
        shards_[0]->main->wait(s->ended);
}

template <class Real>
void Exchange<Real>::synchronize() const
{
    for (const auto& s : shards_) {
        s->main->synchronize();
        s->outward->synchronize();
    }
}

template class Exchange<double>;
template class Exchange<float>;

} // namespace tawara::device::cuda
