// SPDX-License-Identifier: GPL-3.0-or-later
// Changes of tissue while a run goes on: parameters at the next step, the rest prepared beside the
// run.
#include "engine/cell/special_variables.hpp"
#include "engine/simulation/live/engine_impl.hpp"
#include "engine/simulation/results/model_digests.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/notice_kinds.hpp"
#include "engine/simulation/session/purkinje_keys.hpp"
#include "engine/simulation/tissue/dyad_cells.hpp"
#include "engine/simulation/tissue/prepacing.hpp"
#include "engine/simulation/tissue/purkinje.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

namespace tawara::simulation {
namespace {

/// Whether the text is said already.
bool has_text(const Notices& notices, const std::string& text)
{
    return std::any_of(notices.begin(), notices.end(),
                       [&](const Notice& n) { return n.text == text; });
}

Notice tissue_notice(const std::vector<TissueEdit>& edits)
{
    constexpr std::size_t most_times = 3;
    std::string when;
    const auto n = edits.size();
    for (std::size_t k = n > most_times ? n - most_times : 0; k < n; ++k)
        when += (when.empty() ? "" : k + 1 < n ? ", " : " and ") + number_text(edits[k].time_ms, 6);
    std::string text = "The tissue was changed ";
    if (n > most_times)
        text += std::to_string(n) + " times, the last times ";
    text += "at " + when + " ms. ";
    text += n > 1 ? "Results before each change belong to the tissue at that time"
                  : "Results before the change belong to the tissue before it";
    return {Notice::Level::warning, text, notice_kind::tissue_changed};
}

/// The model files of both that have another text since, in words; empty: none.
std::string read_anew(const device::TissueProblem& now, const device::TissueProblem& next)
{
    std::set<std::string> files;
    for (const auto& a : now.groups)
        for (const auto& b : next.groups)
            if (const auto& x = a.types.front(), &y = b.types.front();
                x.model == y.model && !cell::same_model(x, y))
                files.insert(std::filesystem::path(cell::path_of(x.model)).filename().string());
    std::string words;
    for (const auto& f : files)
        words += (words.empty() ? "" : ", ") + f + " read anew";
    return words;
}

} // namespace

bool forget_tissue_change(Scene& scene)
{
    const auto edits = std::exchange(scene.tissue_edits, {});
    return remove_kind(scene.notices, notice_kind::tissue_changed) && !edits.empty();
}

void Engine::Impl::note_tissue_change(const Session& fresh, const std::string& read)
{
    const auto step = sim->simulation.step();
    if (step == 0)
        return;
    auto scene = std::make_shared<Scene>(*sim->scene);
    auto& stepped = sim->stepped;
    if (stepped.step != step)
        stepped = {step, scene->session, scene->tissue_edits, {}};
    if (!read.empty() && stepped.read.find(read) == std::string::npos)
        stepped.read += (stepped.read.empty() ? "" : ", ") + read;
    forget_tissue_change(*scene);
    scene->tissue_edits = stepped.edits;
    auto what = stepped.read;
    if (const auto network = purkinje_difference(stepped.before, fresh); !network.empty())
        what += (what.empty() ? "" : ", ") + network;
    const auto& before = stepped.before;
    if (fresh.regions != before.regions || fresh.drugs != before.drugs)
        what += (what.empty() ? "" : ", ") +
                tissue_difference(before.regions, before.drugs, fresh.regions, fresh.drugs);
    if (!what.empty())
        scene->tissue_edits.push_back(
            {static_cast<double>(step) * sim->tissue().problem.dt_ms, what});
    if (!scene->tissue_edits.empty())
        scene->notices.push_back(tissue_notice(scene->tissue_edits));
    sim->scene = scene;
}

void Engine::Impl::drop_change(const Refusal& reason)
{
    if (!changing)
        return;
    changing->request_stop();
    changing.reset();
    changing_to.reset();
    changing_network = false;
    {
        std::lock_guard hold(status_mutex);
        status.changing_tissue = false;
    }
    answer(changing_command, reason);
}

void Engine::Impl::apply(std::uint64_t id, const SetTissue& c)
{
    if (!sim)
        return answer(id, "nothing is loaded");
    if (c.regions.empty())
        return answer(id, "a tissue needs at least one region");
    Session session = wanted_session();
    const bool with_network = changing_network;
    drop_change("a newer change of the tissue took its place");
    const auto before = session.regions;
    session.regions = c.regions;
    session.drugs = c.drugs;
    session.prepacing = c.prepacing.value_or(session.prepacing);
    sim->pacing_due = sim->pacing_due || session.prepacing.beats > 0 || sim->tissue().prepaced;
    try {
        if (!with_network && same_places(before, c.regions) &&
            update_types(session, sim->tissue())) {
            for (std::size_t g = 0; g < sim->tissue().problem.groups.size(); ++g)
                sim->stepper().set_types(g, sim->tissue().problem.groups[g].types);
            sim->analyst->silent(silent_tissue(session, sim->tissue()));
            note_tissue_change(session, {});
            edited(std::move(session));
            return answer(id);
        }
    } catch (const std::exception& e) {
        return answer(id, e);
    }
    if (state == Status::State::failed)
        return answer(id, "the run failed; reset it first");
    prepare_tissue(id, std::move(session));
}

void Engine::Impl::prepare_tissue(std::uint64_t id, Session session)
{
    changing = std::make_shared<std::stop_source>();
    changing_command = id;
    const auto network = network_change(session);
    changing_network = network != TissueChange::Network::stays;
    changing_to = session;
    {
        std::lock_guard hold(status_mutex);
        status.changing_tissue = true;
    }
    auto change = std::make_shared<TissueChange>();
    change->command = id;
    change->network = network;
    const auto& now = sim->scene->session;
    change->cells_stay = changing_network && network != TissueChange::Network::replaces &&
                         session.regions == now.regions && session.drugs == now.drugs &&
                         session.prepacing == now.prepacing;
    change->session = std::move(session);
    const auto token = changing;
    const Tissue* present =
        &sim->tissue(); // its mesh and neighbours do not change while the worker reads them
    in_background(
        [this, change, token, present, of = sim->tissue().network,
         asked =
             device::StepperOptions{sim->devices, sim->precision, options.threads, {}, sim->maps}](
            const std::stop_token& stop) {
            const std::stop_callback also(stop, [token] { token->request_stop(); });
            Progress progress{{}, token->get_token(), options.context};
            auto last = std::make_shared<EngineClock::time_point>();
            progress.report = [this, token, last](double fraction, std::string_view stage) {
                if (seconds(EngineClock::now() - *last) < 0.05)
                    return;
                *last = EngineClock::now();
                std::lock_guard hold(queue_mutex);
                finished.emplace_back([this, token, fraction, text = std::string(stage)] {
                    if (changing == token)
                        push(Loading{fraction, text});
                });
                wake.notify_all();
            };
            change->tissue.network = of;
            try {
                build_change(*change, *present, asked, progress);
            } catch (const Cancelled&) {
                change->refused = Refusal::cancel("was cancelled");
            } catch (const std::bad_alloc&) {
                change->refused = "not enough memory for a second tissue beside the one that runs";
            } catch (const std::exception& e) {
                change->refused = e;
            }
            return [this, change, token] {
                if (changing == token)
                    adopt_tissue(*change);
            };
        });
}

void Engine::Impl::build_change(TissueChange& c, const Tissue& present,
                                const device::StepperOptions& asked, const Progress& progress) const
{
    Tissue& t = c.tissue;
    t.mesh = present.mesh;
    t.neighbours = present.neighbours;
    t.surface = present.surface;
    t.locator = present.locator;
    t.stars = present.stars;
    t.mesh_title = present.mesh_title;
    make_problem(c.session, t, progress);
    for (std::size_t k = 0; k < c.session.stimuli.size(); ++k) // still has cells
        (void)unknowns_in(t, c.session.stimuli[k].region, c.session.name,
                          "/stimuli/" + std::to_string(k) + "/region");
    build_network(c, progress);
    if (c.cells_stay)
        return;
    const auto said = t.notices.size();
    const auto on = options_with(t.network.get(), asked, &t.notices);
    need_memory_for_dyads(t.problem, on);
    c.stepper = device::make_stepper(t.problem, on, progress, &t.notices);
    for (auto k = said; k < t.notices.size(); ++k)
        t.notices[k].kind = notice_kind::tissue; // they go with it
}

std::vector<std::size_t> Engine::Impl::switched_probes(const device::TissueProblem& next) const
{
    constexpr double least_weight = 1e-3; // a vertex that rounding alone gives some is not under it
    const auto& now = sim->tissue().problem;
    const auto switched = [&](std::size_t u) {
        if (!now.has_cells(u) || !next.has_cells(u))
            return now.has_cells(u) != next.has_cells(u);
        return !device::same_cells(now.groups[now.group[u]], next.groups[next.group[u]]);
    };
    const auto under = probe_weights(sim->tissue(), traces.sampled_probes(), sim->scene->title);
    std::vector<std::size_t> out;
    for (std::size_t p = 0; p < under.size(); ++p)
        for (auto k = static_cast<std::size_t>(under.first[p]);
             k < static_cast<std::size_t>(under.first[p + 1]); ++k)
            if (std::abs(under.weight[k]) >= least_weight &&
                switched(static_cast<std::size_t>(under.unknown[k]))) {
                out.push_back(p);
                break;
            }
    return out;
}

std::string Engine::Impl::take_over(TissueChange& c)
{
    if (c.cells_stay) {
        sim->simulation.change_network(c.changed);
        return {};
    }
    auto read = read_anew(sim->tissue().problem, c.tissue.problem);
    const auto switched = switched_probes(c.tissue.problem);
    auto display = display_weights(c.tissue); // other tissue may insulate now
    c.stepper->set_display(display);
    const auto kernels = kernels_of_run();
    sim->simulation.replace(std::move(c.tissue), std::move(c.stepper),
                            c.network == TissueChange::Network::replaces);
    if (c.changed)
        sim->simulation.change_network(c.changed);
    sim->display = std::move(display);
    other_kernels = kernels;
    sim->pacing->move_to_new_stepper();
    traces.models_switched(switched);
    sim->simulation.plan_samples();
    sim->analyst->conductivities(sim->tissue().patches);
    sim->analyst->silent(silent_tissue(c.session, sim->tissue()));
    return read;
}

void Engine::Impl::adopt_tissue(TissueChange& c)
{
    changing.reset();
    changing_to.reset();
    changing_network = false;
    {
        std::lock_guard hold(status_mutex);
        status.changing_tissue = false;
    }
    std::string read;
    const auto said = c.tissue.notices;
    if (c.refused.line.empty()) {
        try {
            read = take_over(c);
        } catch (const std::exception& e) {
            c.refused = e;
        }
    }
    if (!c.refused.line.empty())
        return answer(c.command, c.refused);
    auto scene = std::make_shared<Scene>(*sim->scene);
    if (!c.cells_stay)
        remove_kind(scene->notices, notice_kind::tissue); // of the tissue before
    if (c.network != TissueChange::Network::stays)
        remove_kind(scene->notices, notice_kind::network);
    for (const auto& n : said)
        if ((!c.cells_stay || n.kind != notice_kind::tissue) && !has_text(scene->notices, n.text))
            scene->notices.push_back(n);
    scene->tuned = sim->tissue().patches.tuned;
    scene->device = device_text(sim->stepper(), sim->precision);
    scene->precision = sim->precision;
    scene->on_cpu = sim->stepper().ceiling_device().kind == device::Devices::Kind::cpu;
    sim->scene = scene;
    note_tissue_change(c.session, read);
    show_network();
    // Stimuli, ends and the like may have been edited meanwhile.
    Session session = sim->scene->session;
    session.regions = c.session.regions;
    session.drugs = c.session.drugs;
    session.prepacing = c.session.prepacing;
    session.purkinje = c.session.purkinje;
    session.rest_where_possible = c.session.rest_where_possible;
    edited(std::move(session));
    push(Loading{1, "tissue changed"});
    answer(c.command);
}

bool Engine::Impl::pace_cells(std::uint64_t id)
{
    if (!sim->pacing_due || sim->simulation.step() > 0)
        return true;
    {
        std::lock_guard hold(queue_mutex);
        loading = std::stop_source();
    }
    Refusal refused;
    set_state(Status::State::loading);
    try {
        prepace(sim->scene->session, sim->tissue(), loading_progress());
        sim->stepper().restore(sim->simulation.first_state());
        sim->pacing_due = false;
        show_start();
    } catch (const Cancelled&) {
        refused = Refusal::cancel("pacing the cells before the run was cancelled");
    } catch (const std::exception& e) {
        refused = e;
    }
    if (!refused.line.empty()) {
        set_state(Status::State::paused);
        answer(id, refused);
        return false;
    }
    auto scene = std::make_shared<Scene>(*sim->scene);
    remove_kind(scene->notices, notice_kind::prepaced);
    if (sim->tissue().prepaced)
        scene->notices.push_back(*sim->tissue().prepaced);
    sim->scene = scene;
    push(SceneChanged{scene});
    return true;
}

void Engine::Impl::edited(Session session)
{
    auto scene = std::make_shared<Scene>(*sim->scene);
    scene->models_sha256 = model_digests(sim->tissue(), session.folder);
    scene->session = std::move(session);
    sim->scene = scene;
    push(SceneChanged{scene});
}

} // namespace tawara::simulation
