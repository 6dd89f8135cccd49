// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/display_path.hpp"
#include "app/engine_host.hpp"
#include "app/export/grid_painter.hpp"
#include "app/tissue_history.hpp"
#include "app/work_pool.hpp"
#include "engine/simulation/observe/recording.hpp"
#include "widgets/models/network_models.hpp"
#include "widgets/models/view_settings.hpp"
#include "widgets/plots/bullseye_plot.hpp"
#include "widgets/scene/network_tubes.hpp"
#include "widgets/scene/outline.hpp"
#include "widgets/scene/streamlines.hpp"
#include "widgets/view3d/view_grid.hpp"

#include <span>

namespace tawara {

/// A field of the wall's maps (simulation::MapFrame) or of those inside (simulation::VolumeMaps).
/// @pre  quantityInfo(q).maps, and not the velocity
template <class Maps>
const std::vector<float>& mapField(const Maps& m, Quantity q)
{
    switch (q) {
    case Quantity::activation:
        return m.activation;
    case Quantity::repolarisation:
        return m.repolarisation;
    case Quantity::apd:
        return m.apd90;
    default:
        return m.period;
    }
}

/// How far the values of a map scatter about their neighbours' mean: the standard deviation,
/// without the tenth that lies farthest off (fronts where a wave was blocked). 0 where nothing is
/// known.
/// @param triangles  of a closed surface: indices of values, all one way round
double mapNoise(std::span<const float> values,
                std::span<const std::array<std::int32_t, 3>> triangles);

/// Brings frames, maps and settings together in the views. Sections, isosurfaces, streamlines and
/// arrows are made on a thread of their own; what is asked for meanwhile is made next.
///
/// @thread GUI thread
class ViewController : public QObject
{
    Q_OBJECT
  public:
    explicit ViewController(ViewGrid* grid, QObject* parent = nullptr);
    ~ViewController() override;

    /// Makes the scene's wall ready elsewhere, then shows it; modelReady() follows.
    void setScene(const EngineHost::ScenePtr& scene);
    bool ready() const { return m_model != nullptr; }
    void setSettings(const ViewSettings& s);
    const ViewSettings& settings() const { return m_settings; }
    /// The same, with the cameras as they stand.
    ViewSettings settingsNow() const;
    void setTheme(const scene::SceneTheme& theme);
    void setMarkers(std::vector<scene::Marker> markers);
    void setMode(ClickMode mode, double brushMm);

    /// Says whether frames come by the GPU; must outlive this. Without it they come by the host.
    void setDisplayPath(DisplayPath* path) { m_path = path; }
    void showFrame(const EngineHost::FramePtr& frame);
    /// What is not known yet will not be known then.
    void setRunEnded(bool on);
    void showMaps(const std::shared_ptr<const simulation::MapFrame>& maps);
    void setPartition(const std::shared_ptr<const simulation::Partition>& p);
    /// Which regions the run had before: what shows a moment of before shows them as they were.
    TissueHistory& tissues() { return m_tissues; }
    /// The session's regions now.
    void setTissue(LaidTissue laid);
    /// The engine has changed the run's tissue.
    void followTissue(const EngineHost::ScenePtr& scene);
    /// The outline of tissue that cannot fire in a view of that quantity.
    const scene::Outline& scar(Quantity q = Quantity::potential) const;
    /// What their colours mean, in their order.
    void setRegionNames(const QStringList& names);
    /// Shows a stroke of the brush before the session knows it.
    void paintRegion(const std::vector<std::int64_t>& tetrahedra, std::int32_t region, bool erase);
    /// The Purkinje network of the scene, or the same one with other cuts; null: there is none.
    void setNetwork(const NetworkShapePtr& shape);
    /// A recorded moment instead of the newest frame; null follows the run again.
    /// @param recording  that it is of; null: of the run's own
    void lookBack(std::shared_ptr<const simulation::RecordedFrame> frame,
                  const void* recording = nullptr);
    bool lookingBack() const { return m_recorded != nullptr; }

    /// Time of the potential that is shown, live or recorded [ms].
    double shownMs() const
    {
        return m_recorded ? m_recorded->time_ms : m_frame ? m_frame->time_ms : 0;
    }
    /// Values of a quantity now, per surface vertex; empty where there are none.
    std::vector<float> values(Quantity q) const;
    /// Mean over each AHA segment of the left ventricle (of a phase the direction of its mean); NaN
    /// where there is none, and for numbers of parts.
    /// @param shares  what part of each segment has a value; may be null
    BullseyePlot::Values segmentMeans(Quantity q, BullseyePlot::Values* shares = nullptr) const;
    /// Of each AHA segment's volume the share that each of the session's regions has.
    /// @cost  linear in the tetrahedra after a change of the regions, else nothing
    const BullseyePlot::Shares& segmentRegions();
    const QStringList& regionNames() const;
    bool hasSegments() const { return !m_segment.empty(); }
    /// Those that are shown; null: none yet.
    const std::shared_ptr<const simulation::MapFrame>& maps() const { return m_maps; }
    /// Which beat the maps that are shown are of (simulation::beat_label()); empty without maps.
    QString beatLabel() const;
    /// Which changes of the tissue fell into that beat or came after it, a line each.
    QString changesNote() const;
    /// Says what of the settings a view of that quantity cannot show just now; empty: nothing.
    QString noteOf(Quantity q) const;
    /// What such a view cannot show of a recorded moment.
    QString recordedNote(Quantity q) const;
    /// Why a cut face is grey in a view of that quantity; empty: it shows what the wall shows.
    QString greyFace(Quantity q) const;
    QString noPhaseNote() const;
    /// What a movie of recorded moments shows of their tissue, in views of these quantities.
    GridPainter::Tissue tissueOfMovie(const void* recording);
    /// Range in force for a quantity.
    std::pair<double, double> range(Quantity q) const;

