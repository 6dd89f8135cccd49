// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/graph/expr.hpp"

#include <map>
#include <random>

namespace tawara::cell::compiler {

/// sum of coefficient * base over bases that vary from cell to cell, plus an offset; coefficients
/// and offset depend on parameters (and dt, time) alone.
struct Linear
{
    std::map<Node, Node> terms; ///< base -> coefficient
    Node offset = no_node;      ///< no_node: 0
};

/// Tells what varies between cells and takes linear forms apart.
class LinearForms
{
  public:
    /// @param typical  parameter values at which proportionality is probed (together with disturbed
    /// ones)
    LinearForms(Graph& g, std::span<const double> typical);
    bool varies(Node n);
    Linear of(Node n);
    /// k with a = k b for all states, at typical and at disturbed parameters; no_node when there is
    /// none.
    Node ratio(const Linear& a, const Linear& b);
    /// Values of a node of parameters alone at the two probes (dt is 0.02).
    std::array<double, 2> probe(Node n);
    /// terms as an expression
    Node base_of(const Linear& l, Node coefficient);

  private:
    void update();
    Graph& g_;
    std::array<std::vector<double>, 2> parameters_;
    std::vector<bool> varies_;
    std::array<std::vector<double>, 2> values_;
};

} // namespace tawara::cell::compiler
