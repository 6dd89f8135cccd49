// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_host.hpp"
#include "engine/cable/growth/network.hpp"
#include "engine/simulation/session/purkinje_keys.hpp"
#include "widgets/view3d/heart_view.hpp"

#include <functional>
#include <vector>

class QWidget;

namespace tawara {

class ClickController;
class ConductionPanel;
class Document;
class LookController;
class MessageBar;
class ReplayController;
class ViewController;

/// The Purkinje network: growing, importing, removing it, its rhythm, cuts by the panel and by
/// clicks, the search for a resistance. Each change is an edit of the document, which can be
/// undone.
///
/// @thread GUI thread
class ConductionController : public QObject
{
    Q_OBJECT
  public:
    /// Others that it works with.
    struct Others
    {
        Document& document;
        ClickController& clicks;
        ReplayController& replay;
        ViewController& views;
        LookController& look;
        MessageBar& message;
    };
    ConductionController(QWidget& window, EngineHost& host, ConductionPanel& panel,
                         const Others& others);
    /// Takes a network from a file, in the panel's unit of length.
    void importFile(const QString& path);
    void grow(const cable::GrowthParameters& p);
    /// Cuts the branch to a drawn point of the network, or joins what is cut there.
    void cutOrJoin(int point);

  private:
    void connectPanel();
    void connectHost();
    void askToGrow();
    void askForFile();
    void cut(const std::vector<cable::Fascicle>& fascicles, bool on);
    void joinAll();
    /// An edit of the network's keys.
    void edit(const QString& what, const std::function<void(simulation::PurkinjeKeys&)>& change,
              const QString& key = {});
    /// The same where a network is to take the place of what there is: said while it is made.
    void replace(const QString& what, const QString& work,
                 const std::function<void(simulation::PurkinjeKeys&)>& change);
    void setMode(ClickMode mode);
    void showNetwork();
    void showFrame(const EngineHost::FramePtr& frame);

    QWidget& m_window;
    EngineHost& m_host;
    Document& m_document;
    ConductionPanel& m_panel;
    ClickController& m_clicks;
    ReplayController& m_replay;
    ViewController& m_views;
    LookController& m_look;
    MessageBar& m_message;
    std::shared_ptr<const simulation::NetworkShape> m_shape;
    QString m_work; ///< what is done beside the run; empty: nothing
};

} // namespace tawara
