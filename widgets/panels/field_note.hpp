// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QRect>
#include <QString>

class QWidget;

namespace tawara {

/// What the panels do where something was typed that cannot be taken, the same everywhere: while it
/// is typed the field has a red rim and a line below it says what would be right; when it is
/// finished the line says what was taken in its place.

/// A line right below a field, or above it where there is no room: it scrolls with the field and
/// goes by itself, or when the field goes or a line of text has another one. A panel has one at a
/// time. Empty: it goes now.
/// @param part  what it is about within the field; null: all of it
void noteAt(QWidget* field, const QString& text, const QRect& part = {});
/// A red rim around a field, or no longer.
void setWrong(QWidget* field, bool wrong);

/// "−1 320.5": for people, with a true minus sign and spaces between thousands.
QString spacedNumber(double v);
/// "1 to 2 000 ms"; the unit may be empty.
QString rangeText(double low, double high, const QString& unit);

} // namespace tawara
