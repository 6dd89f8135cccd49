// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cli/fibre_angles.hpp"

#include "engine/core/error.hpp"
#include "engine/simulation/session/session.hpp"

#include <charconv>
#include <optional>

namespace tawara::cli {
namespace {

std::optional<double> angle(std::string_view text)
{
    if (text.starts_with('+'))
        text.remove_prefix(1);
    double v = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
    if (error != std::errc() || end != text.data() + text.size() || !(v >= -90 && v <= 90))
        return {};
    return v;
}

} // namespace

mesh::generator::FibreRules rule_of(const std::string& angles)
{
    const auto comma = angles.find(',');
    const auto endo = angle(std::string_view(angles).substr(0, comma));
    const auto epi = comma == std::string::npos ? std::nullopt
                                                : angle(std::string_view(angles).substr(comma + 1));
    if (!endo || !epi)
        throw InputError("--fibre-angles",
                         "is '" + angles +
                             "'; it should be two helix angles from -90 to 90 degrees, of endo- "
                             "and epicardium, e.g. 60,-60");
    mesh::generator::FibreRules rule;
    rule.helix_endo_deg = *endo;
    rule.helix_epi_deg = *epi;
    return rule;
}

std::string fibres_of(const std::string& fibres, const std::string& angles)
{
    if (angles.empty())
        return fibres;
    if (!fibres.empty() && fibres != simulation::rule_based)
        throw InputError("--fibre-angles", "is of fibres by rule, and --fibres names the file " +
                                               fibres + "; give one of them");
    return std::string(simulation::rule_based);
}

} // namespace tawara::cli
