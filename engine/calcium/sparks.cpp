// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/calcium/sparks.hpp"

#include <algorithm>

namespace tawara::calcium {
namespace {

constexpr std::int64_t most_of_a_spark = 7; ///< dyads: one and those beside it
constexpr std::int64_t recruited = 10;      ///< dyads of a wave for each place where it began
constexpr std::size_t most_maxima = 256;    ///< of a rise that are kept
constexpr double notch_part = 0.02;         ///< of a spark's rise: what c_myo falls and rises again
constexpr double late_ms = 2;               ///< after a spark's end a maximum is of others
constexpr double uM_per_mM = 1e3;

/// When a rise came to a level, between the two maxima beside it.
double time_of(const std::vector<std::pair<double, double>>& rise, double level)
{
    const auto above = std::find_if(rise.begin(), rise.end(),
                                    [&](const auto& point) { return point.second >= level; });
    if (above == rise.begin() || above == rise.end())
        return Spark::unknown;
    const auto& [t1, c1] = *above;
    const auto& [t0, c0] = *(above - 1);
    return t0 + (t1 - t0) * (level - c0) / (c1 - c0);
}

double level(const Spark& s, double part)
{
    return s.rest_uM + part * (s.peak_uM - s.rest_uM);
}

double rise_of(const std::vector<std::pair<double, double>>& rise, const Spark& s)
{
    return time_of(rise, level(s, 0.9)) - time_of(rise, level(s, 0.1));
}

} // namespace

SparkCriteria spark_criteria(const Parameters& p)
{
    SparkCriteria c;
    c.begins_above = p.active_part * p.RyR;
    c.ends_below = c.begins_above / 4;
    c.spacing_um = p.spacing;
    return c;
}

const char* spark_kind_name(SparkKind kind)
{
    constexpr std::array names{"spark", "macrospark", "wave", "synchronous"};
    static_assert(names.size() == spark_kinds);
    return names[static_cast<std::size_t>(kind)];
}

double SparkStatistics::per_100_um_and_s(const Grid& grid, double spacing_um) const
{
    const double um = static_cast<double>(grid.count()) * spacing_um; // of all lines
    return static_cast<double>(lines) * (100 / um) * (1e3 / observed_ms);
}

SparkFinder::SparkFinder(const Grid& grid, const SparkCriteria& criteria,
                         std::function<void(const Spark&)> found)
    : grid_(grid), criteria_(criteria), found_(std::move(found))
{
    const auto n = static_cast<std::size_t>(grid.count());
    active_.resize(n);
    rest_uM_.resize(n);
    rest_ms_.resize(n);
    spark_.resize(n);
    counted_.resize(n);
    began_.resize(n);
    root_.resize(n);
    most_.resize(n);
    owner_.resize(n);
}

template <class Real>
void SparkFinder::look(double t_ms, std::span<const std::uint8_t> open,
                       std::span<const Real> c_myo_mM)
{
    find_active(t_ms, open, c_myo_mM);
    connect(open);
    join(t_ms);
    for (auto at = open_.begin(); at != open_.end();) {
        Open& o = at->second;
        follow(o, t_ms, c_myo_mM);
        if (o.active || !o.shaped) {
            ++at;
            continue;
        }
        tell(o.spark);
        began_[o.origin] = 0;
        at = open_.erase(at);
    }
}
template void SparkFinder::look(double, std::span<const std::uint8_t>, std::span<const double>);
template void SparkFinder::look(double, std::span<const std::uint8_t>, std::span<const float>);

/// Lists the active dyads, and keeps c_myo of those that have no open RyR.
template <class Real>
void SparkFinder::find_active(double t_ms, std::span<const std::uint8_t> open,
                              std::span<const Real> c_myo)
{
    const bool first = !(first_ms_ == first_ms_);
    if (first)
        first_ms_ = t_ms;
    statistics_.observed_ms = t_ms - first_ms_;
    now_.clear();
    for (std::size_t i = 0; i < active_.size(); ++i) {
        if (open[i] == 0 || first) {
            rest_uM_[i] = uM_per_mM * static_cast<double>(c_myo[i]);
            rest_ms_[i] = t_ms;
        }
        if (open[i] == 0 && active_[i] == 0)
            continue;
        const auto count = static_cast<double>(open[i]);
        active_[i] =
            active_[i] != 0 ? count >= criteria_.ends_below : count > criteria_.begins_above;
        if (active_[i] != 0)
            now_.push_back(static_cast<std::uint32_t>(i));
        else
            spark_[i] = 0;
    }
}

std::uint32_t SparkFinder::root(std::uint32_t i)
{
    while (root_[i] != i)
        i = root_[i] = root_[root_[i]];
    return i;
}

/// Roots of connected active dyads: the first of each; and of these the one most open.
void SparkFinder::connect(std::span<const std::uint8_t> open)
{
    const auto nx = static_cast<std::uint32_t>(grid_.nx), ny = static_cast<std::uint32_t>(grid_.ny);
    const auto unite = [&](std::uint32_t i, std::uint32_t before) {
        if (active_[before] == 0)
            return;
        const std::uint32_t a = root(i), b = root(before);
        root_[std::max(a, b)] = std::min(a, b);
    };
    for (const std::uint32_t i : now_) {
        root_[i] = i;
        const std::uint32_t line = i / nx;
        if (i % nx > 0)
            unite(i, i - 1);
        if (line % ny > 0)
            unite(i, i - nx);
        if (line >= ny)
            unite(i, i - nx * ny);
    }
    for (const std::uint32_t i : now_) {
        const std::uint32_t r = root(i);
        if (r == i)
            most_[r] = i;
        if (open[i] > open[most_[r]])
            most_[r] = i;
        owner_[r] = 0;
    }
}

/// Gives connected dyads to the earliest spark that any of them is in, or to a new one.
void SparkFinder::join(double t_ms)
{
    std::map<std::int64_t, std::int64_t> taken; // spark that was taken in, by which
    const auto whole = [&](std::int64_t number) {
        for (auto at = taken.find(number); at != taken.end(); at = taken.find(number))
            number = at->second;
        return number;
    };
    for (const std::uint32_t i : now_) {
        if (spark_[i] == 0)
            continue;
        std::int64_t& owner = owner_[root(i)];
        const std::int64_t mine = whole(spark_[i]), its = owner == 0 ? mine : whole(owner);
        owner = std::min(mine, its);
        if (mine != its)
            taken[std::max(mine, its)] = owner;
    }
    for (const auto& [number, by] : taken) {
        take_in(open_.at(whole(number)), open_.at(number));
        open_.erase(number);
    }
    for (auto& [number, o] : open_)
        o.active = false; // until one of its dyads is met
    Open* o = nullptr;
    for (const std::uint32_t i : now_) {
        std::int64_t& owner = owner_[root(i)];
        if (owner == 0) {
            begin(t_ms, most_[root(i)]);
            owner = begun_;
        }
        spark_[i] = whole(owner);
        if (o == nullptr || o->spark.number != spark_[i])
            o = &open_.at(spark_[i]);
        o->active = true;
        if (counted_[i] != spark_[i]) {
            counted_[i] = spark_[i];
            o->members.push_back(i);
        }
    }
    for (auto& [number, was] : open_) {
        if (was.spark.start_ms == t_ms) // what is beside each other began apart, if it is that much
            was.spark.sites = std::max(
                was.spark.sites, static_cast<std::int64_t>(was.members.size()) / most_of_a_spark);
        if (!was.active && !was.members.empty())
            end(was, t_ms);
    }
}

/// A spark meets an earlier one.
void SparkFinder::take_in(Open& into, Open& other)
{
    into.spark.sites += other.spark.sites;
    for (const std::uint32_t i : other.members) {
        if (counted_[i] == other.spark.number)
            counted_[i] = into.spark.number;
        into.members.push_back(i);
    }
    began_[other.origin] = 0;
    if (into.members.size() > 2 * active_.size()) {
        std::sort(into.members.begin(), into.members.end());
        into.members.erase(std::unique(into.members.begin(), into.members.end()),
                           into.members.end());
    }
}

void SparkFinder::begin(double t_ms, std::size_t origin)
{
    cut(began_[origin]);
    began_[origin] = ++begun_;
    Open o;
    o.origin = origin;
    Spark& s = o.spark;
    s.number = begun_;
    s.start_ms = t_ms;
    const auto nx = static_cast<std::size_t>(grid_.nx), ny = static_cast<std::size_t>(grid_.ny);
    s.x = static_cast<int>(origin % nx);
    s.y = static_cast<int>(origin / nx % ny);
    s.z = static_cast<int>(origin / nx / ny);
    s.rest_uM = s.peak_uM = o.low_uM = rest_uM_[origin];
    o.rise.emplace_back(rest_ms_[origin], s.rest_uM);
    open_.emplace(begun_, std::move(o));
}

/// Another spark begins where one that goes on began: the first one's shape stays unknown.
void SparkFinder::cut(std::int64_t number)
{
    if (const auto at = open_.find(number); at != open_.end())
        at->second.shaped = true;
}

/// No dyad of a spark is active any more.
void SparkFinder::end(Open& o, double t_ms)
{
    o.spark.end_ms = t_ms;
    describe(o);
    o.members = {};
}

/// What its dyads say of a spark.
void SparkFinder::describe(Open& o)
{
    auto& m = o.members;
    std::sort(m.begin(), m.end());
    m.erase(std::unique(m.begin(), m.end()), m.end());
    Spark& s = o.spark;
    s.dyads = static_cast<std::int64_t>(m.size());
    const std::array size{grid_.nx, grid_.ny, grid_.nz};
    std::array<int, 3> low = size, high{};
    auto line = std::numeric_limits<std::uint32_t>::max();
    for (const std::uint32_t i : m) {
        const auto own = i / static_cast<std::uint32_t>(grid_.nx);
        s.lines += own != line ? 1 : 0;
        line = own;
        const std::array at{static_cast<int>(i) % grid_.nx, static_cast<int>(own) % grid_.ny,
                            static_cast<int>(own) / grid_.ny};
        for (std::size_t k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], at[k]);
            high[k] = std::max(high[k], at[k]);
        }
    }
    for (std::size_t k = 0; k < 3; ++k)
        s.span_um[k] = criteria_.spacing_um * (high[k] - low[k] + 1);
    if (s.dyads <= most_of_a_spark)
        return;
    const auto along =
        static_cast<std::size_t>(std::max_element(size.begin(), size.end()) - size.begin());
    s.kind = high[along] - low[along] + 1 < size[along] ? SparkKind::macrospark
             : s.dyads > recruited * s.sites            ? SparkKind::wave
                                                        : SparkKind::synchronous;
}

