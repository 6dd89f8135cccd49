// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/heart_shelf.hpp"

#include "engine/simulation/results/run_report.hpp"
#include "engine/simulation/session/suggest.hpp"
#include "engine/simulation/tissue/coordinates.hpp"
#include "engine/study/induction.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tawara::study {

Heart::Heart(const simulation::Session& s, const Progress& progress)
    : tissue_(simulation::build_tissue(s, progress)), mesh_(*tissue_.mesh)
{
    simulation::add_heart_coordinates(mesh_, *tissue_.surface, progress.silent());
}

int Heart::segment_at(const Vec3& place_mm) const
{
    const auto* f = mesh_.field("aha_segment");
    if (f == nullptr || f->on != mesh::Field::On::tetrahedra)
        return 0;
    const auto tet = tissue_.locator->find(place_mm).tetrahedron;
    const float number = f->values[static_cast<std::size_t>(tet)]; // a mesh's own may be any
    return number >= 1 && number < aha_segments + 0.5F ? static_cast<int>(std::lround(number)) : 0;
}

std::optional<Vec3> Heart::middle_of(int segment) const
{
    const auto begins = "AHA " + std::to_string(segment) + ",";
    for (const auto& s : simulation::suggested_sites(mesh_, *tissue_.surface))
        if (s.name.starts_with(begins))
            return s.position_mm;
    return {};
}

std::shared_ptr<const Heart> HeartShelf::heart(const simulation::Session& s,
                                               const Progress& progress)
{
    const auto text = simulation::to_json(s);
    std::promise<std::shared_ptr<const Heart>> mine;
    Built built;
    {
        const std::lock_guard hold(mutex_);
        const auto found = std::find_if(kept_.begin(), kept_.end(),
                                        [&](const auto& k) { return k.session == text; });
        if (found != kept_.end()) {
            built = found->heart;
            std::rotate(found, found + 1, kept_.end());
        } else {
            if (kept_.size() == most)
                kept_.erase(kept_.begin());
            kept_.push_back({text, mine.get_future().share()});
        }
    }
    if (built.valid()) {
        constexpr auto look = std::chrono::milliseconds(100);
        while (built.wait_for(look) != std::future_status::ready)
            progress.at(0, "another run builds the tissue");
        return built.get();
    }
    try {
        auto with_all = progress;
        with_all.context.threads = threads_;
        with_all.report = [&](double fraction, std::string_view stage) {
            try {
                if (progress.report)
                    progress.report(fraction, stage);
            } catch (const simulation::TakenOver&) { // others may wait for the heart
            }
        };
        auto heart = std::make_shared<const Heart>(s, with_all);
        mine.set_value(heart);
        return heart;
    } catch (...) {
        forget(text);
        mine.set_exception(std::current_exception());
        throw;
    }
}

void HeartShelf::forget(const std::string& session)
{
    const std::lock_guard hold(mutex_);
    std::erase_if(kept_, [&](const auto& k) { return k.session == session; });
}

} // namespace tawara::study
