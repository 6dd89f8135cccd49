// SPDX-License-Identifier: GPL-3.0-or-later
// Calcium sparks: pictures whose sparks are known, and cells.
#include "engine/calcium/paced_cell.hpp"
#include "engine/calcium/sparks.hpp"
#include "tests/several.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <tuple>
#include <vector>

using namespace tawara;
using namespace tawara::calcium;

namespace {

constexpr double rest_mM = 1e-4;

/// A cell that is drawn: dyads that have many open RyR, and c_myo.
struct Picture
{
    explicit Picture(const Grid& g, double rest = rest_mM)
        : grid(g), rest_of_all(rest), finder(g, {}, [this](const Spark& s) { found.push_back(s); })
    {
        clear();
    }
    void clear()
    {
        open.assign(static_cast<std::size_t>(grid.count()), 0);
        c_myo.assign(open.size(), rest_of_all);
    }
    std::size_t at(int x, int y = 0, int z = 0) const
    {
        const int dyad = x + grid.nx * (y + grid.ny * z);
        return static_cast<std::size_t>(dyad);
    }
    /// The next look, a quarter of a millisecond later, with these dyads active along x.
    void look(std::initializer_list<int> active)
    {
        std::fill(open.begin(), open.end(), std::uint8_t{0});
        for (const int x : active)
            open[at(x)] = 30;
        look();
    }
    void look()
    {
        finder.look(t_ms, std::span<const std::uint8_t>(open), std::span<const double>(c_myo));
        t_ms += 0.25;
    }
    const Spark& spark(std::int64_t number) const
    {
        const auto s = std::find_if(found.begin(), found.end(),
                                    [&](const Spark& x) { return x.number == number; });
        if (s == found.end())
            throw std::runtime_error("no spark " + std::to_string(number));
        return *s;
    }

    Grid grid;
    double rest_of_all;
    std::vector<Spark> found;
    SparkFinder finder;
    std::vector<std::uint8_t> open;
    std::vector<double> c_myo;
    double t_ms = 0;
};

bool near(double a, double b, double error = 1e-9)
{
    return std::abs(a - b) <= error * std::abs(b);
}

/// The rows of a cell's sparks as numbers.
template <class Found>
std::vector<double> numbers(const Found& found)
{
    std::vector<double> out;
    for (const Spark& s : found)
        for (const double x :
             {double(s.number), s.start_ms,      s.end_ms,        double(s.x),     double(s.y),
              double(s.z),      double(s.dyads), double(s.sites), double(s.lines), double(s.kind),
              s.rest_uM,        s.peak_uM,       s.peak_after_ms, s.rise_ms,       s.duration_ms,
              s.width_um[0],    s.width_um[1],   s.width_um[2],   s.span_um[0],    s.span_um[1],
              s.span_um[2]})
            out.push_back(x == x ? x : -1);
    return out;
}

struct Observed
{
    std::vector<Spark> found;
    SparkStatistics statistics;
};
Observed observe_cell(const char* start, double end_ms, double amplitude, unsigned threads,
                      const Grid& grid, bool mixed = false)
{
    Observed out;
    PacedCellOptions o;
    o.grid = grid;
    o.start = &start_named(start);
    o.end_ms = end_ms;
    o.mixed = mixed;
    o.protocol.amplitude_pA_per_pF = amplitude;
    SparkFinder finder(o.grid, spark_criteria(o.parameters),
                       [&](const Spark& s) { out.found.push_back(s); });
    o.sparks = &finder;
    Progress progress;
    progress.context.threads = threads;
    run_paced_cell(o, progress, [](const Sample&) {});
    out.statistics = finder.statistics();
    return out;
}

} // namespace

class TestSparks : public QObject
{
    Q_OBJECT