/// Follows c_myo where a spark began, until it has fallen by half.
template <class Real>
void SparkFinder::follow(Open& o, double t_ms, std::span<const Real> c_myo)
{
    if (o.shaped)
        return;
    Spark& s = o.spark;
    const double c = uM_per_mM * static_cast<double>(c_myo[o.origin]), half = level(s, 0.5);
    const double notch = notch_part * (s.peak_uM - s.rest_uM);
    const bool notched = notch > 0 && o.low_uM < s.peak_uM - notch && c > o.low_uM + notch;
    if (notched || (!o.active && c > s.peak_uM && t_ms > s.end_ms + late_ms)) {
        o.shaped = true; // other sparks have come
        if (notched)
            s.rise_ms = rise_of(o.rise, s);
    } else if (c > s.peak_uM) {
        s.peak_uM = c;
        s.peak_after_ms = t_ms - s.start_ms;
        o.low_uM = c;
        for (int axis = 0; axis < 3; ++axis)
            s.width_um[static_cast<std::size_t>(axis)] = width(o, axis, c_myo);
        o.rise.emplace_back(t_ms, c);
        if (o.rise.size() > most_maxima) { // every other one, but the first and the last
            std::size_t kept = 0;
            for (std::size_t k = 0; k + 1 < o.rise.size(); k += 2)
                o.rise[kept++] = o.rise[k];
            o.rise[kept++] = o.rise.back();
            o.rise.resize(kept);
        }
    } else if (s.peak_uM > s.rest_uM && c <= half) {
        const double fallen_ms =
            o.last_ms + (t_ms - o.last_ms) * (o.last_uM - half) / (o.last_uM - c);
        s.duration_ms = fallen_ms - time_of(o.rise, half);
        s.rise_ms = rise_of(o.rise, s);
        o.shaped = true;
    } else if (!o.active && !(s.peak_uM > s.rest_uM)) {
        o.shaped = true; // there is none
    }
    o.low_uM = std::min(o.low_uM, c);
    o.last_ms = t_ms;
    o.last_uM = c;
}

