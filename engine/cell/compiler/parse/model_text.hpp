// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/graph/expr.hpp"
#include "engine/cell/compiler/parse/units.hpp"
#include "engine/cell/model.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tawara::cell::compiler {

/// In graphs of a ModelText, symbol i is variable i and symbol (i | rate_flag) is its time
/// derivative.
inline constexpr std::uint32_t rate_flag = 0x80000000u;

/// One named quantity of a model, as read.
struct ModelVariable
{
    std::string name; ///< "component.variable", unique
    std::string unit_text;
    std::optional<Units> units;
    Node value = no_node;   ///< its equation; none for states and bound variables without a default
    Node rate = no_node;    ///< its time derivative: a state
    Node initial = no_node; ///< initial value (of states), may refer to other variables
    std::string binding;    ///< "time", "pace", ... : set from outside
    std::vector<std::string> labels; ///< metadata, e.g. "membrane_potential"
    std::string description;
    std::string file; ///< that it was imported from; empty: the model's own
    long line = 0;    ///< in its file
};

/// A paced event of the file's own protocol; times in the unit of the model's time in a ModelText,
/// in ms in a CellSystem.
struct PaceEvent
{
    double level = 0, start = 0, duration = 0, period = 0;
    int count = 0; ///< 0: for ever
};

/// A model as its file has it: variables with equations over one expression graph.
struct ModelText
{
    std::string file, name, title, description;
    Graph graph;
    std::vector<ModelVariable> variables;
    std::vector<Variant> variants;
    std::vector<PaceEvent> protocol;
    std::vector<std::pair<Scheme, double>> largest_step_ms; ///< see ModelInfo
    std::vector<std::uint32_t> neutral;                     ///< see CellSystem
    /// Files that it was read from: its own first (read_model()), then imports (CellML 1.1, 2.0).
    std::vector<SourceFile> sources;

    std::optional<std::uint32_t> find(const std::string& variable) const;
    /// @throws InputError always: what is wrong with a variable, by its file and line
    [[noreturn]] void fail(std::uint32_t variable, const std::string& reason) const;
    /// Refuses more variables or operations than a cell's model has, read up to a line of `from`.
    void need_moderate(const std::string& from, long line) const;
};

/// A model's name, which goes into file names and messages, as it is.
/// @throws InputError for one with double quotes, backslashes or control characters, or a long one
std::string plain_name(std::string name, const std::string& file, long line);

/// Reads a model by its extension (.mmt; .cellml and .xml are CellML). The text is only ever turned
/// into arithmetic; files above 8 MB, more than 20000 variables or 100000 operations, and nesting
/// above 200 levels are refused.
/// @throws InputError  file, line, what is wrong, what would be right
ModelText read_model(const std::filesystem::path& path);
ModelText parse_mmt(std::string_view text, const std::string& file);
/// @param folder  where imports are looked for: below it (cell/imports.hpp)
ModelText parse_cellml(std::string_view text, const std::string& file,
                       const std::filesystem::path& folder);

} // namespace tawara::cell::compiler
