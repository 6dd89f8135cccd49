// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/units.hpp"
#include "engine/device/problem.hpp"
#include "tests/device/toy_channels.hpp"

#include <QtTest>

namespace tawara::test {

/// Rows for tests of the toy channels in tissue: alone and beside a compiled model, by both
/// splittings, in double and single precision.
inline void add_channel_rows()
{
    QTest::addColumn<bool>("mixed");
    QTest::addColumn<int>("splitting");
    QTest::addColumn<int>("precision");
    for (const bool mixed : {false, true})
        for (const auto s : {device::Splitting::godunov, device::Splitting::strang})
            for (const auto r : {Precision::double_, Precision::single})
                QTest::addRow("%s %s %s", mixed ? "mixed" : "alone",
                              s == device::Splitting::godunov ? "Godunov" : "Strang",
                              std::string(name(r)).c_str())
                    << mixed << int(s) << int(r);
}

inline constexpr std::size_t channel_types = 300; ///< more than a byte can count
inline constexpr std::size_t never_opens = 299;   ///< in a byte type 43, whose channels open

inline ChannelValues values_of_types()
{
    ChannelValues v;
    for (std::size_t k = 0; k < channel_types; ++k)
        v.opening_per_ms.push_back(k == never_opens ? 0 : 0.1 + 0.001 * static_cast<double>(k));
    return v;
}

/// The cells of a slab of TT06 have channels of all types instead; those of its left half have not,
/// if `mixed`.
inline device::TissueProblem with_channels(device::TissueProblem p,
                                           std::shared_ptr<const cell::ReactionModel> channels,
                                           bool mixed)
{
    device::CellGroup own;
    own.reaction = std::move(channels);
    if (!mixed)
        p.groups.clear();
    p.groups.push_back(own);
    for (std::size_t u = 0; u < p.size(); ++u) {
        if (!p.has_cells(u))
            continue;
        const bool compiled = mixed && p.position_mm[u][0] < 2;
        p.group[u] = mixed && !compiled ? 1 : 0;
        p.type[u] = compiled ? cell::TypeIndex{0} : static_cast<cell::TypeIndex>(u % channel_types);
    }
    return p;
}

} // namespace tawara::test
