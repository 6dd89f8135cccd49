// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/units.hpp"
#include "engine/device/problem.hpp"

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

} // namespace tawara::test
