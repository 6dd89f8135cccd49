// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractSpinBox>
#include <QLabel>
#include <QLayout>
#include <QWidget>

namespace tawara::test {

/// Two visible siblings of all that a widget holds that lie on each other, or a number that is cut;
/// empty: none.
inline QString anyOverlap(const QWidget& top)
{
    const auto name = [](const QWidget* w) {
        const auto* label = qobject_cast<const QLabel*>(w);
        return label != nullptr
                   ? label->text()
                   : QLatin1String(w->metaObject()->className()) + ' ' + w->objectName();
    };
    auto all = top.findChildren<const QWidget*>();
    all << &top;
    for (const auto* parent : all) {
        if (parent->layout() == nullptr || !parent->isVisible())
            continue;
        QList<const QWidget*> shown;
        for (const auto* w : parent->findChildren<const QWidget*>(Qt::FindDirectChildrenOnly))
            if (w->isVisible() && !w->isWindow() && w->objectName() != "fieldNote")
                shown << w;
        for (qsizetype a = 0; a < shown.size(); ++a)
            for (qsizetype b = a + 1; b < shown.size(); ++b)
                if (shown[a]->geometry().intersects(shown[b]->geometry()))
                    return name(shown[a]) + QStringLiteral(" and ") + name(shown[b]);
        for (const auto* w : shown)
            if (qobject_cast<const QAbstractSpinBox*>(w) != nullptr &&
                w->height() < w->minimumSizeHint().height())
                return name(w) + QStringLiteral(" is cut");
    }
    return {};
}

} // namespace tawara::test
