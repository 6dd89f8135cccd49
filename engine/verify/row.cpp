// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verify/row.hpp"

#include "engine/verify/number.hpp"

#include <cmath>

namespace tawara::verify {

std::string text(const Bound& b, const std::string& unit)
{
    const std::string behind = unit.empty() ? "" : " " + unit;
    const bool low = std::isfinite(b.least), high = std::isfinite(b.most);
    if (low && high)
        return b.least == b.most ? "exactly " + number(b.least) + behind
                                 : number(b.least) + " to " + number(b.most) + behind;
    return low    ? "at least " + number(b.least) + behind
           : high ? "at most " + number(b.most) + behind
                  : "";
}

std::string name(Verdict v)
{
    switch (v) {
    case Verdict::passed:
        return "passed";
    case Verdict::missed:
        return "missed";
    case Verdict::skipped:
        break;
    }
    return "skipped";
}

Verdict judged(double figure, const Bound& bound)
{
    return std::isfinite(figure) && figure >= bound.least && figure <= bound.most ? Verdict::passed
                                                                                  : Verdict::missed;
}

} // namespace tawara::verify
