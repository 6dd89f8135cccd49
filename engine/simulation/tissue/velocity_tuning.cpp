// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/velocity_tuning.hpp"

#include "engine/cell/numerics_error.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/notice_kinds.hpp"
#include "engine/simulation/session/session_keys.hpp"
#include "engine/simulation/tissue/conductivity_search.hpp"
#include "engine/simulation/tissue/joint_search.hpp"
#include "engine/simulation/tissue/tuning_store.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <tuple>

namespace tawara::simulation {
namespace {

using diffusion::Conductivity;

constexpr double Conductivity::*sigma_along[]{&Conductivity::fibre, &Conductivity::sheet,
                                              &Conductivity::normal};
constexpr double ConductionVelocity::*velocity_along[]{
    &ConductionVelocity::fibre, &ConductionVelocity::sheet, &ConductionVelocity::normal};

constexpr const char* stage = "finding conductivities for the wanted velocities";
constexpr double enough = 0.5 * tuning_tolerance;
constexpr int wide = 4; // a narrower bar's sides count: in fvm up to 1.5 %

/// An edge to five figures: the mean of a mesh's differs by compiler in the last ones.
mesh::Grain rounded(const mesh::Grain& g)
{
    double edge = g.edge_mm;
    const std::string text = number_text(edge, 5);
    std::from_chars(text.data(), text.data() + text.size(), edge);
    return {edge, g.even};
}

/// A region's directions, each searched for on a thread of its own.
class Tuner
{
  public:
    Tuner(const Session& s, const Region& r, const mesh::Grain& grain, const Progress& p)
        : session_(s), region_(r), wanted_(*r.velocity_m_per_s), grain_(grain), progress_(p)
    {
        session_.drugs.clear();
        region_.velocity_m_per_s.reset();
        region_.conductivity_scale = {};
        region_.scale.clear();
        for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t j = 0; j <= k; ++j)
                if (wanted(j) == wanted(k)) {
                    like_[k] = j;
                    break;
                }
    }

    TunedConductivity tuned()
    {
        TunedConductivity out;
        out.wanted = wanted_;
        out.edge_mm = grain_.edge_mm;
        out.even = grain_.even;
        out.on_fine_S_per_m = on_fine();
        const Conductivity floor = grain_.even ? Conductivity{} : part_of(out.on_fine_S_per_m);
        for (std::size_t k = 0; k < 3; ++k)
            sigma_.*sigma_along[k] = first_guess(k, out.on_fine_S_per_m, floor);
        if (!together(floor))
            in_turn(floor);
        out.conductivity_S_per_m = sigma_;
        for (std::size_t k = 0; k < 3; ++k)
            out.reached.*velocity_along[k] = reached_[like_[k]];
        out.strips = strips_;
        return out;
    }

  private:
    double wanted(std::size_t k) const { return wanted_.*velocity_along[k]; }

    /// Velocities on a fine mesh go with the root of the conductivity, by any model.
    Conductivity on_fine()
    {
        progress_.at(0, stage);
        region_.conductivity_S_per_m = tissue_S_per_m;
        const double v = velocity_on_fine(session_, region_, 0, {{}, progress_.stop});
        if (!(v > 0))
            throw InputError(no_velocity_file,
                             "no wave runs in tissue of " + region_.model +
                                 " with these parameters, on any mesh; give "
                                 "conductivity_S_per_m in place of velocity_m_per_s");
        Conductivity out;
        for (std::size_t k = 0; k < 3; ++k) {
            const double ratio = wanted(k) / v;
            out.*sigma_along[k] = rounded_conductivity(tissue_S_per_m.fibre * ratio * ratio);
        }
        return out;
    }

    /// In uneven tetrahedra waves across the fibres are carried by the conductivity along them,
    /// too, the more the coarser the mesh is: to a velocity below which no conductivity across
    /// brings them. They are taken as they are with a tenth of a fine mesh's.
    static Conductivity part_of(const Conductivity& fine)
    {
        constexpr double part = 0.1;
        return {part * fine.fibre, part * fine.sheet, part * fine.normal};
    }

