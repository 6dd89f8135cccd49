// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/lowered.hpp"

#include "engine/simulation/tissue/velocity_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tawara::simulation {
namespace {

using diffusion::Conductivity;

constexpr double near_enough = 0.98; // of the target

constexpr double Conductivity::*sigma_of[]{&Conductivity::fibre, &Conductivity::sheet,
                                           &Conductivity::normal};

bool one_for_all(const Conductivity& c)
{
    return c.fibre == c.sheet && c.fibre == c.normal;
}

/// To three figures, upwards: what is enough stays enough.
double rounded_up(double sigma)
{
    const double unit = std::pow(10, std::floor(std::log10(sigma)) - 2);
    return std::ceil(sigma / unit - 1e-9) * unit;
}

/// A region's conductivities on the mesh that is, and on the finer one.
class Search
{
  public:
    Search(const Session& s, const Region& r, const mesh::Grain& grain, const mesh::Grain& finer,
           const Progress& p)
        : session_(s), region_(r), grain_(grain), finer_(finer), progress_(p)
    {
        region_.conductivity_scale = {}; // factors stay what they are
    }

    /// Nothing where nothing was raised.
    std::optional<Lowered> lowered()
    {
        Lowered out{region_.conductivity_S_per_m, region_.conductivity_S_per_m, {}, {}, {}};
        const bool even = one_for_all(out.before);
        bool any = false;
        for (std::size_t k = 0; k < (even ? 1U : 3U); ++k) {
            if (k == 2 && out.before.normal == out.before.sheet) {
                out.after.normal = out.after.sheet;
                out.target[2] = out.target[1];
                continue;
            }
            out.target[k] = velocity_on_fine(session_, with(tissue_S_per_m), k, progress_);
            if (!was_raised(k))
                continue;
            out.after.*sigma_of[k] = least(k, out.target[k]);
            any |= out.after.*sigma_of[k] < out.before.*sigma_of[k];
        }
        if (!any)
            return {};
        if (even) {
            out.after.sheet = out.after.normal = out.after.fibre;
            out.target[1] = out.target[2] = out.target[0];
        }
        for (std::size_t k = 0; k < 3; ++k)
            out.predicted[k] = k > 0 && out.after.*sigma_of[k] == out.after.*sigma_of[k - 1]
                                   ? out.predicted[k - 1]
                                   : on_mesh(out.after, k, finer_);
        return out;
    }

  private:
    Region with(const Conductivity& c) const
    {
        Region r = region_;
        r.conductivity_S_per_m = c;
        return r;
    }
    double on_mesh(const Conductivity& c, std::size_t k, const mesh::Grain& grain) const
    {
        return velocity_on_mesh(session_, with(c), k, grain, progress_);
    }
    bool was_raised(std::size_t k) const
    {
        const auto& c = region_.conductivity_S_per_m;
        return raised_for_mesh(c.*sigma_of[k], tissue_S_per_m.*sigma_of[k], on_mesh(c, k, grain_),
                               velocity_on_fine(session_, region_, k, progress_));
    }
    /// The least conductivity in a direction with which a wave on the finer mesh is near enough.
    double least(std::size_t k, double target) const
    {
        Conductivity c = region_.conductivity_S_per_m;
        double high = c.*sigma_of[k], low = tissue_S_per_m.*sigma_of[k];
        const auto enough = [&](double sigma) {
            c.*sigma_of[k] = sigma;
            return on_mesh(c, k, finer_) >= near_enough * target;
        };
        if (enough(low))
            return low;
        if (!enough(high))
            return high;
        constexpr double fine = 1.03; // the velocity goes about with the root
        while (high > fine * low) {
            const double middle = std::sqrt(low * high);
            (enough(middle) ? high : low) = middle;
        }
        return std::min(rounded_up(high), region_.conductivity_S_per_m.*sigma_of[k]);
    }

    const Session& session_;
    Region region_;
    mesh::Grain grain_, finer_;
    const Progress& progress_;
};

} // namespace

std::vector<Lowered> lower_conductivities(Session& s, const mesh::Grain& grain,
                                          const mesh::Grain& finer, const Progress& progress)
{
    struct Known
    {
        std::string model;
        Conductivity before;
        std::optional<Lowered> found;
    };
    std::vector<Known> known;
    for (std::size_t r = 0; r < s.regions.size(); ++r) {
        Region& region = s.regions[r];
        if (region.inherits() || region.velocity_m_per_s || has_dyads(region))
            continue;
        auto at = std::find_if(known.begin(), known.end(), [&](const Known& k) {
            return k.model == region.model && k.before == region.conductivity_S_per_m;
        });
        if (at == known.end()) {
            progress.at(0, "lowering raised conductivities");
            known.push_back({region.model, region.conductivity_S_per_m,
                             Search(s, region, grain, finer, progress).lowered()});
            at = known.end() - 1;
        }
        if (at->found) {
            at->found->regions.push_back(r);
            region.conductivity_S_per_m = at->found->after;
        }
    }
    std::vector<Lowered> out;
    for (auto& k : known)
        if (k.found)
            out.push_back(std::move(*k.found));
    return out;
}

} // namespace tawara::simulation
