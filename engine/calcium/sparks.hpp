// SPDX-License-Identifier: GPL-3.0-or-later
// Calcium sparks of a cell with stochastic dyads.
#pragma once
#include "engine/calcium/constants.hpp"
#include "engine/calcium/quantiles.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace tawara::calcium {

/// When a dyad is active.
struct SparkCriteria
{
    double every_ms = 0.25;   ///< a cell is looked at; whoever looks rounds it to steps
    double begins_above = 20; ///< open RyR of a dyad that begins to be active: a fifth
    double ends_below = 5;    ///< and of one that ends
    double spacing_um = 0.2;  ///< between dyads
};
/// The model's own criterion: active_part of the RyR (Gaur & Rudy 2011, by the public code), and a
/// quarter of it for the end, so that one opening is not two.
SparkCriteria spark_criteria(const Parameters& p);

enum class SparkKind : std::uint8_t {
    spark,       ///< at most 7 dyads: one and those beside it
    macrospark,  ///< more
    wave,        ///< reaches from end to end of the cell's longest side, from few sites
    synchronous, ///< the same, but a tenth of its dyads or more began by themselves
};
inline constexpr std::size_t spark_kinds = 4;
const char* spark_kind_name(SparkKind kind);

/// A spark: dyads that are active, connected along the grid's axes and in time. Sparks that touch
/// are one from then on, the earlier one; one that falls into parts stays one. Its shape is that of
/// c_myo, where indicators are, in the dyad where it began, until c_myo has fallen by half there,
/// or rises again, since other sparks have come. NaN: not known.
struct Spark
{
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    std::int64_t number = 0; ///< from 1, by their beginnings; those that were taken in are missing
    double start_ms = 0;
    double end_ms = unknown; ///< when no dyad was active any more
    int x = 0, y = 0, z = 0; ///< dyad where it began: of those that did, the one most open
    std::int64_t dyads = 0;  ///< that were active in it
    /// Places where it began apart. Dyads that begin in one look, side by side, are one for each
    /// seven, which is how far one site comes until the next look.
    std::int64_t sites = 1;
    std::int64_t lines = 0;          ///< of dyads along x that it has part in
    std::array<double, 3> span_um{}; ///< its dyads' extent along x, y, z
    SparkKind kind = SparkKind::spark;
    double rest_uM = 0;           ///< c_myo when no RyR of that dyad was open, last before it
    double peak_uM = 0;           ///< until it has fallen by half
    double peak_after_ms = 0;     ///< from start_ms
    double rise_ms = unknown;     ///< from a tenth to nine tenths of the rise
    double duration_ms = unknown; ///< full, at half maximum
    std::array<double, 3> width_um{unknown, unknown,
                                   unknown}; ///< full, at half maximum, at the peak

    bool ended() const { return end_ms == end_ms; }
    /// Peak over rest, as F/F0 of an indicator that is far from saturated.
    double amplitude() const { return peak_uM / rest_uM; }
};

/// Sparks of a run so far.
struct SparkStatistics
{
    std::int64_t count = 0, unended = 0;
    std::array<std::int64_t, spark_kinds> kinds{};
    double observed_ms = 0; ///< from the first look to the last
    std::int64_t lines = 0; ///< sum of Spark::lines
    Quantiles amplitude, peak_uM, peak_after_ms, rise_ms, duration_ms, width_x_um, width_y_um,
        width_z_um, dyads;

    /// Of the whole cell; NaN before time has passed.
    double per_s() const { return 1e3 * static_cast<double>(count) / observed_ms; }
    /// Seen in 100 um of a line along x, as in a line scan, but without an indicator's blur: a line
    /// sees the sparks that its dyads have part in; mean over the cell's lines.
    double per_100_um_and_s(const Grid& grid, double spacing_um) const;
};

/// Finds sparks while a cell runs. Bounded memory: arrays of the cell's dyads, and what is known of
/// sparks that go on. The same sparks however many threads step the cell.
class SparkFinder
{
  public:
    /// @param found  called with each spark once all of it is known, or at the run's end
    SparkFinder(const Grid& grid, const SparkCriteria& criteria,
                std::function<void(const Spark&)> found);

    /// The cell at a time, later than the last one.
    /// @param open      open RyR of each dyad
    /// @param c_myo_mM  of each dyad
    /// @cost  one pass over both, and what is active
    template <class Real>
    void look(double t_ms, std::span<const std::uint8_t> open, std::span<const Real> c_myo_mM);
    /// The run's end: sparks that are active have no end, those that have not fallen by half no
    /// duration. Nothing is looked at after it.
    void finish();

    const SparkCriteria& criteria() const { return criteria_; }
    const Grid& grid() const { return grid_; }
    const SparkStatistics& statistics() const { return statistics_; }
    /// Sparks that have active dyads; they are not in the statistics yet.
    std::int64_t under_way() const;

  private:
    /// A spark that goes on.
    struct Open
    {
        Spark spark;
        std::size_t origin = 0;
        bool active = true, shaped = false;
        std::vector<std::uint32_t> members;            ///< dyads; some twice
        std::vector<std::pair<double, double>> rise{}; ///< times [ms] and new maxima [uM]
        double last_ms = 0, last_uM = 0,
               low_uM = 0; ///< c_myo: the last one; the least since the peak
    };
    template <class Real>
    void find_active(double t_ms, std::span<const std::uint8_t> open, std::span<const Real> c_myo);
    void connect(std::span<const std::uint8_t> open);
    void join(double t_ms);
    void take_in(Open& into, Open& other);
    void begin(double t_ms, std::size_t origin);
    void cut(std::int64_t number);
    void end(Open& o, double t_ms);
    template <class Real>
    void follow(Open& o, double t_ms, std::span<const Real> c_myo);
    template <class Real>
    double width(const Open& o, int axis, std::span<const Real> c_myo) const;
    void describe(Open& o);
    void tell(const Spark& s);
    std::uint32_t root(std::uint32_t i);

    Grid grid_;
    SparkCriteria criteria_;
    std::function<void(const Spark&)> found_;
    SparkStatistics statistics_;
    double first_ms_ = Spark::unknown;
    std::int64_t begun_ = 0;
    std::map<std::int64_t, Open> open_;
    std::vector<std::uint32_t> now_;         ///< active dyads, ascending
    std::vector<std::uint8_t> active_;       ///< of each dyad
    std::vector<double> rest_uM_, rest_ms_;  ///< when it had no open RyR last
    std::vector<std::int64_t> spark_;        ///< that it is active in; 0: none
    std::vector<std::int64_t> counted_;      ///< the last one that it was counted in
    std::vector<std::int64_t> began_;        ///< the last one that began there and goes on
    std::vector<std::uint32_t> root_, most_; ///< of connected dyads; the one most open
    std::vector<std::int64_t> owner_;        ///< of a root: the earliest spark
};

} // namespace tawara::calcium
