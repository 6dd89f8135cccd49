// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "tests/device/on_gpu.hpp"

namespace tawara::test {

struct BackEnd
{
    const char *name, *devices;
};
inline constexpr BackEnd back_ends[]{
    {"CPU", "cpu"}, {"one GPU", "cuda:0"}, {"three shards on a GPU", "cuda:0,0,0"}};

/// Rows of every back end: a column "devices".
inline void on_each_back_end()
{
    QTest::addColumn<QByteArray>("devices");
    for (const auto& b : back_ends)
        QTest::addRow("%s", b.name) << QByteArray(b.devices);
}

/// Skips the row of a GPU where there is none; init() of tests that have such rows alone.
inline void need_row_of_back_end()
{
    QFETCH(QByteArray, devices);
    if (devices != "cpu")
        need_gpu();
}

} // namespace tawara::test
