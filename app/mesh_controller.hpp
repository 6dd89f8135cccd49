// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_host.hpp"
#include "engine/core/progress.hpp"

#include <QObject>

#include <optional>

class QWidget;

namespace tawara {

class Document;
class LeavingController;
class MadeMeshes;
class MeshDialog;
class MessageBar;

/// Meshes that are made in the window, refinement, and fibres of the mesh that is open.
///
/// @thread GUI thread
class MeshController : public QObject
{
    Q_OBJECT
  public:
    /// @param window  parent of the dialogs
    MeshController(QWidget& window, EngineHost& host, Document& document, MadeMeshes& made,
                   LeavingController& leaving, MessageBar& message);
    void askForHeart();
    void askForSlab();
    void askForRefinement();
    void askForFibres();
    void askForFibreRule();
    /// The session anew with the fibres of that file, or by rule (simulation::rule_based).
    void useFibres(const QString& from, const mesh::generator::FibreRules& rule = {});

  Q_SIGNALS:
    /// The document that is open is to be computed anew with this session.
    void changed(const tawara::simulation::Session& session);
    /// This session, of a mesh that was made, is to take the place of what is open.
    void made(const tawara::simulation::Session& session);

    void worksSoon(); ///< a mesh may be made, which takes memory

  private:
    void showMeshDialog(MeshDialog* dialog, bool replaces);
    /// @param lost  what the format of its file has no place for: is said
    void openMade(const simulation::Session& session, const Notices& lost);

    QWidget& m_window;
    EngineHost& m_host;
    Document& m_document;
    MadeMeshes& m_made;
    LeavingController& m_leaving;
    MessageBar& m_message;
    std::optional<mesh::generator::HeartParameters> m_heart; // of the last heart that was made
};

} // namespace tawara
