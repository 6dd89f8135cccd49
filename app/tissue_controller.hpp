// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_host.hpp"

namespace tawara {

class Document;
class MessageBar;
class SceneWork;
class TissuePanel;
class ViewController;

/// The tissue of the session as it is edited: how its regions lie, how fast they conduct, and what
/// its changes mean for the results of the run.
///
/// @thread GUI thread
class TissueController : public QObject
{
    Q_OBJECT
  public:
    TissueController(EngineHost& host, Document& document, ViewController& views,
                     TissuePanel& tissue, SceneWork& work, MessageBar& message);
    /// Another session was loaded.
    void loaded();
    /// Shows the regions in the views as they are by now; laidOut() follows.
    void layRegions();
    /// Says in the panel how fast the chosen region conducts.
    void estimateVelocity();
    /// That what is shown is of the tissue before an edit, where the run has ended; or no longer.
    void sayResultsAreOld(bool on);
    /// The engine has another tissue: says from when on.
    void follow();

  Q_SIGNALS:
    void laidOut();

  private:
    /// From when on the tissue, or a drug, is another one.
    /// @param before  how many changes of this run's tissue were known
    void sayTissue(std::size_t before);
    /// From when on a drug acts that was given, changed or taken away during the run.
    void sayDrugs();

    EngineHost& m_host;
    Document& m_document;
    ViewController& m_views;
    TissuePanel& m_tissue;
    SceneWork& m_work;
    MessageBar& m_message;
    std::vector<simulation::Drug> m_drugsOn; // that act
    quint64 m_run = 0;                       // of m_told
    std::size_t m_told = 0;                  // changes of its tissue
};

} // namespace tawara
