// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tawara::cell {

namespace compiler {
struct CellSystem;
}

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
    std::string full_name{}; ///< component.variable
};

struct ParameterInfo
{
    std::string name, unit, description;
    double value = 0;
    std::string full_name{}; ///< component.variable
};

/// A file that a model's equations were read from.
struct SourceFile
{
    std::filesystem::path file;
    std::string sha256; ///< of the text that was read, whatever the file has by now
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
    std::vector<Scheme> schemes; ///< those that tissue of it can be stepped by
    int flops_per_step = 0; ///< add + mul + fma of a step by LRL in double precision, estimated
    /// The largest step [ms] of each scheme, up to 0.1 ms, with which every variant stays
    /// within 1.5 % (RRMS of V), in one beat and after hundreds at 300 to 2000 ms; schemes with
    /// none are left out. Empty: the file does not say (.mmt: "largest_step_ms: SCHEME = STEP;
    /// ...").
    std::vector<std::pair<Scheme, double>> largest_step_ms;
    /// That it was read from: its own and those that it imports; none of a library model.
    std::vector<std::filesystem::path> files;
};

/// ModelInfo::largest_step_ms of that scheme; 0: none is known.
double largest_step(const ModelInfo& model, Scheme scheme);

/// The scheme for tissue of these models where none is asked for: the first of LRL, GRL1, GRL2 and
/// backward Euler with which the files of all that say anything know a good step; else LRL.
Scheme usual_scheme(std::span<const ModelInfo* const> models);

/// What is to be said of a step of that scheme, in one line: nothing where the model's file says
/// that it is small enough, or says nothing at all; else up to which step it is known to be good,
/// and by which scheme a larger one.
std::string step_advice(const ModelInfo& model, Scheme scheme, double dt_ms);

/// A cell type: a model, a variant and overrides, all resolved. Plain values; the equations behind
/// them are shared and never change.
struct CellType
{
    std::string model;                                    ///< library name or path
    std::vector<double> parameters;                       ///< in ModelInfo::parameters order
    std::vector<double> initial;                          ///< in ModelInfo::states order
    std::shared_ptr<const compiler::CellSystem> system{}; ///< its equations
    /// What code of its own (own_model.hpp) is told besides, e.g. when it holds channels open.
    std::vector<double> protocol{};
};

/// Row of a table of cell types.
using TypeIndex = std::uint16_t;
inline constexpr std::size_t most_types = 65536; ///< of one table

/// Whether both have the same equations: one model, and its file has not changed between them.
bool same_model(const CellType& a, const CellType& b);

/// Whether a key (model_key()) names a file, not a library model.
bool is_file(const std::string& key);

/// Of the text that a type's equations were read from, FNV-1a of 64 bits.
std::uint64_t text_digest(const CellType& type);

/// The files that a type's equations were read from: the model's own first, then those that it
/// imports; none of a model that no text describes (own_model.hpp).
std::vector<SourceFile> source_files(const CellType& type);

/// Names of the compiled models that ship with the program, sorted; others: own_model_names().
std::vector<std::string> model_names();

/// What names a model here: a library name as it is, or the path of a .mmt, .cellml or .xml file
/// (anything with a dot in it), which starts from `folder` when it is relative.
std::string model_key(const std::string& model, const std::filesystem::path& folder);

/// The inverse: a path as it is written in a file of that folder.
std::string model_text(const std::string& key, const std::filesystem::path& folder);

/// There is a library model of that name, or one of its own, or a model file at that path.
/// @throws InputError naming the nearest known model
void require_model(const std::string& model, const std::string& file = "--model",
                   const std::string& where = "");

/// @param model  a library name or one of own_model_names(), or the path of a model file; a file is
/// read again when its text
///         has changed, and the result is another object then
/// @return valid as long as the program runs
/// @throws InputError  naming the nearest known model, or what is wrong with the file (by file and
///         line); `file` and `where` say who asked for the model
/// @thread any
/// @cost   some milliseconds for the first time, then microseconds
const ModelInfo& model_info(const std::string& model, const std::string& file = "--model",
                            const std::string& where = "");
/// @throws InputError as model_info(), and for an unknown variant, parameter or state name (naming
///         the nearest known one). Names are those of ModelInfo, short or full.
CellType make_cell_type(const std::string& model, std::string_view variant,
                        std::span<const std::pair<std::string, double>> parameters,
                        std::span<const std::pair<std::string, double>> initial,
                        const std::string& file = "--set", const std::string& where = "");

} // namespace tawara::cell
