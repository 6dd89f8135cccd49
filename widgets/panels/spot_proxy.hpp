// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/panels/icons.hpp"

#include <QColor>
#include <QSortFilterProxyModel>

namespace tawara {

/// Colours as spots, as lists of the window have them.
class SpotProxy : public QSortFilterProxyModel
{
  public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    QVariant data(const QModelIndex& index, int role) const override
    {
        const auto v = QSortFilterProxyModel::data(index, role);
        return role == Qt::DecorationRole && v.metaType() == QMetaType::fromType<QColor>()
                   ? QVariant(swatchIcon(v.value<QColor>()))
                   : v;
    }
};

} // namespace tawara
