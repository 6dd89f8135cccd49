// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/made_meshes.hpp"

#include "app/export/hand_over.hpp"
#include "engine/core/whole_file.hpp"

#include <QDir>
#include <QEventLoop>
#include <QFileInfo>
#include <QTemporaryDir>

#include <filesystem>
#include <thread>

namespace tawara {

MadeMeshes::MadeMeshes() = default;
MadeMeshes::~MadeMeshes() = default;

QString MadeMeshes::newFile(const QString& name)
{
    if (!m_folder)
        m_folder = std::make_unique<QTemporaryDir>(QDir::temp().filePath("tawara-XXXXXX"));
    const QString folder = QString::number(++m_count);
    QDir(m_folder->path()).mkpath(folder);
    return QDir(m_folder->path()).filePath(folder + "/" + name + ".vtu");
}

std::optional<std::filesystem::path> MadeMeshes::fileOf(const simulation::Session& session) const
{
    const auto* mesh = std::get_if<simulation::MeshFile>(&session.mesh);
    if (mesh == nullptr || !m_folder)
        return {};
    const auto now = session.folder / mesh->file;
    return now.string().starts_with(m_folder->path().toStdString() + '/') ? std::optional(now)
                                                                          : std::nullopt;
}

QString MadeMeshes::keep(simulation::Session& session, const QString& sessionFile)
{
    auto* mesh = std::get_if<simulation::MeshFile>(&session.mesh);
    if (mesh == nullptr || !m_folder)
        return {};
    const auto temporary = fileOf(session);
    if (!temporary)
        return {};
    const QString now = QString::fromStdString(temporary->string());
    QString& kept = m_kept[now];
    const QFileInfo target(sessionFile);
    if (kept.isEmpty() || !QFileInfo::exists(kept)) {
        const QString stem = target.absoluteDir().filePath(target.completeBaseName());
        kept = stem + "-mesh.vtu";
        for (int n = 2; QFileInfo::exists(kept); ++n) // somebody else's
            kept = stem + QStringLiteral("-mesh-%1.vtu").arg(n);
        // a large file takes its time: elsewhere, while the window goes on drawing
        QString error;
        QEventLoop wait;
        std::jthread copy([&, from = now.toStdString(), to = kept.toStdString()] {
            try {
                write_whole_by_path(to, [&](const std::filesystem::path& part) {
                    std::filesystem::copy_file(from, part,
                                               std::filesystem::copy_options::overwrite_existing);
                });
            } catch (const std::exception& e) {
                error = QString::fromUtf8(e.what());
            }
            postTo(&wait, [&wait] { wait.quit(); });
        });
        wait.exec(QEventLoop::ExcludeUserInputEvents);
        if (!error.isEmpty()) {
            const QString to = std::exchange(kept, {});
            return tr("The mesh cannot be kept as %1: %2; the session was not saved.")
                .arg(to, error);
        }
    }
    session.folder = QFileInfo(kept).absolutePath().toStdString();
    mesh->file = QFileInfo(kept).fileName().toStdString();
    return {};
}

} // namespace tawara