/// Full width at half maximum along an axis; a side that reaches the cell's face before it has
/// fallen by half is taken to be as long as the other one.
template <class Real>
double SparkFinder::width(const Open& o, int axis, std::span<const Real> c_myo) const
{
    const std::array size{grid_.nx, grid_.ny, grid_.nz}, at{o.spark.x, o.spark.y, o.spark.z};
    const std::array<std::size_t, 3> stride{1, static_cast<std::size_t>(grid_.nx),
                                            static_cast<std::size_t>(grid_.nx * grid_.ny)};
    const auto k = static_cast<std::size_t>(axis);
    const double half = level(o.spark, 0.5);
    const auto side = [&](bool up) {
        const int room = up ? size[k] - 1 - at[k] : at[k];
        double before = o.spark.peak_uM;
        std::size_t i = o.origin;
        for (int far = 1; far <= room; ++far) {
            i = up ? i + stride[k] : i - stride[k];
            const double c = uM_per_mM * static_cast<double>(c_myo[i]);
            if (c <= half)
                return far - 1 + (before - half) / (before - c);
            before = c;
        }
        return Spark::unknown;
    };
    const double low = side(false), high = side(true);
    if (low == low && high == high)
        return criteria_.spacing_um * (low + high);
    return criteria_.spacing_um * 2 * (low == low ? low : high);
}

void SparkFinder::tell(const Spark& s)
{
    auto& all = statistics_;
    ++all.count;
    all.unended += s.ended() ? 0 : 1;
    ++all.kinds[static_cast<std::size_t>(s.kind)];
    all.lines += s.lines;
    all.amplitude.add(s.amplitude());
    all.peak_uM.add(s.peak_uM);
    all.peak_after_ms.add(s.peak_after_ms);
    all.rise_ms.add(s.rise_ms);
    all.duration_ms.add(s.duration_ms);
    all.width_x_um.add(s.width_um[0]);
    all.width_y_um.add(s.width_um[1]);
    all.width_z_um.add(s.width_um[2]);
    all.dyads.add(static_cast<double>(s.dyads));
    found_(s);
}

std::int64_t SparkFinder::under_way() const
{
    return std::count_if(open_.begin(), open_.end(), [](const auto& o) { return o.second.active; });
}

void SparkFinder::finish()
{
    for (auto& [number, o] : open_) {
        if (o.active)
            describe(o);
        tell(o.spark);
    }
    open_.clear();
}

} // namespace tawara::calcium
