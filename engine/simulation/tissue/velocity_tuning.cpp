// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/velocity_tuning.hpp"

#include "engine/cell/numerics_error.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/notice_kinds.hpp"
#include "engine/simulation/session/session_keys.hpp"
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
#include <optional>

namespace tawara::simulation {
namespace {

using diffusion::Conductivity;

constexpr double Conductivity::*sigma_along[]{&Conductivity::fibre, &Conductivity::sheet,
                                              &Conductivity::normal};
constexpr double ConductionVelocity::*velocity_along[]{
    &ConductionVelocity::fibre, &ConductionVelocity::sheet, &ConductionVelocity::normal};
constexpr const char* names[]{"along the fibres", "across the fibres", "across the sheets"};

constexpr const char* stage = "finding conductivities for the wanted velocities";
constexpr double least_S_per_m = 1e-5;
constexpr double enough = 0.5 * tuning_tolerance; // leaves room for what is found across
constexpr int wide = 4; // a bar's sides count less in it; those of fvm's narrow bars up to 1.5 %
constexpr int most_strips = 24; // of a direction
constexpr int most_rounds = 4;

std::string figures(double x)
{
    return number_text(x, 4);
}

/// To four figures.
double rounded(double sigma)
{
    const std::string text = figures(sigma);
    double out = sigma;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
}

/// An edge to five figures: the mean of a mesh's differs by compiler in the last ones.
mesh::Grain rounded(const mesh::Grain& g)
{
    double edge = g.edge_mm;
    const std::string text = number_text(edge, 5);
    std::from_chars(text.data(), text.data() + text.size(), edge);
    return {edge, g.even};
}

struct Point
{
    double sigma = 0, velocity = 0;
};

/// The search along one direction.
class Search
{
  public:
    /// @param floor_S_per_m  where waves that are too fast with it are taken as they are; 0: they
    ///                       are an error
    Search(std::function<double(double sigma)> measure, double target, std::size_t direction,
           double edge_mm, double floor_S_per_m = 0)
        : measure_(std::move(measure)), target_(target), direction_(direction), edge_mm_(edge_mm),
          floor_S_per_m_(rounded(floor_S_per_m))
    {
    }

    /// @param near  of the velocity, that is near enough
    /// @throws InputError where the velocity cannot be reached
    Point from(double sigma, double near)
    {
        for (int k = 0; k < most_strips; ++k) {
            const Point p{sigma, measure_(sigma)};
            ++strips;
            const double off = std::abs(p.velocity / target_ - 1);
            if (off <= near)
                return p;
            (p.velocity < target_ ? low_ : high_) = p;
            if (p.velocity > target_ && p.sigma <= floor_S_per_m_)
                return p;
            const auto another = next();
            if (!another)
                return nearer();
            sigma = *another;
        }
        fail("is not found within " + std::to_string(most_strips) + " strips");
    }

    int strips = 0;

  private:
    /// Nothing where there is none between those that are too low and too high.
    std::optional<double> next()
    {
        constexpr double grow = 3, most_factor = 4, least_factor = 1.02;
        if (!high_) {
            if (low_->sigma >= most_tuned_S_per_m)
                fail(std::string(low_->velocity > 0 ? "waves run at no more than " +
                                                          figures(low_->velocity) + " m/s"
                                                    : "no wave runs") +
                     " at " + figures(most_tuned_S_per_m) +
                     " S/m, and tissue has 0.01 to 1 S/m; refine the mesh, or see whether the "
                     "model's "
                     "parameters let waves run");
            const double ratio = target_ / low_->velocity;
            const double factor =
                low_->velocity > 0 ? std::clamp(ratio * ratio, least_factor, most_factor) : grow;
            return rounded(std::min(low_->sigma * factor, most_tuned_S_per_m));
        }
        if (!low_) {
            if (high_->sigma <= least_S_per_m)
                fail("waves run at " + figures(high_->velocity) + " m/s even at " +
                     figures(least_S_per_m) + " S/m");
            const double ratio = target_ / high_->velocity;
            return rounded(std::max(
                std::max(least_S_per_m, floor_S_per_m_),
                high_->sigma * std::clamp(ratio * ratio, 1 / most_factor, 1 / least_factor)));
        }
        // in logarithms; bisected where no wave runs at the lower end, and now and then, as one end
        // may stay where it is
        const bool bisect = !(low_->velocity > 0) || strips % 3 == 2;
        const double at = bisect ? 0.5
                                 : std::clamp(std::log(target_ / low_->velocity) /
                                                  std::log(high_->velocity / low_->velocity),
                                              0.02, 0.98);
        const double sigma = rounded(low_->sigma * std::pow(high_->sigma / low_->sigma, at));
        if (sigma > low_->sigma && sigma < high_->sigma)
            return sigma;
        const double middle = rounded(std::sqrt(low_->sigma * high_->sigma));
        if (middle > low_->sigma && middle < high_->sigma)
            return middle;
        return {};
    }
    Point nearer() const
    {
        const auto off = [&](const Point& p) { return std::abs(p.velocity / target_ - 1); };
        const Point& p = off(*low_) < off(*high_) ? *low_ : *high_;
        if (off(p) > tuning_tolerance)
            fail((low_->velocity > 0 ? "they run at " + figures(low_->velocity) + " m/s"
                                     : std::string("waves stop")) +
                 " at " + figures(low_->sigma) + " S/m, and run at " + figures(high_->velocity) +
                 " m/s at " + figures(high_->sigma) + " S/m; refine the mesh");
        return p;
    }
    [[noreturn]] void fail(const std::string& why) const
    {
        throw InputError(no_velocity_file, figures(target_) + " m/s " + names[direction_] +
                                               " cannot be reached on this mesh (mean edge " +
                                               number_text(edge_mm_, 3) + " mm): " + why);
    }

