// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/phase_watch.hpp"

#include "engine/analysis/phase.hpp"
#include "engine/analysis/recovery.hpp"
#include "engine/mesh/measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tawara::simulation {
namespace {

constexpr float middle_fraction = 0.45F;
constexpr float least_span_mV = 40; ///< below it nothing has fired yet
constexpr float overshoot_mV = 40;  ///< stimuli lift V above it
constexpr double reach_edges = 3;   ///< of a core, from one sample to the next

std::size_t at(std::int32_t i)
{
    return static_cast<std::size_t>(i);
}

} // namespace

std::vector<double> recovery_now(const device::TissueProblem& p, const device::Stepper& stepper)
{
    struct Scaled
    {
        analysis::RecoveryVariable variable;
        analysis::RecoveryRange range;
    };
    std::vector<Scaled> of; // each group
    for (const auto& g : p.groups) {
        const auto& model = g.types.front().model;
        const auto variable = analysis::recovery_variable(cell::model_info(model));
        const auto range = analysis::recovery_range(model);
        if (!variable || !range)
            return {};
        of.push_back({*variable, *range});
    }
    std::vector<double> out(p.size(), std::numeric_limits<double>::quiet_NaN());
    std::vector<double> values(p.size());
    for (std::size_t g = 0; g < of.size(); ++g) {
        const auto state = of[g].variable.state;
        if (std::any_of(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(g),
                        [&](const auto& r) { return r.variable.state == state; }))
            continue; // fetched with that of another group
        stepper.state(state, values);
        for (std::size_t u = 0; u < values.size(); ++u)
            if (p.group[u] < of.size() && of[p.group[u]].variable.state == state) {
                const auto& r = of[p.group[u]];
                out[u] = r.range.share(values[u]);
            }
    }
    return out;
}

std::string why_no_phase(const PhasePlane& plane, std::span<const Region> regions)
{
    if (plane.kind == PhasePlane::Kind::delayed)
        return {};
    const std::string instead = ": choose the plane of V and V before";
    for (const auto& r : regions) {
        if (r.inherits())
            continue;
        if (!analysis::recovery_variable(cell::model_info(r.model)))
            return "model " + r.model + " has no known recovery variable" + instead;
        if (!analysis::recovery_range(r.model))
            return "model " + r.model +
                   " fires no action potential, so its recovery variable cannot be scaled" +
                   instead;
    }
    return {};
}

void PhaseWatch::Range::add(std::span<const float> values, float most)
{
    for (const float x : values) { // NaN changes nothing
        low = x < low ? x : low;
        high = x > high ? std::min(x, most) : high;
    }
}

float PhaseWatch::Range::drawn() const
{
    return std::max(span(), least_span_mV);
}

float PhaseWatch::Range::middle() const
{
    return low + middle_fraction * drawn();
}

void PhaseWatch::plane(const PhasePlane& p)
{
    plane_ = p; // what has turned has turned in any plane
}

void PhaseWatch::silent(SilentTissue t, std::stop_token stop)
{
    unsettled_ = std::move(t);
    stop_ = std::move(stop);
}

void PhaseWatch::find_silent()
{
    if (!unsettled_)
        return;
    const auto tissue = *std::exchange(unsettled_, std::nullopt);
    auto found = silent_vertices(tissue, Progress{{}, stop_});
    if (found == silent_)
        return;
    silent_ = std::move(found);
    paths_.reset();
    turns_.clear();
}

void PhaseWatch::clear()
{
    past_.clear();
    turns_.clear();
    v_ = {};
}

std::optional<std::vector<float>> PhaseWatch::delayed(double t_ms, std::span<const float> v) const
{
    constexpr double hair_ms = 1e-6;
    const double then = t_ms - plane_.delay_ms;
    if (past_.empty() || past_.front().first > then + hair_ms)
        return {};
    auto after = past_.begin();
    while (after != past_.end() && after->first <= then)
        ++after;
    const auto& [from_ms, from] = after == past_.begin() ? past_.front() : *(after - 1);
    const double to_ms = after == past_.end() ? t_ms : after->first;
    const auto part = static_cast<float>((then - from_ms) / std::max(to_ms - from_ms, 1e-9));
    std::vector<float> out = from;
    for (std::size_t k = 0; k < out.size(); ++k)
        out[k] += part * ((after == past_.end() ? v[k] : after->second[k]) - out[k]);
    return out;
}

