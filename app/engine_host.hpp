// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_control.hpp"
#include "app/work_pool.hpp"

#include <QElapsedTimer>
#include <QHash>
#include <QObject>
#include <QSet>
#include <QTimer>

#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <thread>

namespace tawara {

/// Where a session comes from.
struct SessionOrigin
{
    QString file;      ///< empty: the built-in heart, or none
    bool made = false; ///< here, and nowhere saved
};

/// The one class that knows both the engine's control and Qt. It owns the engine (and so its
/// thread), turns requests into commands, brings the engine's events to the GUI thread by queued
/// calls, and pulls frames, status and traces at display rate.
///
/// @thread GUI thread; nothing here waits for the engine
class EngineHost : public QObject
{
    Q_OBJECT
  public:
    using State = simulation::Status::State;
    using Origin = SessionOrigin;
    using ScenePtr = std::shared_ptr<const simulation::Scene>;
    using FramePtr = std::shared_ptr<const simulation::Frame>;
    /// Session of a path, the built-in heart's for an empty one. Called on a thread of its own.
    using Opener = std::function<simulation::Session(const std::filesystem::path&)>;
    /// Is called when a file was read: loads it by calling `load`, then or later or never.
    using Gate = std::function<void(const std::function<void()>& load)>;

    EngineHost(const EngineMaker& maker, Opener opener, QObject* parent = nullptr);
    ~EngineHost() override;

    /// What work beside the engine may use of the machine.
    void setContext(const Context& context) { m_context = context; }
    const Context& context() const { return m_context; }

    /// Opens a mesh or session file, the built-in heart for an empty path. What was open stays
    /// until the new one is ready.
    /// @param gate  asked before it takes the place of that; empty: it does
    void open(const QString& path, Gate gate = {});
    /// @param checkpoint  as simulation::Load has it
    void load(simulation::Session session, const Origin& origin = {},
              std::filesystem::path checkpoint = {}, std::optional<device::MemoryPlan> plan = {});
    /// Keeps the state as it is now in a file: stateKept() follows.
    quint64 keepState(const std::filesystem::path& file, double mostBytes);
    /// Why and where the run that runFailed() told of stopped.
    const simulation::Failed& failure() const { return m_failure; }
    void cancelLoading();
    void play();
    void pause();
    void step(int steps);
    void reset();
    void runUntil(double timeMs);
    void limitSpeed(double msPerSecond);
    void setFrameInterval(double wallMs);
    /// Where values of frames are wanted.
    void setFrameValues(bool host, bool device);
    void stimulate(const simulation::Stimulate& stimulus);
    void addProbe(const QString& name, const Vec3& position);
    void removeProbe(quint64 id);
    /// Edits of the session while it is loaded; each gives the command's id, for editRefused().
    quint64 setStimuli(std::vector<simulation::Stimulus> stimuli);
    quint64 setTissue(std::vector<simulation::Region> regions, std::vector<simulation::Drug> drugs,
                      const simulation::Prepacing& prepacing);
    quint64 setPurkinje(const Held<simulation::PurkinjeKeys>& keys);
    /// Ends the change of tissue or network that is being prepared.
    void cancelChange();
    quint64 setElectrodes(std::vector<simulation::Electrode> electrodes, simulation::Leads leads,
                          double everyMs);
    quint64 setEnd(double ms);
    /// What is to be computed because something shows it; said again after every load.
    /// @param beat  that they are of, as simulation::WatchMaps::beat
    void watchMaps(bool on, int beat = 0);
    /// Maps of that beat, whatever watchMaps() asks for: that is remembered, and holds again when
    /// they are released (nothing).
    void holdMaps(std::optional<int> beat);
    void watchVolume(bool on);
    void watchPhase(bool on, const simulation::PhasePlane& plane);
    /// The dyads of the cell there, in frames from now on; nothing: of none.
    void watchDyads(const std::optional<Vec3>& cell);
    void watchBeats(bool on)
    {
        m_watchBeats = on;
        m_measured = {};
    }
    void watchKernels(bool on) { m_watchKernels = on; }
    void startRecording(double everyMs, quint64 maxBytes);
    void stopRecording();
    void measureCeilings();
    /// While it computes, frames are shown no more often than this; 0: as they come. What they
    /// cost to draw is the solver's then.
    void setLeastFrameInterval(int ms) { m_leastFrameMs = ms; }
    void exportResults(const QString& kind, const QString& path);
    std::shared_ptr<const simulation::Recording> recording() const { return m_engine->recording(); }
    std::shared_ptr<const simulation::Partition> partition() const { return m_engine->partition(); }
    std::shared_ptr<const simulation::MapFrame> maps() const { return m_engine->newest_maps(); }
    const FramePtr& frame() const { return m_frame; }

    const ScenePtr& scene() const { return m_scene; }
    const simulation::Status& status() const { return m_status; }
    bool isLoading() const { return m_opening || !m_loads.empty(); }
    /// Of what is being opened, the newest of it.
    Origin opening() const;
    /// Of scene(): what was opened last and could be.
    const Origin& origin() const { return m_origin; }
    /// Whether results are being written: exported() follows.
    bool exporting() const { return !m_exports.isEmpty(); }

