// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#define TAWARA_INLINE inline __attribute__((always_inline))

namespace tawara::cell {

/// e^r = 1 + r + r^2 q(r) for |r| <= ln 2 / 2: coefficients of q, lowest first, of least largest
/// error (1e-16 in q for double, 7e-8 for single precision).
template <bool wide>
struct ExpSeries
{
    static constexpr int last = wide ? 9 : 4;
    TAWARA_INLINE static constexpr double at(int k)
    {
        if (!wide)
            return k == 0   ? 0.5
                   : k == 1 ? 0.16666576845993977
                   : k == 2 ? 0.04166655443768594
                   : k == 3 ? 0.008363202971575855
                            : 0.0013926213466332444;
        switch (k) {
        case 0:
            return 0.5;
        case 1:
            return 0.16666666666666669;
        case 2:
            return 0.04166666666662399;
        case 3:
            return 0.008333333333330051;
        case 4:
            return 0.0013888888917281794;
        case 5:
            return 0.00019841269863105968;
        case 6:
            return 2.480152119021773e-05;
        case 7:
            return 2.7557268378684192e-06;
        case 8:
            return 2.7620138719733994e-07;
        default:
            return 2.5100424157005067e-08;
        }
    }
};

/// ln((1 + s) / (1 - s)) = 2 s + s^3 q(s^2) for |s| <= 0.1716: coefficients of q, lowest first.
template <bool wide>
struct LogSeries
{
    static constexpr int last = wide ? 6 : 2;
    TAWARA_INLINE static constexpr double at(int k)
    {
        if (!wide)
            return k == 0 ? 0.6666668506748816 : k == 1 ? 0.39988769144320513 : 0.29580467653794346;
        switch (k) {
        case 0:
            return 0.666666666666667;
        case 1:
            return 0.399999999998992;
        case 2:
            return 0.2857142862611452;
        case 3:
            return 0.22222211112104948;
        case 4:
            return 0.1818289077802613;
        case 5:
            return 0.15331666676597175;
        default:
            return 0.146171283998073;
        }
    }
};

inline constexpr double log2_e = 1.44269504088896340736;
inline constexpr double ln_2 = 0.69314718055994530942;
/// ln 2 in two parts, the first with so few digits that its multiples by an exponent are exact.
template <bool wide>
inline constexpr double ln2_high = wide ? 0.693147180369123816490 : 0.693359375;
template <bool wide>
inline constexpr double ln2_low = wide ? 1.90821492927058770002e-10 : -2.12194440054690583e-4;

} // namespace tawara::cell
