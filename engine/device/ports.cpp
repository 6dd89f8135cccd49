// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/ports.hpp"

#include "engine/core/error.hpp"

#include <cmath>
#include <string>

namespace tawara::device {
namespace {

void check_terms(const Gather& g, const char* what, const std::vector<std::uint8_t>& group)
{
    for (std::size_t k = 0; k < g.size(); ++k)
        for (auto i = static_cast<std::size_t>(g.first[k]);
             i < static_cast<std::size_t>(g.first[k + 1]); ++i) {
            const auto u = g.unknown.at(i);
            const std::string where =
                "port " + std::to_string(k) + " " + what + " unknown " + std::to_string(u);
            if (u < 0 || static_cast<std::size_t>(u) >= group.size())
                throw InputError("ports", where + "; the tissue has " +
                                              std::to_string(group.size()) + " unknowns");
            if (group[static_cast<std::size_t>(u)] == no_cells)
                throw InputError("ports", where + ", which has no cells; ports lie in conducting "
                                                  "tissue");
            if (!std::isfinite(g.weight.at(i)))
                throw InputError("ports", where + " with a weight that is not finite");
        }
}

} // namespace

void check_ports(const Ports& ports, const std::vector<std::uint8_t>& group)
{
    if (ports.potential.size() != ports.current.size())
        throw InputError("ports", std::to_string(ports.potential.size()) +
                                      " ports read the potential and " +
                                      std::to_string(ports.current.size()) +
                                      " take a current; each port does both");
    check_terms(ports.potential, "reads", group);
    check_terms(ports.current, "drives", group);
}

} // namespace tawara::device
