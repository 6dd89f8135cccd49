// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string_view>

namespace tawara {

/// Units inside the engine: mm, ms, mV, S/m (= mS/mm), uF/mm2, pA/pF (= mV/ms at 1 uF/cm2).
inline constexpr double uF_per_mm2_of_uF_per_cm2 = 0.01;  // 1 cm2 = 100 mm2
inline constexpr double uA_per_mm3_of_uA_per_cm3 = 0.001; // 1 cm3 = 1000 mm3

enum class LengthUnit { um, mm, cm, m };

/// Millimetres per unit.
constexpr double millimetres(LengthUnit u)
{
    switch (u) {
    case LengthUnit::um:
        return 1e-3;
    case LengthUnit::mm:
        return 1;
    case LengthUnit::cm:
        return 10;
    case LengthUnit::m:
        return 1e3;
    }
    return 1;
}

constexpr std::string_view name(LengthUnit u)
{
    switch (u) {
    case LengthUnit::um:
        return "um";
    case LengthUnit::mm:
        return "mm";
    case LengthUnit::cm:
        return "cm";
    case LengthUnit::m:
        return "m";
    }
    return "mm";
}

/// The unit with that name ("um", "mm", "cm", "m"), or nothing.
constexpr std::optional<LengthUnit> length_unit(std::string_view text)
{
    for (auto u : {LengthUnit::um, LengthUnit::mm, LengthUnit::cm, LengthUnit::m})
        if (name(u) == text)
            return u;
    return std::nullopt;
}

/// What numbers are kept and computed in. Mixed: stored in single, accumulated in double.
enum class Precision { double_, single, mixed };

constexpr std::string_view name(Precision p)
{
    return p == Precision::double_ ? "double" : p == Precision::single ? "single" : "mixed";
}

} // namespace tawara
