// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

class QWidget;

namespace tawara {

/// Asks where a file is to be written; empty: given up. A name without a suffix gets the first one
/// of the chosen filter, e.g. "PDF (*.pdf);;HTML (*.html)", before an existing file is asked about.
/// @param proposal  folder and name that are offered
QString askWhereToSave(QWidget* parent, const QString& title, const QString& proposal,
                       const QString& filters);

} // namespace tawara
