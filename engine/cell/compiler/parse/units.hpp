// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tawara::cell::compiler {

/// A unit of measurement: value_in_base = factor * value + offset, times the base units' powers.
struct Units
{
    double factor = 1;
    double offset = 0;
    std::map<std::string, double>
        powers; ///< base unit ("m", "kg", "s", ... or a model's own) -> power

    /// The same quantity, apart from factor and offset.
    bool compatible(const Units& o) const;
};

/// this^power (no offset).
Units raised(const Units& u, double power);
Units product(const Units& a, const Units& b);
/// SI units with names (metre, volt, litre, celsius, dimensionless ...), as CellML and Myokit build
/// them in.
std::optional<Units> built_in_units(std::string_view name);
/// "milli" -> -3, also "-3" as written in CellML; nothing for an unknown word.
std::optional<double> si_prefix(std::string_view text);
/// Myokit's short forms, e.g. "mV", "1/ms", "uA/cm^2", "mmol/L (1e-3)"; nothing when it is not one,
/// or has more than 1000 characters.
std::optional<Units> parse_short_units(std::string_view text);
/// Base units and factor in words, for messages.
std::string to_text(const Units& u);

} // namespace tawara::cell::compiler
