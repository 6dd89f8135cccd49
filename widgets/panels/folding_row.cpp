// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/folding_row.hpp"

#include <algorithm>

namespace tawara {

QSize FoldingRow::minimumSize() const
{
    int widest = 0;
    for (int k = 0; k < count(); ++k)
        widest = std::max(widest, itemAt(k)->minimumSize().width());
    const QMargins m = contentsMargins();
    return {widest + m.left() + m.right(), QBoxLayout::minimumSize().height()};
}

void FoldingRow::setGeometry(const QRect& r)
{
    const QMargins m = contentsMargins();
    int beside = m.left() + m.right() + spacing() * (count() - 1);
    for (int k = 0; k < count(); ++k)
        beside += itemAt(k)->minimumSize().width();
    if (const auto d = r.width() < beside ? TopToBottom : LeftToRight; d != direction())
        setDirection(d);
    QBoxLayout::setGeometry(r);
}

} // namespace tawara
