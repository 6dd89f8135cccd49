// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QSettings>

#include <memory>

namespace tawara {

/// The user's settings: an ini file of this program. Tests lead it into a folder of their own by
/// QSettings::setPath().
std::unique_ptr<QSettings> openSettings();

} // namespace tawara