    std::function<double(double)> measure_;
    double target_;
    std::size_t direction_;
    double edge_mm_, floor_S_per_m_;
    std::optional<Point> low_, high_; ///< too slow, too fast
};

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
        sigma_ = out.on_fine_S_per_m;
        for (auto along : sigma_along)
            sigma_.*along = rounded(std::clamp(sigma_.*along, least_S_per_m, most_tuned_S_per_m));
        if (grain_.even)
            at_once();
        else
            in_turn(out.on_fine_S_per_m);
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
            out.*sigma_along[k] = rounded(tissue_S_per_m.fibre * ratio * ratio);
        }
        return out;
    }

    /// All directions at once, each with what the others found a round before: in even strips,
    /// where what was found across hardly counts.
    void at_once()
    {
        search();
        near_ = enough;
        across_ = wide;
        for (int round = 1; round < most_rounds && search(); ++round)
            ;
    }

    /// One direction after the other. In uneven tetrahedra waves across the fibres are carried by
    /// the conductivity along them, too, the more the coarser the mesh is: to a velocity below
    /// which no conductivity across brings them. They are taken as they are with a tenth of a fine
    /// mesh's.
    void in_turn(const Conductivity& fine)
    {
        constexpr int most_turns = 8, across = 4;
        constexpr double floor = 0.1, still = 1.005;
        across_ = across;
        std::atomic<int> strips{0};
        for (int turn = 0; turn < most_turns; ++turn) {
            bool moved = false;
            for (std::size_t k = 0; k < 3; ++k) {
                progress_.at(std::min(0.95, strips.load() / 60.0), stage);
                double& sigma = sigma_.*sigma_along[k];
                const double before = sigma;
                if (like_[k] == k) {
                    const auto p = search_along(k, strips, floor * fine.*sigma_along[k]);
                    sigma = p.sigma;
                    reached_[k] = p.velocity;
                } else
                    sigma = sigma_.*sigma_along[like_[k]];
                moved |= std::max(sigma / before, before / sigma) > still;
            }
            if (!moved)
                break;
            near_ = enough;
        }
        strips_ += strips.load();
    }

    Point search_along(std::size_t k, std::atomic<int>& strips, double floor_S_per_m = 0) const
    {
        Region r = region_;
        r.conductivity_S_per_m = sigma_;
        const auto measure = [&](double sigma) {
            for (std::size_t j = 0; j < 3; ++j)
                if (like_[j] == k)
                    r.conductivity_S_per_m.*sigma_along[j] = sigma;
            ++strips;
            constexpr double counts_as_none = 0.3; // of the wanted velocity: saves its time
            return velocity_on_mesh(session_, r, k, grain_, {{}, progress_.stop},
                                    counts_as_none * wanted(k), across_);
        };
        return Search(measure, wanted(k), k, grain_.edge_mm, floor_S_per_m)
            .from(sigma_.*sigma_along[k], near_);
    }

    /// One round; what the others find in it counts in the next.
    /// @return whether anything changed
    bool search()
    {
        std::atomic<int> strips{0};
        std::array<std::future<Point>, 3> at;
        for (std::size_t k = 0; k < 3; ++k)
            if (like_[k] == k)
                at[k] = std::async(std::launch::async,
                                   [this, k, &strips] { return search_along(k, strips); });
        for (auto& a : at)
            while (a.valid() &&
                   a.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
                constexpr double usual = 24; // strips in all
                progress_.at(std::min(0.95, (strips_ + strips.load()) / usual), stage);
            }
        const Conductivity before = sigma_;
        for (std::size_t k = 0; k < 3; ++k) {
            if (like_[k] == k) {
                const Point p = at[k].get();
                sigma_.*sigma_along[k] = p.sigma;
                reached_[k] = p.velocity;
            } else
                sigma_.*sigma_along[k] = sigma_.*sigma_along[like_[k]];
        }
        strips_ += strips.load();
        return !(sigma_ == before);
    }

    Session session_;
    Region region_;
    ConductionVelocity wanted_;
    mesh::Grain grain_;
    const Progress& progress_;
    std::array<std::size_t, 3> like_{}; ///< the first direction with the same velocity
    Conductivity sigma_;
    std::array<double, 3> reached_{};
    double near_ = tuning_tolerance;
    int across_ = cubes_across; ///< of the strips; wide, once there is something to begin with
    int strips_ = 0;
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
    const auto found = find_conductivity(session, region, grain, progress);
    keep_tuning(key, found);
    return found;
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

std::vector<TunedRegion> tune_regions(const Session& session, const mesh::Grain& grain,
                                      Notices& notices, const Progress& progress)
{
    std::vector<TunedRegion> out;
    for (std::size_t k = 0; k < session.regions.size(); ++k) {
        const Region& r = session.regions[k];
        if (!r.velocity_m_per_s || r.insulating || r.inherits())
            continue;
        try {
            out.push_back(
                {k, tuning_key(session, r, grain), tune_conductivity(session, r, grain, progress)});
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
