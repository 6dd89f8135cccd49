// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/session.hpp"

#include <QCoreApplication>
#include <QHash>
#include <QString>

#include <filesystem>
#include <memory>
#include <optional>

class QTemporaryDir;

namespace tawara {

/// The files of meshes that are made in the window: in a temporary place until a session that
/// refers to one is saved.
class MadeMeshes
{
    Q_DECLARE_TR_FUNCTIONS(MadeMeshes)
  public:
    MadeMeshes();
    ~MadeMeshes();
    /// A file for a mesh that is to be made.
    QString newFile(const QString& name);
    /// Puts a mesh that is in a temporary place beside the session's file, and the session refers
    /// to it there; empty when done.
    QString keep(simulation::Session& session, const QString& sessionFile);
    /// The file of the session's mesh, where it is in a temporary place.
    std::optional<std::filesystem::path> fileOf(const simulation::Session& session) const;

  private:
    std::unique_ptr<QTemporaryDir> m_folder;
    int m_count = 0;
    QHash<QString, QString> m_kept; // where those went that were saved with a session
};

} // namespace tawara
