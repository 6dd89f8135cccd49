// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/save_dialog.hpp"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSettings>
#include <QStandardPaths>

namespace tawara {
namespace {

const QString key = QStringLiteral("files/saved");

/// Of this process: what is open, and where its files went.
struct SaveDefaults
{
    QString name, folder, chosen;
};
SaveDefaults& defaults()
{
    static SaveDefaults d;
    return d;
}

QSettings settings()
{
    return QSettings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("tawara"),
                     QStringLiteral("tawara"));
}

bool canWrite(const QString& folder)
{
    const QFileInfo f(folder);
    return !folder.isEmpty() && f.isDir() && f.isWritable();
}

} // namespace

void setSaveDefaults(const QString& sessionName, const QString& file)
{
    auto& d = defaults();
    d.name = fileName(sessionName);
    QString folder = file.isEmpty() ? QString() : QFileInfo(file).absolutePath();
    if (folder.endsWith(QLatin1String("/resources/sessions"))) // the program's own
        folder.clear();
    if (folder != d.folder)
        d.chosen.clear();
    d.folder = folder;
}

QString saveProposal(const QString& what, const QString& extension)
{
    const auto& d = defaults();
    const QString start = d.name.isEmpty() ? QStringLiteral("tawara") : d.name;
    const QString name = (what.isEmpty() ? start : start + QLatin1Char('-') + what) + extension;
    for (const QString& folder : {d.chosen, d.folder, settings().value(key).toString()})
        if (canWrite(folder))
            return folder + QLatin1Char('/') + name;
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    return (canWrite(documents) ? documents : QDir::homePath()) + QLatin1Char('/') + name;
}

QString fileName(const QString& name)
{
    static const QRegularExpression unfit(QStringLiteral("[/\\\\:*?\"<>|,;\\s]+"));
    return name.trimmed().replace(unfit, QStringLiteral("_"));
}

void rememberSaved(const QString& path)
{
    defaults().chosen = QFileInfo(path).absolutePath();
    settings().setValue(key, defaults().chosen);
}

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
    const QString path =
        dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().value(0) : QString();
    if (!path.isEmpty())
        rememberSaved(path);
    return path;
}

} // namespace tawara
