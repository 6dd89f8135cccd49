// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "tests/several.hpp"

namespace tawara::fake {

using test::Further;
using test::runAll;

/// The main() of a test of widgets without the window.
template <class Test>
int runWidgets(int argc, char** argv)
{
    QApplication app(argc, argv);
    QCoreApplication::setAttribute(Qt::AA_Use96Dpi);
    Test test;
    return runAll(test, argc, argv);
}

} // namespace tawara::fake
