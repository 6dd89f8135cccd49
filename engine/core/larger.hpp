// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tawara {

/// The larger of two numbers, NaN where either is: std::max(a, NaN) is a, so that the largest of
/// many differences would pass over the one that matters.
inline double larger_or_nan(double a, double b)
{
    return a != a || a >= b ? a : b;
}

/// The smaller of two numbers, NaN where either is.
inline double smaller_or_nan(double a, double b)
{
    return a != a || a <= b ? a : b;
}

} // namespace tawara
