// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures and the page of a site that was searched.
#pragma once
#include "engine/simulation/results/report_page.hpp"
#include "engine/simulation/tissue/tissue.hpp"
#include "engine/study/site_record.hpp"

#include <array>
#include <span>
#include <string>

namespace tawara::study {

/// Values on the tissue's surface from two sides, along the shortest edge of its bounding box:
/// early ones red, late ones blue, grey where there are none.
/// @param value  per unknown; NaN: none
/// @param centre_mm  a place that is marked
/// @return SVG, ReportPage::width wide
std::string surface_picture(const simulation::Tissue& t, std::span<const double> value,
                            const Vec3& centre_mm);

/// A bull's-eye of the 17 AHA segments (Cerqueira et al., Circulation 105:539 (2002)) from outcomes
/// of sites in them; white where none was searched.
struct BullsEye
{
    std::array<const Outcome*, aha_segments> of{}; ///< of segments 1 to 17; null: none
    std::string caption;
};
/// Side by side, two in a row. @return SVG
std::string bulls_eyes(std::span<const BullsEye> all);

/// The worst trial of a search as sections of a page: the activation of its last period on the
/// tissue, and the electrocardiogram.
/// @param watch  as it was at the trial's end
std::vector<simulation::ReportPage::Section> trial_sections(const Trial& t,
                                                            const simulation::Tissue& tissue,
                                                            const ReentryWatch& watch,
                                                            const std::string& title);

/// The page of a site.
simulation::ReportPage site_page(const SiteRecord& r, const Induction& i, const std::string& title,
                                 std::vector<simulation::ReportPage::Section> sections);

} // namespace tawara::study
