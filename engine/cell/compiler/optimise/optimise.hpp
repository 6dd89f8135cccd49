// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/graph/expr.hpp"

#include <span>
#include <string>
#include <vector>

namespace tawara::cell::compiler {

/// How far merging quotients may go.
struct FractionOptions
{
    /// Numerators and denominators stay within [1 / largest, largest] at samples of the states
    /// (samples.hpp): 1e36 is for single precision.
    double largest = 1e300;
    bool probe = false; ///< look at samples at all
    /// Look for every quotient that several need whether it takes fewer operations if each of
    /// them divides later, by itself; else only for constants over something.
    bool share_all = false;
    double division = 9;                        ///< cost, where a multiplication has 1
    std::vector<double> states{}, parameters{}; ///< typical values
};

/// Which passes run; all are exact up to rounding.
struct OptimiseOptions
{
    bool singularities = true; ///< x / (exp(x) - 1) and kin become linexp(x)
    bool exponentials = true;  ///< exp(a + b V) = exp(a) exp(b V); constants leave the exponent
    bool logarithms = true;    ///< log(a / x) = log(a) - log(x): a division less
    bool basis = true;         ///< exp(V / c) by integer powers of few exponentials
    bool fractions = true;     ///< quotients of quotients and sums of quotients with one division
    bool powers = true;        ///< integer powers by multiplication
    bool reciprocals = true;   ///< division by what cells of a type share becomes multiplication
    bool short_exponentials = false; ///< exponentials of V near powers: shorten_exponentials()
    bool small_growth = false;       ///< steps of slow states: branch_small_growth()
    bool share_quotients = false;    ///< FractionOptions::share_all
    double quotient_cost = 9;        ///< FractionOptions::division
    bool products = false;           ///< factors that all cells share are multiplied first
    double table_step_mV = 0;        ///< functions of V as tables of this step; 0: none
    int largest_power =
        48; ///< of a basis exponential: bounds the loss of digits (power x half an ulp)
    double exponential_cost = 17; ///< in multiplications: what the basis is chosen by
    double division_cost = 9;
    double largest = 1e300;       ///< number that merging quotients may make: FractionOptions
    std::vector<double> states{}; ///< typical values, V first; empty: ranges are not probed
    unsigned vector_bytes = 0;    ///< Program's
};

/// What a pass did, in words and numbers.
struct PassReport
{
    std::string pass;
    int changes = 0;
    std::size_t nodes = 0; ///< reachable afterwards
};
using OptimiseReport = std::vector<PassReport>;

/// Each pass rewrites `roots` in place and returns the number of changes. Values are those of the
/// symbols' kinds of CellSystem; `typical` are parameter values at which identities between
/// parameters are probed.
int remove_singularities(Graph& g, std::vector<Node>& roots, std::span<const double> typical);
int split_exponentials(Graph& g, std::vector<Node>& roots, std::span<const double> typical);
int split_logarithms(Graph& g, std::vector<Node>& roots, std::span<const double> typical);
int exponential_basis(Graph& g, std::vector<Node>& roots, std::span<const double> typical,
                      const OptimiseOptions& options);
int merge_fractions(Graph& g, std::vector<Node>& roots, const FractionOptions& options = {});
/// Brings the factors of a product that do not differ from cell to cell together, where nothing
/// else uses the products in between.
int gather_factors(Graph& g, std::vector<Node>& roots, std::span<const double> typical);
int integer_powers(Graph& g, std::vector<Node>& roots);
int multiply_by_reciprocals(Graph& g, std::vector<Node>& roots);
/// Replaces the largest subexpressions of parameters alone by table symbols. @return the table
std::vector<Node> hoist(Graph& g, std::vector<Node>& roots);

/// Options with every pass off.
OptimiseOptions no_optimisation();

OptimiseReport optimise(Graph& g, std::vector<Node>& roots, std::span<const double> typical,
                        const OptimiseOptions& options);

} // namespace tawara::cell::compiler
