// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/work_pool.hpp"
#include "engine/simulation/live/messages.hpp"
#include "widgets/panels/laid_tissue.hpp"

#include <QObject>

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace tawara {

/// The tissue of another moment, where it is another one than now.
struct PastTissue
{
    std::shared_ptr<const LaidTissue> laid; ///< null: it is being laid, laidOut() follows
    double changedMs = 0; ///< of the first change of its regions since; NaN: of another run
    bool operator==(const PastTissue& o) const
    {
        return laid == o.laid &&
               (changedMs == o.changedMs || (std::isnan(changedMs) && std::isnan(o.changedMs)));
    }
    /// Whether it is known and could be laid.
    bool known() const { return laid && !laid->of.empty(); }
};

/// Which regions a run had at any of its moments: what each change of its tissue left. They are
/// laid elsewhere when somebody asks for them; the last few stay.
///
/// @thread GUI thread
class TissueHistory : public QObject
{
    Q_OBJECT
  public:
    using ScenePtr = std::shared_ptr<const simulation::Scene>;
    using Regions = std::shared_ptr<const std::vector<simulation::Region>>;
    using Laid = std::shared_ptr<const LaidTissue>;

    explicit TissueHistory(QObject* parent = nullptr);
    ~TissueHistory() override;

    /// Another run; null: none.
    void begin(const ScenePtr& scene);
    /// The session that is open has these regions, which the engine may not have taken yet.
    void setNow(const std::vector<simulation::Region>& regions);
    /// The engine has taken a change, or forgotten some.
    void follow(const ScenePtr& scene);
    /// The run is about to be set back, and this recording of it stays.
    void keepFor(const std::shared_ptr<const void>& recording);
    /// Whether that recording stayed when the run was set back: it is of the run before.
    bool keptFor(const void* recording) const
    {
        return recording != nullptr && recording == m_keptFor.lock().get();
    }

    /// @param recording  of which the moment is; null: the run
    std::optional<PastTissue> past(double ms, const void* recording = nullptr);
    /// The run's changes after `from` and until `to` [ms].
    std::vector<double> changes(double from, double to) const;

    /// What the tissue of a recorded moment looks like: null while it is being laid.
    using OfMoment = std::function<Laid(double ms)>;
    /// For a movie of that recording, which may go on while other things are opened; nothing where
    /// all of its moments have the tissue of now.
    OfMoment ofRecording(const void* recording);

  Q_SIGNALS:
    void laidOut();

  private:
    /// From one start to the next: one tissue more than changes.
    struct Pass
    {
        ScenePtr scene;
        std::vector<double> changes; ///< when [ms], rising
        std::vector<Regions> regions;
    };
    static std::size_t at(const Pass& p, double ms);
    const Pass& passOf(const void* recording) const;
    bool isNow(const Regions& r) const { return r == m_now || (m_now && *r == *m_now); }
    Laid laid(const ScenePtr& scene, const Regions& regions);

    Pass m_pass, m_kept;
    std::weak_ptr<const void> m_keptFor; ///< a recording that lasts no longer for that
    Regions m_now;
    std::vector<std::pair<Regions, Laid>> m_laid; ///< the last that were asked for
    std::set<Regions> m_underWay;
    WorkPool m_pool;
};

} // namespace tawara
