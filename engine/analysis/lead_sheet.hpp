// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>

namespace tawara {

/// How leads stand side by side on a sheet. Up to twelve are read column by column (I II III, aVR
/// aVL aVF, V1 V2 V3, V4 V5 V6); those that follow twelve stand in rows below them.
struct LeadSheet
{
    struct Place
    {
        std::size_t column = 0, row = 0;
    };
    std::size_t columns = 1, rows = 1;

    explicit LeadSheet(std::size_t leads) : columns(leads > 6 ? 4 : leads > 3 ? 2 : 1)
    {
        const std::size_t above = leads < twelve ? leads : twelve;
        upper_ = above > 0 ? (above + columns - 1) / columns : 1;
        rows = upper_ + (leads - above + columns - 1) / columns;
    }
    /// Of the lead with that index.
    Place at(std::size_t lead) const
    {
        if (lead < twelve)
            return {lead / upper_, lead % upper_};
        return {(lead - twelve) % columns, upper_ + (lead - twelve) / columns};
    }

  private:
    static constexpr std::size_t twelve = 12;
    std::size_t upper_ = 1; ///< rows of the first twelve
};

} // namespace tawara