std::vector<float> PhaseWatch::scaled(std::span<const float> recovery) const
{
    std::vector<float> out(recovery.begin(), recovery.end());
    for (float& r : out)
        r = v_.middle() + v_.drawn() * (r - middle_fraction);
    return out;
}

void PhaseWatch::keep(double t_ms, std::span<const float> v)
{
    const double oldest = t_ms - std::max(kept_ms_, plane_.delay_ms);
    while (past_.size() > 2 && past_[1].first <= oldest)
        past_.pop_front();
    // of large meshes fewer are kept, with straight lines between them
    const double bytes = static_cast<double>(v.size() * sizeof(float));
    const double apart = std::max(kept_ms_, plane_.delay_ms) * bytes / double{most_bytes};
    if (past_.empty() || (past_.back().first < t_ms && past_.back().first <= t_ms - apart))
        past_.emplace_back(t_ms, std::vector<float>(v.begin(), v.end()));
}

std::optional<PhaseWatch::Field> PhaseWatch::sample(double t_ms, std::span<const float> v,
                                                    std::span<const float> recovery, bool wanted)
{
    v_.add(v, overshoot_mV);
    if (wanted)
        find_silent();
    std::optional<std::vector<float>> second;
    if (wanted && plane_.kind == PhasePlane::Kind::delayed)
        second = delayed(t_ms, v);
    else if (wanted && !recovery.empty())
        second = scaled(recovery);
    std::optional<Field> out;
    if (second) {
        out.emplace();
        out->phase.resize(v.size());
        analysis::phases(v, *second, v_.middle(), out->phase);
        out->singularities = find(t_ms, out->phase, v, *second);
    }
    keep(t_ms, v);
    return out;
}

std::vector<std::int32_t> PhaseWatch::around(std::int32_t vertex) const
{
    const auto& m = *tissue_.mesh;
    const auto& stars = tissue_.stars;
    std::vector<std::int32_t> known{vertex}, layer{vertex};
    for (int neighbours = 0; neighbours < 2; ++neighbours) {
        std::vector<std::int32_t> next;
        for (const auto v : layer)
            for (auto k = stars.first[at(v)]; k < stars.first[at(v) + 1]; ++k)
                for (const auto c : m.corners(at(stars.tets[static_cast<std::size_t>(k)])))
                    if (std::find(known.begin(), known.end(), c) == known.end()) {
                        known.push_back(c);
                        next.push_back(c);
                    }
        layer = std::move(next);
    }
    std::erase_if(layer, [&](std::int32_t v) { return !silent_.empty() && silent_[at(v)] != 0; });
    return layer;
}

void PhaseWatch::find_paths()
{
    if (paths_)
        return;
    paths_ = analysis::paths_around(*tissue_.mesh, *tissue_.surface, silent_);
    turns_ = analysis::TurnWatch(reach_edges * mesh::mean_edge_mm(*tissue_.mesh));
}

std::shared_ptr<const Singularities> PhaseWatch::find(double t_ms, std::span<const float> phase,
                                                      std::span<const float> v,
                                                      std::span<const float> second)
{
    auto out = std::make_shared<Singularities>();
    if (v_.span() < least_span_mV)
        return out;
    find_paths();
    auto f = analysis::filaments(*tissue_.mesh, tissue_.neighbours, phase, v, second, v_.middle(),
                                 silent_);
    std::vector<analysis::Centre> centres;
    for (std::size_t k = 0; k < f.lines.size(); ++k)
        centres.push_back({-1, f.lines[k], around(f.core[k])});
    for (const auto& p : *paths_) {
        const int turn = analysis::turns_around(p, phase);
        if (turn == 0)
            continue;
        auto& line = out->around_mm.emplace_back();
        for (const auto vertex : p.vertices)
            line.push_back(tissue_.mesh->vertex(at(vertex)));
        line.push_back(line.front());
        out->around_turn.push_back(turn);
        const auto same = std::find_if(centres.begin(), centres.end(),
                                       [&](const auto& c) { return c.obstacle == p.obstacle; });
        if (same == centres.end()) {
            centres.push_back({p.obstacle, {}, p.vertices});
            ++out->obstacles;
        }
    }
    const auto turned = turns_.sample(t_ms, v, v_.middle(), centres);
    out->turned = static_cast<std::size_t>(std::count(turned.begin(), turned.end(), true));
    out->points_mm = std::move(f.ends);
    out->turn = std::move(f.turn);
    out->filaments_mm = std::move(f.lines);
    return out;
}

} // namespace tawara::simulation