  Q_SIGNALS:
    void modelReady();
    void rangeFound(tawara::Quantity quantity, double low, double high, double step);
    void valuesShown(); ///< new maps or settings: what depends on values may follow

  private:
    template <class Job, class Done>
    void run(bool& busy, Job job, Done done);
    void dress(HeartView& view, int i);
    void feed(HeartView& view, int i);
    /// The cut face shows what the wall does, where that is known inside.
    void feedFace(HeartView& view, Quantity q);
    void feedAll();
    // view_controller_network.cpp
    void dressNetwork(HeartView& view);
    /// Values and junctions of the network; grey in views of what it has not.
    void feedNetwork(HeartView& view, Quantity q);
    std::vector<float> networkValues(Quantity q) const;
    /// When the network was activated in the beat that the maps show, since that beat's 0 [ms].
    std::vector<float> networkActivation() const;
    /// Why a view of a recorded moment cannot show the network; empty: it does.
    QString networkNote(Quantity q) const;
    /// Distance of isochrones: fitted to the range found unless the user gave it.
    double step(Quantity q) const;
    /// Colours and lines of the wall.
    void setLook(HeartView& view, int i);
    /// What a map that is not of one moment says in place of the time: "beat 2 of 3".
    QString captionOf(Quantity q) const;
    /// What places of a map without a value are; empty where all have one.
    /// @pre  quantityInfo(q).maps, and there are maps
    bool hasInsulator() const;
    QString greyNote(Quantity q) const;
    /// Whether a map has no value anywhere, so that a range found would be of nothing.
    bool nothingKnown(Quantity q) const;
    /// Which other beat has what this map lacks everywhere; empty: it has some, or none has.
    QString wholeBeatNote(Quantity q) const;
    /// Of a re-entry's map of times: places that took no part in its newest turn. An automatic
    /// range leaves them out; empty where there are none.
    std::vector<char> oldTurns(Quantity q) const;
    QString oldTurnsNote(Quantity q) const;
    void applyRange(HeartView& view, int i);
    void updateSection();
    void updateDepolarised();
    void updateFibres();
    void updateArrows();
    void updateFilaments();
    scene::Plane plane() const;
    std::optional<scene::Plane> clip() const; ///< in front of which the wall is taken away
    /// Finds the tissues that the recorded moment and the maps' beat have; whether another is known
    /// by now.
    bool findTissues();
    /// What a view of that quantity shows of before; null: the tissue of now.
    const PastTissue* pastOf(Quantity q) const;
    /// The same, where it is known.
    const LaidTissue* laidFor(Quantity q) const;
    /// What of the regions a replay cannot show as it was, or that it does.
    QString replayedRegions(Quantity q) const;
    static constexpr double depolarised_opacity = 0.85;

    ViewGrid* m_grid;
    DisplayPath* m_path = nullptr;
    ViewSettings m_settings;
    scene::SceneTheme m_theme;
    std::vector<scene::Marker> m_markers;
    ClickMode m_mode = ClickMode::stimulate;
    double m_brushMm = 3;
    bool m_runEnded = false;
    EngineHost::ScenePtr m_scene;
    scene::HeartModelPtr m_model;
    EngineHost::FramePtr m_frame;
    std::shared_ptr<const simulation::MapFrame> m_maps;
    std::shared_ptr<const simulation::RecordedFrame> m_recorded;
    void regionsToVertices();

    TissueHistory m_tissues;
    const void* m_recording = nullptr; ///< that m_recorded is of
    std::optional<PastTissue> m_momentTissue, m_beatTissue;
    double m_beatFromMs = 0, m_beatEndMs = 0; ///< of the maps; it may not have ended: infinity
    std::vector<float> m_regions, m_partition;
    std::vector<float> m_regionInside;    // the same as m_regions, of each tetrahedron
    std::vector<std::int32_t> m_regionOf; // the session's region of each tetrahedron
    QStringList m_regionNames;
    std::optional<BullseyePlot::Shares> m_shares; // of m_regionOf; none: not computed yet
    std::vector<std::int8_t> m_segment;           // AHA segment per surface vertex; empty: unknown
    Vec3 m_low{}, m_high{};
    std::array<std::pair<double, double>, quantity_count> m_found{};
    std::array<double, quantity_count> m_foundStep{}; ///< distance of lines over that range
    std::array<double, quantity_count> m_noise{};     ///< of the maps below
    std::array<std::shared_ptr<const simulation::MapFrame>, quantity_count> m_noiseOf;
    std::shared_ptr<const scene::Section> m_face, m_front;
    scene::Plane m_facePlane;
    bool m_sectionBusy = false, m_frontBusy = false, m_fibresBusy = false, m_arrowsBusy = false;
    scene::Lines m_fibres;
    ViewSettings::Fibres m_fibresMade = ViewSettings::Fibres::none;
    scene::Lines m_arrows;
    QString m_arrowsText; ///< what they are and how fast; empty: there are none
    scene::Outline m_scar;
    NetworkShapePtr m_networkShape;
    scene::NetworkModelPtr m_networkModel;
    WorkPool m_pool;
};

} // namespace tawara
