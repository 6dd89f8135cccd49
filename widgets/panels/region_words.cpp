// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/region_words.hpp"

#include <QCoreApplication>

#include <charconv>
#include <string_view>

namespace tawara {

QString inRegionNames(const simulation::Answer& refused,
                      std::span<const simulation::Region> regions)
{
    constexpr std::string_view list = "/tissue/regions/";
    const std::string_view where = refused.where;
    std::size_t index = 0;
    const char* const end = where.data() + where.size();
    const auto number = where.starts_with(list)
                            ? std::from_chars(where.data() + list.size(), end, index)
                            : std::from_chars_result{end, std::errc::invalid_argument};
    if (number.ec != std::errc() || (number.ptr != end && *number.ptr != '/'))
        return QString::fromStdString(refused.reason);
    const QString name =
        index < regions.size() ? QString::fromStdString(regions[index].name) : QString();
    QString words =
        name.isEmpty()
            ? QCoreApplication::translate("tawara::RegionWords", "Region %1").arg(index + 1)
            : QCoreApplication::translate("tawara::RegionWords", "Region “%1”").arg(name);
    if (number.ptr != end)
        words += QStringLiteral(", ") + QString::fromUtf8(number.ptr + 1, end - number.ptr - 1);
    return words + QStringLiteral(": ") + QString::fromStdString(refused.fault);
}

} // namespace tawara