    /// What meshes of that grain want about, by what was found on many.
    double first_guess(std::size_t k, const Conductivity& fine, const Conductivity& floor) const
    {
        constexpr double power = 0.9, coarse = 4, carried = 0.4;
        const double widths = grain_.edge_mm / front_width_mm(session_, fine.*sigma_along[k]);
        const double fastest = std::max({wanted(0), wanted(1), wanted(2)});
        const double sigma = !grain_.even && widths > coarse && wanted(k) < carried * fastest
                                 ? floor.*sigma_along[k]
                                 : std::pow(std::max(1.0, widths), power) * fine.*sigma_along[k];
        return rounded_conductivity(std::clamp(sigma, least_tuned_S_per_m, most_tuned_S_per_m));
    }

    /// All directions at once, each strip on a thread of its own.
    /// @return false: in turn they may be found, or why not
    bool together(const Conductivity& floor)
    {
        std::vector<std::size_t> own; // directions with a velocity of their own
        for (std::size_t k = 0; k < 3; ++k)
            if (like_[k] == k)
                own.push_back(k);
        std::vector<double> sigma, target, least;
        for (const auto k : own) {
            sigma.push_back(sigma_.*sigma_along[k]);
            target.push_back(wanted(k));
            least.push_back(floor.*sigma_along[k]);
        }
        JointSearch search([&](const auto& at) { return velocities(own, at); }, target, least);
        const auto found = search.from(sigma, enough);
        spread(own, search.last());
        for (std::size_t n = 0; found && n < own.size(); ++n)
            reached_[own[n]] = (*found)[n].velocity;
        return found.has_value();
    }

    /// Conductivities of directions, and of those with the same velocity.
    void spread(const std::vector<std::size_t>& own, const std::vector<double>& sigma)
    {
        for (std::size_t n = 0; n < own.size(); ++n)
            for (std::size_t k = 0; k < 3; ++k)
                if (like_[k] == own[n])
                    sigma_.*sigma_along[k] = sigma[n];
    }

    std::vector<double> velocities(const std::vector<std::size_t>& own,
                                   const std::vector<double>& sigma)
    {
        constexpr double usual = 18; // strips in all
        spread(own, sigma);
        Region r = region_;
        r.conductivity_S_per_m = sigma_;
        std::vector<std::future<double>> at;
        for (const auto k : own)
            at.push_back(std::async(std::launch::async, [this, &r, k] { return velocity(r, k); }));
        for (auto& a : at)
            while (a.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready)
                progress_.at(std::min(0.95, strips_.load() / usual), stage);
        std::vector<double> v;
        for (auto& a : at)
            v.push_back(a.get());
        return v;
    }

    /// One direction after the other, until none moves: what is not found so is out of reach.
    void in_turn(const Conductivity& floor)
    {
        constexpr int most_turns = 8;
        constexpr double still = 1.005;
        double near = tuning_tolerance;
        for (int turn = 0; turn < most_turns; ++turn) {
            bool moved = false;
            for (std::size_t k = 0; k < 3; ++k) {
                progress_.at(std::min(0.95, strips_.load() / 60.0), stage);
                double& sigma = sigma_.*sigma_along[k];
                const double before = sigma;
                if (like_[k] == k) {
                    const auto p = search_along(k, floor.*sigma_along[k], near);
                    sigma = p.sigma;
                    reached_[k] = p.velocity;
                } else
                    sigma = sigma_.*sigma_along[like_[k]];
                moved |= std::max(sigma / before, before / sigma) > still;
            }
            if (!moved)
                break;
            near = enough;
        }
    }

    /// As a strip with such conductivities had it, or else in a new one.
    double velocity(const Region& r, std::size_t k)
    {
        const auto& c = r.conductivity_S_per_m;
        const std::tuple strip{k, c.fibre, c.sheet, c.normal};
        ++strips_;
        {
            const std::lock_guard hold(known_mutex_);
            if (const auto found = known_.find(strip); found != known_.end())
                return found->second;
        }
        constexpr double counts_as_none = 0.3; // of the wanted velocity: saves its time
        const double v = velocity_on_mesh(session_, r, k, grain_, {{}, progress_.stop},
                                          counts_as_none * wanted(k), wide);
        const std::lock_guard hold(known_mutex_);
        return known_[strip] = v;
    }

