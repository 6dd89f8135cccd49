// SPDX-License-Identifier: GPL-3.0-or-later
// The Purkinje network of a run that goes on: cuts at the next step, other networks prepared beside
// the run.
#include "engine/simulation/live/engine_impl.hpp"
#include "engine/simulation/session/purkinje_keys.hpp"
#include "engine/simulation/tissue/purkinje.hpp"

namespace tawara::simulation {
namespace {

/// Whether the resistance of the junctions has to be searched for.
bool searches(const Session& before, const Session& now)
{
    const double wanted = now.purkinje->antegrade_ms;
    return wanted > 0 && wanted != before.purkinje->antegrade_ms;
}

} // namespace

void Engine::Impl::apply(std::uint64_t id, const SetPurkinje& c)
{
    if (!sim)
        return answer(id, "nothing is loaded");
    const bool waits = changing != nullptr;
    Session session = wanted_session();
    session.purkinje = c.keys;
    if (c.keys->wanted && session.rest_tolerance_mV > 0)
        session.rest_where_possible = true; // the tissue cannot rest with it, which is said
    const auto& present = sim->scene->session;
    if (!waits && same_purkinje_tree(present, session) && !searches(present, session)) {
        try {
            if (session.purkinje->wanted)
                sim->simulation.change_network(changed_network(*sim->tissue().network, session));
        } catch (const std::exception& e) {
            return answer(id, e);
        }
        note_tissue_change(session, {});
        show_network();
        edited(std::move(session));
        return answer(id);
    }
    drop_change("a newer change of the network took its place");
    if (state == Status::State::failed)
        return answer(id, "the run failed; reset it first");
    prepare_tissue(id, std::move(session));
}

void Engine::Impl::apply(std::uint64_t id, const CancelChange&)
{
    drop_change(Refusal::cancel("was cancelled"));
    answer(id);
}

TissueChange::Network Engine::Impl::network_change(const Session& next) const
{
    using Network = TissueChange::Network;
    const auto& present = sim->scene->session;
    return same_purkinje(present, next)         ? Network::stays
           : !same_purkinje_tree(present, next) ? Network::replaces
           : searches(present, next)            ? Network::searches
                                                : Network::changes;
}

void Engine::Impl::build_network(TissueChange& c, const Progress& progress)
{
    using Network = TissueChange::Network;
    const auto before = c.tissue.network;
    if (c.network == Network::replaces)
        c.tissue.network = make_network(c.session, c.tissue, progress);
    else if (c.network == Network::searches)
        c.changed = searched_network(*before, c.session, c.tissue, progress);
    else if (c.network == Network::changes && before)
        c.changed = changed_network(*before, c.session);
}

void Engine::Impl::show_network()
{
    auto scene = std::make_shared<Scene>(*sim->scene);
    const auto& network = sim->tissue().network;
    if (!network)
        scene->network = nullptr;
    else if (scene->network && scene->network->network->made == network->made)
        scene->network = with_network(*scene->network, network);
    else
        scene->network = shape_of(network);
    sim->scene = scene;
    recorder.set_network(scene->network);
    if (state == Status::State::running)
        return;
    frame_step = -1; // nothing else would make another frame
    publish_frame(true);
}

} // namespace tawara::simulation
