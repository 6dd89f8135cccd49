// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/results/report_page.hpp"

#include <QImage>
#include <QString>

namespace tawara {

/// A picture for a report, so wide on the page [CSS pixels].
simulation::ReportPage::Picture reportPicture(const QImage& image, const QString& caption,
                                              int widthOnPage);

/// Writes a report as .html (pictures within it) or .pdf (A4; on one page where it
/// can be read there), whole or not at all. Empty when done, else one line that says what failed.
/// @param html  of simulation::to_html()
QString writeReport(const std::string& html, const QString& title, const QString& file);

} // namespace tawara
