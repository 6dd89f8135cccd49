// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/graph/expr.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tawara::cell::compiler {

/// A function defined in a model: f(a, b) = text, put in place where it is called.
struct MmtFunction
{
    std::vector<std::string> arguments;
    std::string text;
    long line = 0;
};

/// What an expression may refer to.
struct MmtScope
{
    std::string file;
    /// Symbol of a name as written; throws InputError with the line when unknown.
    std::function<std::uint32_t(const std::string& name, long line)> symbol;
    const std::map<std::string, MmtFunction>* functions = nullptr;
    /// Counts calls of the model's own functions over a whole file; bounded, as functions that call
    /// others twice each would else expand for ever.
    std::size_t* calls = nullptr;
};

/// Parses a Myokit expression.
/// @throws InputError  with file and line; nesting is bounded at 200 levels
Node parse_mmt_expression(Graph& g, std::string_view text, long line, const MmtScope& scope);

} // namespace tawara::cell::compiler
