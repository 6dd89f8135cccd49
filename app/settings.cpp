// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/settings.hpp"

namespace tawara {

std::unique_ptr<QSettings> openSettings()
{
    return std::make_unique<QSettings>(QSettings::IniFormat, QSettings::UserScope,
                                       QStringLiteral("tawara"), QStringLiteral("tawara"));
}

} // namespace tawara
