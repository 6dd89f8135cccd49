// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/save_dialog.hpp"

#include <QFileDialog>
#include <QFileInfo>
#include <QRegularExpression>

namespace tawara {

QString askWhereToSave(QWidget* parent, const QString& title, const QString& proposal,
                       const QString& filters)
{
    const QFileInfo offered(proposal);
    QFileDialog dialog(parent, title, offered.path(), filters);
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setFileMode(QFileDialog::AnyFile);
    const auto take = [&dialog](const QString& filter) {
        static const QRegularExpression first(QStringLiteral("\\*\\.(\\w+)"));
        dialog.setDefaultSuffix(first.match(filter).captured(1));
    };
    QObject::connect(&dialog, &QFileDialog::filterSelected, &dialog, take);
    take(filters);
    dialog.selectFile(offered.fileName());
    return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().value(0) : QString();
}

} // namespace tawara