  Q_SIGNALS:
    void tissueApplied(); ///< after editApplied(), where that was of regions or drugs
    void loadingStarted();
    void loadingProgress(double fraction, const QString& stage);
    void loaded();
    void loadingEnded();       ///< after loaded(), a failure or a cancellation
    void preparationStarted(); ///< of a run that is to begin: loadingProgress() follows
    void preparationEnded();
    void openFailed(const QString& reason);
    /// In place of openFailed() where a device has no memory for it, and there are other ways.
    void memoryShort(const QString& reason, const tawara::simulation::Load& asked,
                     const tawara::SessionOrigin& origin,
                     const std::vector<tawara::device::MemoryPlan>& plans);
    /// What is loaded gives way, or its state goes back to the start: with the next command.
    void aboutToReplace(bool toStart);
    /// @param kept  with an error where the state could not be kept
    void stateKept(const tawara::simulation::StateKept& kept);
    void runFailed(const QString& reason);
    void refused(const QString& reason);
    void stateChanged(tawara::EngineHost::State state);
    void statusPolled(const tawara::simulation::Status& status);
    void frameArrived(const tawara::EngineHost::FramePtr& frame);
    void stimulated(const tawara::simulation::Stimulate& stimulus); ///< it was applied
    void probeAdded(quint64 id, const QString& name, const tawara::Vec3& position);
    void probeRemoved(quint64 id);
    void samplesArrived(quint64 id, const std::vector<double>& times,
                        const std::vector<float>& values);
    void samplesCleared();
    void mapsArrived(const std::shared_ptr<const tawara::simulation::MapFrame>& maps);
    /// `restarted`: other leads, or samples that start anew.
    void ecgArrived(const tawara::simulation::Ecg& ecg, bool restarted);
    void kernelsPolled(const std::vector<tawara::simulation::KernelFigure>& kernels);
    void beatsMeasured(const QHash<quint64, std::vector<tawara::simulation::Beat>>& beats);
    void captureKnown(const tawara::simulation::CaptureEvent& event);
    /// @param notCounted  why bytes were not counted by hardware; empty: they were
    void ceilingsMeasured(const tawara::device::Ceilings& ceilings, const QString& device,
                          const QString& notCounted);
    /// @param error  empty: the file is there
    void exported(const QString& path, const QString& error);
    /// The run is not in the state that it had: what it computes from now on is not to be trusted.
    void stateLost(const QString& why);
    void sceneChanged(); ///< same run, edited session
    void editRefused(quint64 command, const QString& reason);
    void editApplied();
    /// A network is being made beside the run, or the resistance of its junctions searched for.
    void networkProgress(double fraction, const QString& stage);
    void networkApplied();   ///< after editApplied(), where that was of the network
    void recordingChanged(); ///< it began or ended
    void dyadsWatched(const std::optional<tawara::Vec3>& cell);
    void dyadsRefused(const QString& reason); ///< what was watched before still is

  private:
    quint64 post(const simulation::Command& command);
    void handle(const simulation::Event& event);
    void answered(const simulation::Answer& answer);
    void adopt(const ScenePtr& scene);
    void readInBackground(const std::filesystem::path& path, Gate gate);
    void loadThrough(const Gate& gate, const simulation::Session& session);
    void poll();
    void pollTraces();
    void pollEcg();
    void measureBeats();
    void endLoading();
    /// The beat of the maps that the engine is to compute; nothing: none.
    std::optional<int> mapsWanted() const;
    /// Tells the engine where that is another one than before.
    void tellMaps(std::optional<int> before);

    bool m_preparing = false;
    Opener m_opener;
    Context m_context;
    std::unique_ptr<EngineControl> m_engine;
    std::vector<std::pair<std::shared_ptr<std::atomic<bool>>, std::jthread>>
        m_readers;              // done?, thread
    quint64 m_readerTicket = 0; // what a reader brings counts only if it is the newest
    bool m_opening = false;     // m_reading is
    Origin m_reading, m_origin;
    std::map<quint64, Origin> m_loads; // that the engine has not answered, which it takes in turn
    QHash<quint64, simulation::Command> m_pending;
    QSet<quint64> m_exports; // commands that exported() has not answered
    ScenePtr m_scene;
    FramePtr m_frame;
    int m_leastFrameMs = 0;
    qint64 m_frameDue = 0; // [ms] on m_clock
    std::shared_ptr<const simulation::MapFrame> m_maps;
    int m_beat = 0; ///< of the maps
    std::optional<int> m_heldBeat;
    simulation::PhasePlane m_plane; ///< of the phase
    bool m_watchMaps = false, m_watchVolume = false, m_watchPhase = false, m_watchBeats = false,
         m_watchKernels = false, m_measuring = false;
    std::size_t m_ecgSamples = 0;
    quint64 m_ecgGeneration = ~quint64{0};
    qsizetype m_ecgLeads = 0;
    simulation::Status m_status;
    simulation::Failed m_failure;
    QHash<quint64, std::size_t> m_probes; // samples that were handed on
    struct Measured                       // what the beats are of
    {
        QHash<quint64, std::size_t> samples;
        const void *scene = nullptr, *frame = nullptr;
        bool operator==(const Measured&) const = default;
    } m_measured;
    QTimer m_poll;
    QElapsedTimer m_clock;
    qint64 m_statusDue = 0, m_tracesDue = 0, m_slowDue = 0;
    WorkPool m_pool; ///< measures beats; waited for before the engine goes
};

} // namespace tawara
