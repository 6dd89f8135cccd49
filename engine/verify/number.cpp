// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verify/number.hpp"

#include <cmath>
#include <cstdio>

namespace tawara::verify {

std::string number(double x)
{
    if (!std::isfinite(x))
        return "–";
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", x);
    return text;
}

} // namespace tawara::verify
