// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/model_files.hpp"
#include "engine/simulation/session/session.hpp"

class QWidget;

namespace tawara {

namespace cell {
struct Candidates;
}
class Document;
class EngineHost;
class MessageBar;
class SceneWork;
class TissuePanel;

/// Cell models of files: chosen for a region, asked about where their variables are unclear, read
/// anew when the file has changed. And the descriptions of all models for the Tissue panel.
///
/// @thread GUI thread
class CellModelController : public QObject
{
    Q_OBJECT
  public:
    /// @param window  parent of the dialogs
    CellModelController(QWidget& window, EngineHost& host, Document& document, TissuePanel& tissue,
                        SceneWork& work, MessageBar& message);
    /// Describes the models that come with the program to the panel.
    void describe();
    void askForFile(int region);
    /// Gives a region the cell model of a file; asks for its variables where they are unclear.
    void useFile(int region, const QString& path);
    /// The session that is open, as it is now.
    void follow(const simulation::Session& session);
    /// Another session is opened.
    void forget() { m_files.forget(); }

  private:
    void askForVariables(int region, const QString& path, const cell::Candidates& candidates);
    void useModel(int region, const std::string& key, const cell::ModelInfo* info);
    /// The panel shows this description of a model from now on.
    void take(const std::string& key, const cell::ModelInfo* info);
    /// Its file has changed: panel and run take it as it is now.
    void readAnew(const std::string& key, const cell::ModelInfo* info);
    void connectFiles();
    void showError(const QString& reason, const QString& advice);

    QWidget& m_window;
    EngineHost& m_host;
    Document& m_document;
    TissuePanel& m_tissue;
    SceneWork& m_work;
    MessageBar& m_message;
    ModelFiles m_files;
};

} // namespace tawara
