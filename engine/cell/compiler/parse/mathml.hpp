// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/graph/expr.hpp"
#include "engine/cell/compiler/parse/xml.hpp"

#include <functional>

namespace tawara::cell::compiler {

/// What MathML may refer to; each throws InputError when the thing is unknown.
struct MathScope
{
    std::function<Node(const std::string& name, pugi::xml_node at)> variable;
    std::function<Node(const std::string& name, const std::string& by, pugi::xml_node at)> rate;
    std::function<void(const std::string& units, pugi::xml_node at)> check_units;
};

/// Value of a MathML content expression.
/// @throws InputError with the line; nesting is bounded at 200 levels
Node mathml_value(Graph& g, const XmlFile& xml, pugi::xml_node n, const MathScope& scope);

} // namespace tawara::cell::compiler
