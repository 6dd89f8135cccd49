// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tawara::cell {

/// How the ordinary differential equations of a cell are stepped.
enum class Scheme {
    forward_euler,
    rk4,
    rush_larsen,       ///< all gates exponential
    rush_larsen_light, ///< LRL: only the stiff m gate exponential
    grl1,              ///< all states by their diagonal linearisation, first order
    grl2,
    backward_euler_single,
    backward_euler,
    cvode ///< reference, single cells only
};
std::string_view name(Scheme s);
/// @throws InputError naming the nearest known scheme
Scheme scheme_by_name(std::string_view text, const std::string& file = "--scheme",
                      const std::string& where = "");

struct StateInfo
{
    std::string name; ///< as sessions' `initial` names it, "V" first
    std::string unit;
    double initial = 0;
    bool gate = false;
};

struct ParameterInfo
{
    std::string name, unit, description;
    double value = 0;
};

/// A named set of parameter and initial values that differ from the model's defaults (a cell type).
struct Variant
{
    std::string name;
    std::vector<std::pair<std::string, double>> parameters, initial;
};

/// What can be said of a cell model without running it.
struct ModelInfo
{
    std::string name, title, source;
    std::vector<StateInfo> states; ///< states[0] is the membrane potential V [mV]
    std::vector<ParameterInfo> parameters;
    std::vector<Variant> variants;
    std::vector<Scheme> schemes; ///< those that can be used with it
    int flops_per_step = 0;      ///< fp64 add + mul + fma per cell and step, LRL, where known
};

/// A cell type: a model, a variant and overrides, all resolved. Plain values.
struct CellType
{
    std::string model;
    std::vector<double> parameters; ///< in ModelInfo::parameters order
    std::vector<double> initial;    ///< in ModelInfo::states order
};

/// Names of the built-in models.
std::vector<std::string> model_names();
/// @throws InputError (naming the nearest known model)
const ModelInfo& model_info(std::string_view model, const std::string& file = "--model",
                            const std::string& where = "");
/// @throws InputError for an unknown variant, parameter or state name (naming the nearest known
/// one)
CellType make_cell_type(std::string_view model, std::string_view variant,
                        std::span<const std::pair<std::string, double>> parameters,
                        std::span<const std::pair<std::string, double>> initial,
                        const std::string& file = "--set", const std::string& where = "");

} // namespace tawara::cell
