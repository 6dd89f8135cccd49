// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace tawara {

/// "12.3 ms/s", with as many digits as are read.
QString rateText(double msPerSecond);
/// "81 × slower", "1.8 × faster" or "real time"; empty where nothing runs.
QString ratioText(double msPerSecond);
/// "12.3 ms/s  ·  81 × slower than real time"; empty where nothing runs.
QString speedText(double msPerSecond);

} // namespace tawara
