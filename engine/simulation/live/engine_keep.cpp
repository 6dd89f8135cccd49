// SPDX-License-Identifier: GPL-3.0-or-later
// The state as it is now, kept in a file beside the run.
#include "engine/core/memory.hpp"
#include "engine/simulation/live/engine_impl.hpp"
#include "engine/simulation/results/checkpoint_room.hpp"
#include "engine/simulation/session/size_text.hpp"

#include <string>
#include <utility>

namespace tawara::simulation {
namespace {

/// Why a state of that size has no room; empty: it has.
std::string no_room(double bytes, const KeepState& c)
{
    const std::string takes = "the state takes up to " + size_text(bytes);
    if (c.most_bytes > 0 && bytes > c.most_bytes)
        return takes + ", and at most " + size_text(c.most_bytes) + " are to be kept";
    // one copy is in memory until it is written
    if (const double there = available_memory_bytes(); there > 0 && bytes > there / 2)
        return takes + " of memory, of which " + size_text(there) + " are free";
    // packed it is seldom smaller than half
    if (const double there = disk_left_bytes(c.file.parent_path()); there >= 0 && bytes / 2 > there)
        return takes + ", and the disk of " + c.file.parent_path().string() + " has room for " +
               size_text(there);
    return {};
}

} // namespace

Checkpoint Engine::Impl::checkpoint_now()
{
    const auto& session = sim->scene->session;
    Checkpoint c;
    c.fingerprint = fingerprint(sim->tissue().problem, session, sim->precision);
    c.state = sim->stepper().snapshot();
    c.probes_of = probes_print(session.probes);
    c.maps_from_ms = sim->stepper().keeps_maps() ? sim->maps_from_ms : sim->simulation.time_ms();
    c.threshold_mV = session.activation_threshold_mV;
    c.pulses = sim->pacing->known();
    c.layout = layout_print(sim->tissue().problem, *sim->tissue().mesh);
    c.branches = sim->scene->tissue_edits;
    return c;
}

void Engine::Impl::apply(std::uint64_t id, const KeepState& c)
{
    if (!sim)
        return answer(id, "nothing is loaded");
    if (state == Status::State::failed)
        return answer(id, "the run failed, and its state is not kept");
    if (sim->simulation.step() == 0)
        return answer(id, "nothing is computed yet");
    if (changing)
        return answer(id, "the tissue is being changed");
    if (keeping && keeping->load())
        return answer(id, "another state is being written");
    const double bytes = checkpoint_bytes(sim->tissue().problem, sim->precision);
    if (const auto why = no_room(bytes, c); !why.empty())
        return answer(id, why);
    auto kept = std::make_shared<Checkpoint>(checkpoint_now());
    keeping = std::make_shared<std::atomic<bool>>(true);
    auto write = [this, kept, busy = keeping,
                  said = StateKept{id, c.file, sim->simulation.time_ms(), {}}](
                     const std::stop_token&) mutable -> std::function<void()> {
        try {
            write_checkpoint(*kept, said.file);
        } catch (const std::exception& e) {
            said.error = text_of(e);
        }
        kept.reset();
        *busy = false;
        return [this, said] { push(said); };
    };
    try {
        in_background(std::move(write));
    } catch (const std::exception& e) { // no thread for it
        *keeping = false;
        return answer(id, text_of(e));
    }
    answer(id);
}

} // namespace tawara::simulation
