// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/simulation/session/session.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tawara::cell {
struct ModelInfo;
}

/// What is known of drugs and diseased tissue, as factors, each with its source; and the names by
/// which models call the same thing.
namespace tawara::simulation {

/// A parameter that many models have, each under its own name.
struct CanonicalParameter
{
    std::string_view name;        ///< "g_Kr"
    std::string_view description; ///< "rapid delayed rectifier, conductance"
    /// Of one that is 0 in a normal cell, so that a region gives its value in this unit, and no
    /// factor: "mV". Empty: of all others.
    std::string_view unit{};
};
std::span<const CanonicalParameter> canonical_parameters();
/// The one of that name, or null.
const CanonicalParameter* canonical_parameter(std::string_view name);

/// A model's own name of a canonical parameter, the first of parameter_names(); a model's own name
/// is its own. Empty where it has none.
std::string parameter_name(std::string_view model, std::string_view canonical);
std::string parameter_name(const cell::ModelInfo& model, std::string_view canonical);

/// All of a model's own names that a canonical one means: of a current that is made of several
/// (permeabilities for each ion, fast and slow channels) each of its parameters.
std::vector<std::string> parameter_names(std::string_view model, std::string_view canonical);
std::vector<std::string> parameter_names(const cell::ModelInfo& model, std::string_view canonical);

/// What to say of a rapid or slow delayed rectifier that a model with only one does not tell apart,
/// to be put behind a sentence; else nothing.
std::string only_rectifier(const std::string& model, std::string_view lacking);

/// Refuses the name of a factor that means nothing: neither a canonical parameter, nor one of a
/// model of these regions, nor of one that comes with the program. What a model lacks is no
/// mistake.
/// @param file, where  of the name
/// @throws InputError  naming the nearest known one
void need_factor_name(std::string_view name, std::span<const Region> regions,
                      const std::string& file, const std::string& where);

/// Says of each drug what no model of these regions has: it changes nothing there. A warning where
/// that is all that the drug does, else a remark.
/// @throws InputError  when a model is unknown
Notices idle_drugs(std::span<const Drug> drugs, std::span<const Region> regions);

/// A region's own parameters with its factors and the drugs' multiplied into them: what
/// cell::make_cell_type() is given.
/// @throws InputError  when model or variant are unknown
std::vector<std::pair<std::string, double>> scaled_parameters(const Region& r,
                                                              std::span<const Drug> drugs);

struct DrugPreset
{
    Drug drug;
    std::string description, source;
};
std::span<const DrugPreset> drug_presets();

/// A region that changes what lies beneath it (Region::inherits()); `where` is the caller's.
struct TissuePreset
{
    std::string name, description, source;
    Region region;
};
std::span<const TissuePreset> tissue_presets();
/// A preset's region as a mesh takes it: where that has no fibres, the geometric mean of its
/// factors on conductivities counts in all directions.
Region fitted(Region preset, bool fibres);

/// Whether the cells of a laid region (RegionMap::regions) cannot fire: their model has a fast
/// sodium current, and neither of that nor of the late one nor of the L-type calcium current is
/// anything left. Of a model without such currents, which presets do not reach, it is not known to
/// be so.
bool inexcitable(const Region& laid);

} // namespace tawara::simulation
