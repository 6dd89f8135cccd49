// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractItemView>

namespace tawara {

inline QVariant cell_of(const QAbstractItemView* view, int row, int column,
                        int role = Qt::DisplayRole)
{
    return view->model()->index(row, column).data(role);
}

inline int rows_of(const QAbstractItemView* view)
{
    return view->model()->rowCount();
}

} // namespace tawara
