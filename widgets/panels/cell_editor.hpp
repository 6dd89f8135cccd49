// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
class QAbstractItemView;

namespace tawara {

/// What is typed into a cell of that table covers the cell: nothing of the value before is seen
/// beside it.
void coverCells(QAbstractItemView* table);

} // namespace tawara
