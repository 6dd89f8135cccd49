// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/cell_editor.hpp"

#include <QAbstractItemView>
#include <QStyledItemDelegate>

namespace tawara {
namespace {

class WholeCell : public QStyledItemDelegate
{
  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const override
    {
        QWidget* editor = QStyledItemDelegate::createEditor(parent, option, index);
        if (editor != nullptr) { // as low as a row, and where the value's own digits were
            editor->setStyleSheet("padding: 0 5px; min-height: 0; border-radius: 0;");
            editor->setAutoFillBackground(true);
        }
        return editor;
    }
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex&) const override
    {
        editor->setGeometry(option.rect);
    }
};

} // namespace

void coverCells(QAbstractItemView* table)
{
    table->setItemDelegate(new WholeCell(table));
}

} // namespace tawara