    SearchedPoint search_along(std::size_t k, double floor_S_per_m, double near)
    {
        Region r = region_;
        r.conductivity_S_per_m = sigma_;
        const auto measure = [&](double sigma) {
            for (std::size_t j = 0; j < 3; ++j)
                if (like_[j] == k)
                    r.conductivity_S_per_m.*sigma_along[j] = sigma;
            return velocity(r, k);
        };
        return ConductivitySearch(measure, wanted(k), k, grain_.edge_mm, floor_S_per_m)
            .from(sigma_.*sigma_along[k], near);
    }

    Session session_;
    Region region_;
    ConductionVelocity wanted_;
    mesh::Grain grain_;
    const Progress& progress_;
    std::array<std::size_t, 3> like_{}; ///< the first direction with the same velocity
    Conductivity sigma_;
    std::array<double, 3> reached_{};
    std::map<std::tuple<std::size_t, double, double, double>, double> known_;
    std::mutex known_mutex_;
    std::atomic<int> strips_{0};
};

/// Of two threads that want the same, one finds it: the window's estimate and its engine.
std::shared_ptr<std::timed_mutex> turn_of(const std::string& key)
{
    static std::mutex mutex;
    static std::map<std::string, std::weak_ptr<std::timed_mutex>> turns;
    const std::lock_guard hold(mutex);
    std::erase_if(turns, [](const auto& t) { return t.second.expired(); });
    auto& kept = turns[key];
    auto turn = kept.lock();
    if (!turn)
        kept = turn = std::make_shared<std::timed_mutex>();
    return turn;
}

std::string pointer(std::size_t region)
{
    return "/tissue/regions/" + std::to_string(region) + "/velocity_m_per_s";
}

/// A fresh session but for the keys that act on the steps of a tissue: those that a run which goes
/// on from a checkpoint needs the same (Key::Fixed).
Session with_steps_of(const Session& from)
{
    Session s;
    for (const Key& key : session_keys())
        if (key.also.fixed != Key::Fixed::no && key.member.of(typeid(Session)))
            key.member.set(&s, key.member.get(&from));
    s.reaction = from.reaction; // its row has no member
    return s;
}

} // namespace

bool of_velocity(const InputError& e)
{
    return e.file == no_velocity_file;
}

TunedConductivity find_conductivity(const Session& session, const Region& region,
                                    const mesh::Grain& grain, const Progress& progress)
{
    return Tuner(session, region, rounded(grain), progress).tuned();
}

TunedConductivity tune_conductivity(const Session& session, const Region& region,
                                    const mesh::Grain& of_mesh, const Progress& progress)
{
    const auto grain = rounded(of_mesh);
    if (region.inherits() || !region.velocity_m_per_s)
        throw InputError(no_velocity_file, "a region without a model has no velocity of its own");
    if (!(grain.edge_mm > 0) || !std::isfinite(grain.edge_mm))
        throw InputError(no_velocity_file, "the edge length must be positive");
    const auto key = tuning_key(session, region, grain);
    const auto known = [&] {
        auto kept = kept_tuning(key);
        if (kept)
            kept->even = grain.even; // it is in the key
        return kept;
    };
    if (auto kept = known())
        return *kept;
    const auto turn = turn_of(key);
    while (!turn->try_lock_for(std::chrono::milliseconds(50)))
        progress.at(0, stage);
    const std::lock_guard hold(*turn, std::adopt_lock);
    if (auto kept = known()) // another thread has just found it
        return *kept;
    if (const auto why = kept_failure(key))
        throw InputError(no_velocity_file, *why);
    try {
        const auto found = find_conductivity(session, region, grain, progress);
        keep_tuning(key, found);
        return found;
    } catch (const InputError& e) {
        if (of_velocity(e))
            keep_failure(key, e.reason);
        throw;
    }
}

