// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

class QApplication;

namespace tawara {

/// Makes Qt's application. Where no window can be shown (no display, none that answers, no platform
/// plugin) ends the program instead: exit status 2 and one line on standard error.
std::unique_ptr<QApplication> makeApplication(int& argc, char** argv);

} // namespace tawara