  private Q_SLOTS:
    /// c_myo rises in a straight line from 0.1 to 0.5 uM in 2 ms and falls so in 4 ms; in space
    /// it falls by 0.1 uM a dyad along x and is half of it two lines away along y.
    void aSparkHasItsShape()
    {
        Picture p({21, 7, 1});
        const auto draw = [&](double part, std::uint8_t open) {
            p.clear();
            for (int y = 0; y < 7; ++y)
                for (int x = 0; x < 21; ++x)
                    p.c_myo[p.at(x, y)] += part * 4e-4 *
                                           std::max(0.0, 1 - 0.25 * std::abs(x - 10)) *
                                           std::max(0.0, 1 - 0.25 * std::abs(y - 3));
            p.open[p.at(10, 3)] = open;
            p.look();
        };
        draw(0, 0);
        draw(0, 0); // at rest until 0.25 ms
        for (int k = 1; k <= 8; ++k)
            draw(k / 8.0, static_cast<std::uint8_t>(k <= 6 ? 21 : 4)); // peak at 2.25 ms
        for (int k = 1; k <= 16; ++k)
            draw(1 - k / 16.0, 0);
        p.finder.finish();
        QCOMPARE(p.found.size(), std::size_t{1});
        const Spark& s = p.found[0];
        QVERIFY(s.x == 10 && s.y == 3 && s.z == 0 && s.dyads == 1 && s.sites == 1 && s.lines == 1);
        QVERIFY(s.kind == SparkKind::spark && s.ended());
        QVERIFY(near(s.start_ms, 0.5) && near(s.end_ms, 2)); // 4 open RyR end it, 20 had not begun
        QVERIFY(near(s.rest_uM, 0.1) && near(s.peak_uM, 0.5) && near(s.amplitude(), 5));
        QVERIFY(near(s.peak_after_ms, 1.75));
        QVERIFY2(near(s.rise_ms, 0.8 * 2), QByteArray::number(s.rise_ms));
        QVERIFY2(near(s.duration_ms, 1 + 2), QByteArray::number(s.duration_ms));
        QVERIFY(near(s.width_um[0], 2 * 2 * 0.2) && near(s.width_um[1], 2 * 2 * 0.2));
        QVERIFY(!(s.width_um[2] == s.width_um[2])); // there is one layer
        const auto& all = p.finder.statistics();
        QVERIFY(all.count == 1 && all.unended == 0 && near(all.observed_ms, 25 * 0.25));
        QVERIFY(near(all.per_s(), 1e3 / 6.25));
        // one of seven lines of 4.2 um has seen it
        QVERIFY(near(all.per_100_um_and_s({21, 7, 1}, 0.2), 1.0 / 7 * (100 / 4.2) * 160));
    }
    /// The same spark in a corner: what is not in the cell is as long as what is.
    void aSparkAtTheBorder()
    {
        Picture p({9, 5, 1});
        p.look();
        p.open[p.at(0, 4)] = 50;
        for (int x = 0; x < 9; ++x)
            p.c_myo[p.at(x, 4)] += 4e-4 * std::max(0.0, 1 - 0.25 * x);
        p.look();
        p.clear();
        p.look();
        QCOMPARE(p.found.size(), std::size_t{1});
        QVERIFY(near(p.found[0].width_um[0], 2 * 2 * 0.2));
        QVERIFY(near(p.found[0].width_um[1], 2 * 0.5 * 0.2));
        QCOMPARE(p.found[0].dyads, std::int64_t{1}); // nothing across the faces
        // where the profile reaches both faces there is no width
        Picture all({3, 1, 1});
        all.look();
        for (const int x : {0, 1, 2})
            all.c_myo[all.at(x)] = x == 1 ? 5e-4 : 4e-4;
        all.open[1] = 50;
        all.look();
        all.clear();
        all.look();
        QVERIFY(!(all.found.at(0).width_um[0] == all.found.at(0).width_um[0]));
    }
    void sparksThatTouchAreOne()
    {
        Picture p({20, 1, 1});
        p.look({});
        p.look({3, 15}); // two
        p.look({3, 4, 8, 15});
        p.look({4, 5, 7, 8, 15});
        p.look({5, 6, 7, 15, 16}); // the first and the third meet
        p.look({6, 15});
        p.look({15});
        p.look({});
        p.finder.finish();
        QCOMPARE(p.found.size(), std::size_t{2});
        const Spark &a = p.spark(1), &b = p.spark(2);
        QVERIFY(a.x == 3 && near(a.start_ms, 0.25) && near(a.end_ms, 1.5));
        QCOMPARE(a.dyads, std::int64_t{6}); // 3 to 8
        QCOMPARE(a.sites, std::int64_t{2});
        QVERIFY(near(a.span_um[0], 6 * 0.2) && near(a.span_um[1], 0.2));
        QVERIFY(b.x == 15 && b.dyads == 2 && b.sites == 1 && near(b.end_ms, 1.75));
        QCOMPARE(p.finder.statistics().count, std::int64_t{2});
    }
    /// Two places that meet after parts of each have gone: dyads count once.
    void aSparkThatFallsIntoPartsStaysOne()
    {
        Picture p({20, 1, 1});
        p.look({});
        p.look({5, 6, 7, 8, 9});
        p.look({5, 9}); // parts
        p.look({4, 5, 9, 12});
        p.look({4, 9, 10, 11, 12}); // one part takes in the other spark
        p.look({4});
        p.look({4, 6}); // a new one: nothing active is beside it, 6 was in the first
        p.look({4, 5, 6});
        p.look({});
        p.finder.finish();
        QCOMPARE(p.found.size(), std::size_t{1});
        const Spark& s = p.spark(1);
        QCOMPARE(s.dyads, std::int64_t{9}); // 4 to 12
        QCOMPARE(s.sites, std::int64_t{3});
        QCOMPARE(s.kind, SparkKind::macrospark);
        QVERIFY(near(s.start_ms, 0.25) && near(s.end_ms, 2));
    }
    /// Neighbours are those along axes, not across corners or around a row's end.
    void neighboursAreAlongAxes()
    {
        Picture p({4, 4, 4});
        p.look();
        for (const auto& [x, y, z] :
             {std::tuple{3, 0, 0}, {0, 1, 0}, {2, 2, 1}, {3, 3, 1}, {0, 3, 3}, {0, 3, 2}})
            p.open[p.at(x, y, z)] = 40;
        p.look();
        p.clear();
        p.look();
        p.finder.finish();
        QCOMPARE(p.found.size(), std::size_t{5});
        const auto two = std::find_if(p.found.begin(), p.found.end(),
                                      [](const Spark& s) { return s.dyads == 2; });
        QVERIFY(two != p.found.end() && two->z == 2 && two->lines == 2);
        QVERIFY(near(two->span_um[2], 0.4));
    }
    void theRunsEndIsNoEnd()
    {
        Picture p({8, 1, 1});
        p.look({});
        p.c_myo[2] = 3e-4;
        p.look({2, 6});
        p.look({2, 6});
        p.look({2}); // 6 has ended, but c_myo there never rose
        QCOMPARE(p.found.size(), std::size_t{1});
        p.finder.finish();
        QCOMPARE(p.found.size(), std::size_t{2});
        QVERIFY(p.spark(2).ended() && near(p.spark(2).amplitude(), 1));
        const Spark& s = p.spark(1);
        QVERIFY(!s.ended() && !(s.duration_ms == s.duration_ms) && near(s.peak_uM, 0.3));
        QCOMPARE(s.dyads, std::int64_t{1});
        QCOMPARE(p.finder.statistics().unended, std::int64_t{1});
    }
    /// c_myo that rises again is not the spark's.
    void otherSparksDoNotShapeIt()
    {
        Picture p({8, 1, 1});
        p.look({});
        const auto at = [&](double uM, std::initializer_list<int> active) {
            p.c_myo[2] = 1e-3 * uM;
            p.look(active);
        };
        at(0.3, {2});
        at(0.5, {2});
        at(0.4, {});
        at(0.7, {5}); // another one
        at(0.2, {});
        p.finder.finish();
        QVERIFY(near(p.spark(1).peak_uM, 0.5) && p.spark(1).ended());
        QVERIFY(!(p.spark(1).duration_ms == p.spark(1).duration_ms));
        QVERIFY(near(p.spark(1).rise_ms, 0.25 * ((0.16 / 0.2 + 1) - 0.04 / 0.2)));
    }
    void wavesSpanTheCell()
    {
        // from one place, three dyads active at a time
        Picture wave({30, 1, 1});
        wave.look({});
        for (int x = 0; x < 30; ++x)
            wave.look({x, std::min(x + 1, 29)});
        wave.look({});
        wave.finder.finish();
        QCOMPARE(wave.found.size(), std::size_t{1});
        QVERIFY(wave.found[0].kind == SparkKind::wave && wave.found[0].dyads == 30);
        QVERIFY(near(wave.found[0].span_um[0], 6));
        // every third by itself
        Picture all({30, 1, 1});
        all.look({});
        all.look({0, 3, 6, 9, 12, 15, 18, 21, 24, 27});
        std::fill(all.open.begin(), all.open.end(), std::uint8_t{30});
        all.look();
        all.look({});
        all.finder.finish();
        QCOMPARE(all.found.size(), std::size_t{1});
        QVERIFY(all.found[0].kind == SparkKind::synchronous && all.found[0].sites == 10);
    }
    void quantilesAreOfAllValues()
    {
        Quantiles q;
        QVERIFY(!(q.at(0.5) == q.at(0.5)));
        for (const double x : {4.0, 1.0, std::nan(""), 3.0, 2.0})
            q.add(x);
        QVERIFY(q.count() == 4 && q.exact() && near(q.at(0.5), 2.5) && near(q.at(0.25), 1.75));
        QVERIFY(near(q.at(0), 1) && near(q.at(1), 4));
        Quantiles many;
        const int n = 3 * static_cast<int>(Quantiles::kept);
        for (int k = 0; k < n; ++k)
            many.add(1 + (k * 7919LL % n));
        QVERIFY(many.count() == n && !many.exact());
        for (const double part : {0.01, 0.25, 0.5, 0.75, 0.99})
            QVERIFY(near(many.at(part), part * n, 0.011));
    }
    /// Sparks of a cell at rest are the same by any number of threads, and like those of cells:
    /// c_myo rises two- to threefold in some 10 ms, for 20 to 60 ms, in one dyad or a few.
    void aRestingCellHasSparks()
    {
        const Grid grid;
        const auto a = observe_cell("paced", 45, 0, 1, grid),
                   b = observe_cell("paced", 45, 0, 2, grid);
        QCOMPARE(numbers(a.found), numbers(b.found));
        QVERIFY(a.found.size() > 5);
        const auto& s = a.statistics;
        QCOMPARE(s.count, static_cast<std::int64_t>(a.found.size()));
        QVERIFY(s.amplitude.at(0.5) > 1.7 && s.amplitude.at(0.5) < 3.5);
        QVERIFY(s.duration_ms.count() > 0);
        QVERIFY(s.duration_ms.at(0.5) > 15 && s.duration_ms.at(0.5) < 60);
        QVERIFY(s.peak_after_ms.at(0.5) > 4 && s.peak_after_ms.at(0.5) < 15);
        QVERIFY(s.dyads.at(0.5) < 4);
        // the detection is of the same cell in mixed precision
        const auto m = observe_cell("paced", 10, 0, 1, grid, true);
        QVERIFY(m.statistics.count > 0);
    }
    void anOverloadedCellHasAWave()
    {
        const auto a = observe_cell("code", 110, 0, 2, {});
        QVERIFY(a.statistics.kinds[static_cast<std::size_t>(SparkKind::wave)] == 1);
        const Spark& s = a.found.front();
        QVERIFY(s.dyads == 10'000 && s.sites < 100 && s.ended() && s.amplitude() > 5);
    }
    /// Nearly all dyads of a paced beat are in one release.
    void aPacedBeatIsOneRelease()
    {
        const auto a = observe_cell("paced", 70, 80, 1, {100, 10, 1});
        const auto& s = a.found.back();
        QVERIFY(s.kind == SparkKind::synchronous && s.dyads > 800 && s.sites > 80);
        QVERIFY(s.start_ms >= 50 || s.sites > 80);
    }
};
static const tawara::test::Further<TestSparks> further;
#include "test_sparks.moc"