std::string tuning_key(const Session& session, const Region& region, const mesh::Grain& of_mesh)
{
    const auto grain = rounded(of_mesh);
    Session s = with_steps_of(session);
    s.name = grain.even ? "strip" : "uneven strip";
    s.mesh = MeshSlab{{grain.edge_mm, grain.edge_mm, grain.edge_mm}, grain.edge_mm};
    s.activation_threshold_mV = std::min(session.activation_threshold_mV, -20.0); // as wave_along()
    Region r = region;
    r.labels.clear();
    r.where.reset();
    r.name.clear();
    r.kind.clear();
    r.scale.clear();
    r.conductivity_scale = {};
    r.insulating = false;
    s.regions = {r};
    return std::to_string(cell::text_digest(cell::make_cell_type(r.model, r.variant, {}, {}))) +
           " " + to_json(s);
}

std::vector<Tuning> tune_all(const Session& session, std::span<const Region* const> regions,
                             const mesh::Grain& grain, const Progress& progress)
{
    std::vector<Tuning> out(regions.size());
    std::vector<std::atomic<double>> done(regions.size());
    std::atomic<std::size_t> next{0}, ended{0};
    const auto work = [&] {
        for (std::size_t k = next++; k < regions.size(); k = next++) {
            try {
                const Progress own{[&done, k](double part, std::string_view) { done[k] = part; },
                                   progress.stop,
                                   {}};
                out[k].found = tune_conductivity(session, *regions[k], grain, own);
            } catch (...) {
                out[k].failed = std::current_exception();
            }
            done[k] = 1;
            ++ended;
        }
    };
    std::vector<std::jthread> workers;
    const auto threads =
        std::min<std::size_t>(std::max(1U, progress.context.threads), regions.size());
    for (std::size_t w = 0; w < threads; ++w)
        workers.emplace_back(work);
    while (ended < regions.size()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        if (progress.report && !progress.stop.stop_requested())
            progress.report(std::accumulate(done.begin(), done.end(), 0.0) /
                                static_cast<double>(regions.size()),
                            stage);
    }
    workers.clear();
    progress.at(1, stage);
    return out;
}

const TunedConductivity& Tuning::get() const
{
    if (failed)
        std::rethrow_exception(failed);
    return found;
}

std::vector<TunedRegion> tune_regions(const Session& session, const mesh::Grain& grain,
                                      Notices& notices, const Progress& progress)
{
    std::vector<TunedRegion> out;
    std::vector<std::size_t> of;
    std::vector<const Region*> regions;
    for (std::size_t k = 0; k < session.regions.size(); ++k) {
        const Region& r = session.regions[k];
        if (!r.velocity_m_per_s || r.insulating || r.inherits())
            continue;
        of.push_back(k);
        regions.push_back(&r);
    }
    if (regions.empty())
        return out;
    const auto tuned = tune_all(session, regions, grain, progress);
    for (std::size_t n = 0; n < of.size(); ++n) {
        const std::size_t k = of[n];
        try {
            out.push_back({k, tuning_key(session, *regions[n], grain), tuned[n].get()});
        } catch (const InputError& e) {
            throw InputError(session.name, pointer(k), e.reason);
        } catch (const NumericsError& e) {
            throw InputError(
                session.name, pointer(k),
                std::string("no conductivity can be found: in a strip of this tissue ") + e.what() +
                    " (the region's parameters count, too)");
        }
        notices.push_back(tuning_notice(session, out.back()));
    }
    return out;
}

bool still_tuned(const Session& session, std::span<const TunedRegion> tuned)
{
    std::size_t wanted = 0;
    for (const Region& r : session.regions)
        wanted += r.velocity_m_per_s && !r.insulating && !r.inherits();
    return wanted == tuned.size() &&
           std::all_of(tuned.begin(), tuned.end(), [&](const TunedRegion& t) {
               if (t.region >= session.regions.size())
                   return false;
               const Region& r = session.regions[t.region];
               return r.velocity_m_per_s && !r.insulating && !r.inherits() &&
                      tuning_key(session, r, {t.found.edge_mm, t.found.even}) == t.key;
           });
}

} // namespace tawara::simulation
